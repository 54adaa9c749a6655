//! Demo data that is being sent: how far it is, so that whoever is interrupted goes on where they were.

use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use super::words::Words;

/// A run through the requests of a service that has not come to its end.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Begun {
    /// Unlike that of any other run, so that no request of one is taken for that of another.
    run: String,
    /// How many requests were answered.
    pub(super) answered: usize,
    /// What words stand for: the day on which it began, and answers.
    pub(super) words: Words,
}

/// Where the run of a service is noted while it goes on.
pub(crate) fn note(folder: &Path, service: &str) -> PathBuf {
    folder.join(format!("demo-{service}.json"))
}

impl Begun {
    /// The run that is noted; a new one where there is none, or it cannot be read.
    pub(super) fn read(note: &Path) -> Self {
        let text = fs::read_to_string(note).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_else(|_| Begun {
            run: format!("{:016x}", RandomState::new().hash_one(0)),
            answered: 0,
            words: Words::new(jiff::Zoned::now().date()),
        })
    }

    /// Notes how far it is.
    pub(super) fn write(&self, note: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        let begun = note.with_extension("json.new");
        fs::write(&begun, text)?;
        fs::rename(begun, note)
    }

    /// By which a service knows a request again that was cut off: it has its effect once.
    pub(super) fn key(&self) -> String {
        format!("demo-{}-{}", self.run, self.answered)
    }
}
