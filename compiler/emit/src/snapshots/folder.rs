//! The files of a folder of snapshots.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::Value;

use crate::on_disk;

const ENDING: &str = ".schema.json";

/// A folder as it is.
pub(super) struct Folder {
    path: PathBuf,
    files: BTreeMap<PathBuf, Result<Snapshot, String>>,
}

/// A snapshot that could be read.
pub(super) struct Snapshot {
    pub(super) text: String,
    pub(super) schema: Value,
    /// The version of the shape; none of an entity without versions.
    pub(super) version: Option<u16>,
}

impl Folder {
    /// Reads the snapshots of a folder. One that does not exist has none.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                let path = path.to_owned();
                return Ok(Folder { path, files });
            }
            Err(why) => return Err(why),
        };
        for entry in entries {
            let name = entry?.file_name();
            if name.to_str().is_some_and(|name| name.ends_with(ENDING)) {
                let file = path.join(name);
                let snapshot = on_disk::bytes(&file)
                    .map_err(|why| why.to_string())
                    .and_then(|bytes| Snapshot::read(&bytes.unwrap_or_default()));
                files.insert(file, snapshot);
            }
        }
        let path = path.to_owned();
        Ok(Folder { path, files })
    }

    /// Where the snapshot of the current version is, or will be.
    pub(super) fn current(&self, stem: &str) -> PathBuf {
        self.path.join(format!("{stem}{ENDING}"))
    }

    /// Where the snapshot of a version before is kept.
    pub(super) fn kept(&self, stem: &str, version: u16) -> PathBuf {
        self.path.join(format!("{stem}.v{version}{ENDING}"))
    }

    /// A file, or why it is no snapshot; none when it is not there.
    pub(super) fn get(&self, path: &Path) -> Option<&Result<Snapshot, String>> {
        self.files.get(path)
    }

    /// The versions that are kept of an entity.
    pub(super) fn kept_of(&self, stem: &str) -> Vec<(PathBuf, u16)> {
        // In the order of their paths, what begins with the entity's name stands together.
        let prefix = format!("{stem}.v");
        let named_so = |path: &&PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(&prefix))
        };
        let files = self.files.range(self.path.join(&prefix)..);
        let mut kept: Vec<(PathBuf, u16)> = files
            .map(|(path, _)| path)
            .take_while(named_so)
            .filter_map(|path| match name_of(path) {
                (of, Some(version)) if of == stem => Some((path.clone(), version)),
                _ => None,
            })
            .collect();
        kept.sort_by_key(|(_, version)| *version);
        kept
    }

    /// The files of entities that are not known.
    pub(super) fn without(&self, known: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let files = self.files.keys();
        files
            .filter(|path| !known(name_of(path).0))
            .cloned()
            .collect()
    }
}

/// The entity and, of a kept file, the version.
fn name_of(path: &Path) -> (&str, Option<u16>) {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name
        .and_then(|name| name.strip_suffix(ENDING))
        .unwrap_or_default();
    let kept = name.rsplit_once(".v").and_then(|(stem, version)| {
        let version: u16 = version.parse().ok()?;
        // `v01` is none of ours.
        (name == format!("{stem}.v{version}")).then_some((stem, version))
    });
    match kept {
        Some((stem, version)) => (stem, Some(version)),
        None => (name, None),
    }
}

impl Snapshot {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|why| why.to_string())?;
        let schema: Value = serde_json::from_str(text).map_err(|why| why.to_string())?;
        if !schema["properties"].is_object() {
            return Err(String::from("it has no `properties`"));
        }
        let version = match (
            schema.get("x-layout"),
            &schema["properties"]["data_version"],
        ) {
            (None, _) => None,
            (Some(_), property) => {
                let version = property["const"].as_u64();
                let version = version.and_then(|version| u16::try_from(version).ok());
                Some(version.ok_or("it does not say which `data_version` it is")?)
            }
        };
        Ok(Snapshot {
            text: text.to_owned(),
            schema,
            version,
        })
    }
}
