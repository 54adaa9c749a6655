//! Snapshots: the schema of every entity's stored items, checked in, so that a change of shape is seen, classified and versioned.
//!
//! A folder holds `<entity>.schema.json` for each entity of a model, in snake case, and for a versioned entity
//! `<entity>.v<N>.schema.json` for each version before the current one. Those are written when `data_version` is raised, and never again:
//! they are what migrations start from.
//!
//! ```
//! use tablewright_emit::snapshots;
//!
//! let model = tablewright_model::parse(r##"
//! [model]
//! name = "notes"
//!
//! [table.notes]
//! partition_key = "note_id"
//!
//! [entity.Note]
//! table  = "notes"
//! key    = { partition = "{note_id}" }
//! fields = { note_id = "ulid" }
//! "##).unwrap();
//! let nowhere = std::env::temp_dir().join("there is no such folder");
//! let findings = snapshots::check(&model, &nowhere).unwrap();
//! assert!(findings[0].to_string().contains("note.schema.json is not there"));
//! ```

mod finding;
mod folder;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use tablewright_model::Model;
use tablewright_model::model::{Entity, EntityId};

use crate::json_schema::{self, classify};

pub use finding::{Finding, Problem};
use folder::{Folder, Snapshot};

/// What a folder of snapshots should hold, and how it differs from that.
#[derive(Debug, Clone, Default)]
pub struct Examined {
    /// Every file the folder should hold, kept versions that are to be added included.
    pub files: Vec<(PathBuf, String)>,
    /// What is not as it should be.
    pub findings: Vec<Finding>,
}

/// What is not as it should be with the snapshots of a model. Nothing is written: for tests and `generate --check`.
///
/// # Errors
/// When the folder cannot be read; a folder that does not exist is empty.
pub fn check(model: &Model, folder: &Path) -> io::Result<Vec<Finding>> {
    Ok(examine(model, folder)?.findings)
}

/// Compares a model with the folder of its snapshots.
///
/// # Errors
/// When the folder cannot be read; a folder that does not exist is empty.
pub fn examine(model: &Model, folder: &Path) -> io::Result<Examined> {
    let folder = Folder::read(folder)?;
    let mut examination = Examination {
        model,
        folder: &folder,
        examined: Examined::default(),
    };
    let mut stems: BTreeMap<String, &str> = BTreeMap::new();
    for (id, entity) in model.entity_ids() {
        let stem = stem(&entity.name.value);
        if let Some(other) = stems.get(&stem) {
            let problem = Problem::SameName {
                other: (*other).to_owned(),
            };
            examination.report(entity, folder.current(&stem), problem);
            continue;
        }
        examination.entity(id, entity, &stem);
        stems.insert(stem, &entity.name.value);
    }
    let mut examined = examination.examined;
    for path in folder.without(|stem| stems.contains_key(stem)) {
        examined.findings.push(Finding {
            entity: String::new(),
            path,
            problem: Problem::LeftOver,
        });
    }
    Ok(examined)
}

/// The name of an entity in a file's name: `AccountData` is `account_data`, `FCMToken` is `fcm_token`.
pub fn stem(entity: &str) -> String {
    let letters: Vec<char> = entity.chars().collect();
    let mut stem = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let behind = letters.get(at + 1);
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && behind.is_some_and(|c| c.is_lowercase()))
            });
        if begins {
            stem.push('_');
        }
        stem.extend(letter.to_lowercase());
    }
    stem
}

struct Examination<'e> {
    model: &'e Model,
    folder: &'e Folder,
    examined: Examined,
}

impl Examination<'_> {
    fn report(&mut self, entity: &Entity, path: PathBuf, problem: Problem) {
        self.examined.findings.push(Finding {
            entity: entity.name.value.clone(),
            path,
            problem,
        });
    }

    fn entity(&mut self, id: EntityId, entity: &Entity, stem: &str) {
        let path = self.folder.current(stem);
        let text = json_schema::text(self.model, id);
        let version = entity.versioned.as_ref().map(|v| v.data_version.value);
        let before = match self.folder.get(&path) {
            None => None,
            Some(Err(why)) => {
                let why = why.clone();
                return self.report(entity, path, Problem::Unreadable { why });
            }
            Some(Ok(snapshot)) => Some(snapshot),
        };
        self.kept(entity, stem, version, before);
        match before {
            None => self.report(entity, path.clone(), Problem::Missing),
            Some(before) if before.text == text => {}
            Some(before) => {
                let problem = self.changed(id, stem, version, before);
                if let Problem::Raised { kept, .. } = &problem {
                    let kept = (kept.clone(), before.text.clone());
                    self.examined.files.push(kept);
                }
                self.report(entity, path.clone(), problem);
            }
        }
        self.examined.files.push((path, text));
    }

    /// What it means that the shape is not that of the snapshot.
    fn changed(
        &self,
        id: EntityId,
        stem: &str,
        version: Option<u16>,
        before: &Snapshot,
    ) -> Problem {
        let found = classify(&before.schema, &json_schema::schema(self.model, id));
        match (before.version, version) {
            (Some(from), Some(to)) if to < from => Problem::Lowered { from, to },
            (Some(from), Some(to)) if to - from > 1 => Problem::RaisedTooFar { from, to },
            (Some(from), Some(to)) if to > from => Problem::Raised {
                from,
                kept: self.folder.kept(stem, from),
                found,
            },
            _ if found.is_compatible() => Problem::Changed { found },
            // Without a version before there is nothing a migration could start from.
            (before, now) => Problem::Incompatible {
                version: before.and(now),
                found,
            },
        }
    }

    /// The versions before the current one: each is kept, as it was.
    fn kept(
        &mut self,
        entity: &Entity,
        stem: &str,
        version: Option<u16>,
        current: Option<&Snapshot>,
    ) {
        let version = version.unwrap_or(0);
        let of_current = current.and_then(|current| current.version);
        // Beyond the snapshot's version none can be kept yet: that it was raised too far is told once.
        let end = of_current.map_or(version, |of_current| {
            version.min(of_current.saturating_add(1))
        });
        for earlier in 1..end {
            let path = self.folder.kept(stem, earlier);
            let to_be_kept = current.filter(|current| current.version == Some(earlier));
            let problem = match (self.folder.get(&path), to_be_kept) {
                (Some(Err(why)), _) => Problem::Unreadable { why: why.clone() },
                (Some(Ok(kept)), _) if kept.version != Some(earlier) => Problem::Unreadable {
                    why: format!("it does not say `data_version` {earlier}"),
                },
                (Some(Ok(kept)), Some(current)) if kept.text != current.text => {
                    Problem::KeptDiffers { version: earlier }
                }
                (Some(Ok(_)), _) | (None, Some(_)) => continue,
                (None, None) => Problem::KeptMissing { version: earlier },
            };
            self.report(entity, path, problem);
        }
        let lowered = of_current.is_some_and(|of_current| of_current > version);
        for (path, kept) in self.folder.kept_of(stem) {
            if kept >= version.max(1) && !lowered {
                let problem = Problem::KeptAhead { kept, version };
                self.report(entity, path, problem);
            }
        }
    }
}
