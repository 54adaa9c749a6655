//! Mails and notifications that were sent to nobody, for those who develop.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Deserialize;

/// How many are shown.
const SHOWN: usize = 100;

/// One of them, as far as it is told.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Letter {
    /// To whom.
    #[serde(default)]
    pub(crate) to: String,
    /// What it is about.
    #[serde(default, alias = "title")]
    pub(crate) subject: String,
    /// What it says.
    #[serde(default, alias = "body")]
    pub(crate) text: String,
}

/// How many there are.
pub(crate) fn count(folder: &Path) -> usize {
    files(folder).len()
}

/// The latest of them, the last first. What cannot be read is not among them.
pub(crate) fn latest(folder: &Path) -> Vec<Letter> {
    let mut files = files(folder);
    files.sort_by(|a, b| b.cmp(a));
    let latest = files.into_iter().take(SHOWN);
    latest
        .filter_map(|(_, path)| serde_json::from_slice(&fs::read(path).ok()?).ok())
        .collect()
}

/// Their files, with when each was written.
fn files(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    // Without a folder there is none yet.
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter(|entry| {
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            !hidden && path.extension().is_some_and(|ending| ending == "json")
        })
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect()
}
