//! What can be wrong with a snapshot, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::json_schema::Compatibility;

/// One thing that is not as it should be. Its [`Display`](fmt::Display) says what it is, with every change on a line of its own, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The entity; empty where there is none.
    pub entity: String,
    /// The file.
    pub path: PathBuf,
    /// What is the matter with it.
    pub problem: Problem,
}

/// What can be wrong with a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The entity has none yet.
    Missing,
    /// The shape changed, and what is stored can be read.
    Changed {
        /// How it changed.
        found: Compatibility,
    },
    /// The version was raised by one: the snapshot of the version before is to be kept.
    Raised {
        /// The version of the snapshot.
        from: u16,
        /// Where it is to be kept.
        kept: PathBuf,
        /// How the shape changed.
        found: Compatibility,
    },
    /// The shape changed, what is stored cannot be read, and the version is the same.
    Incompatible {
        /// The version; none of an entity without versions.
        version: Option<u16>,
        /// How it changed.
        found: Compatibility,
    },
    /// The version was raised by more than one.
    RaisedTooFar {
        /// The version of the snapshot.
        from: u16,
        /// The version of the model.
        to: u16,
    },
    /// The version was lowered.
    Lowered {
        /// The version of the snapshot.
        from: u16,
        /// The version of the model.
        to: u16,
    },
    /// The snapshot of a version before the current one is not there.
    KeptMissing {
        /// That version.
        version: u16,
    },
    /// A version would be kept, and another text is kept for it already.
    KeptDiffers {
        /// That version.
        version: u16,
    },
    /// A version is kept that is not before the model's.
    KeptAhead {
        /// The kept version.
        kept: u16,
        /// The version of the model; 0 of an entity without versions.
        version: u16,
    },
    /// The file is no snapshot.
    Unreadable {
        /// Why.
        why: String,
    },
    /// An event changed so that those who receive it cannot read it, and its version is the same.
    EventBreaks {
        /// The version.
        version: u16,
        /// What would break them.
        changes: Vec<String>,
    },
    /// An event was published in a later version than the model's.
    EventLowered {
        /// The version of the model.
        version: u16,
    },
    /// Another entity has the same file.
    SameName {
        /// That entity.
        other: String,
    },
    /// Nothing generates the file any more.
    LeftOver,
}

impl Finding {
    /// Whether nothing may be written before a person has decided. Otherwise generating mends it, or leaves it alone.
    pub fn refuses(&self) -> bool {
        !matches!(
            self.problem,
            Problem::Missing | Problem::Changed { .. } | Problem::Raised { .. } | Problem::LeftOver
        )
    }

    /// Whether it is about a file: the snapshot itself, or the one that is to be kept beside it.
    pub fn is_about(&self, path: &Path) -> bool {
        let kept = match &self.problem {
            Problem::Raised { kept, .. } => Some(kept),
            _ => None,
        };
        self.path == path || kept.is_some_and(|kept| kept == path)
    }

    /// How the shape changed, where it did.
    pub fn compatibility(&self) -> Option<&Compatibility> {
        match &self.problem {
            Problem::Changed { found }
            | Problem::Raised { found, .. }
            | Problem::Incompatible { found, .. } => Some(found),
            _ => None,
        }
    }

    /// The changes and notes, a line each.
    pub fn details(&self) -> Vec<String> {
        if let Problem::EventBreaks { changes, .. } = &self.problem {
            return changes
                .iter()
                .map(|change| format!("breaks: {change}"))
                .collect();
        }
        let Some(found) = self.compatibility() else {
            return Vec::new();
        };
        let changes = found.changes.iter().map(|change| {
            let mark = if change.breaks { "breaks: " } else { "" };
            format!("{mark}{}", change.text)
        });
        let notes = found.notes.iter().map(|note| format!("note: {note}"));
        let needless = matches!(self.problem, Problem::Raised { .. }) && found.is_compatible();
        let needless = needless.then(|| {
            String::from("note: what is stored could be read without a new version: raise it only when the meaning of a value changed")
        });
        changes.chain(notes).chain(needless).collect()
    }

    /// What is the matter, in one sentence.
    pub fn message(&self) -> String {
        let (entity, path) = (&self.entity, shown(&self.path));
        match &self.problem {
            Problem::Missing => format!("{path} is not there: the first snapshot of {entity}"),
            Problem::Changed { .. } => {
                format!("{path} is out of date: {entity} changed, and what is stored can be read")
            }
            Problem::Raised { from, .. } => format!(
                "{path} is out of date: {entity} has `data_version` {}, the snapshot {from}",
                u32::from(*from) + 1
            ),
            Problem::Incompatible {
                version: Some(version),
                ..
            } => format!(
                "{path} would break: items of {entity} stored as version {version} could not be read any more"
            ),
            Problem::Incompatible { version: None, .. } => {
                format!(
                    "{path} would break: items of {entity} that are stored could not be read any more"
                )
            }
            Problem::RaisedTooFar { from, to } => {
                format!("{path} has `data_version` {from}, and the model raises it to {to} at once")
            }
            Problem::Lowered { from, to } => {
                format!("{path} has `data_version` {from}, and the model lowers it to {to}")
            }
            Problem::KeptMissing { version } => {
                format!("{path} is not there: version {version} of {entity} was to be kept")
            }
            Problem::KeptDiffers { version } => format!(
                "{path} is kept as version {version} of {entity}, and is not what its snapshot says"
            ),
            Problem::KeptAhead { kept, version: 0 } => {
                format!("{path} is kept as version {kept} of {entity}, which has no versions")
            }
            Problem::KeptAhead { kept, version } => format!(
                "{path} is kept as version {kept} of {entity}, which is only at version {version}"
            ),
            Problem::Unreadable { why } => format!("{path} is no snapshot: {why}"),
            Problem::EventBreaks { version, .. } => format!(
                "{path} would break: those who receive {entity} in version {version} could not read it any more"
            ),
            Problem::EventLowered { version } => {
                format!("{path} is of version {version} of {entity}, and a later one was published")
            }
            Problem::SameName { other } => {
                format!("{path} would be the snapshot of {entity} and of {other}")
            }
            Problem::LeftOver => format!("{path} is of no entity: nothing generates it any more"),
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        const GENERATE: &str = "run `tablewright generate`";
        let entity = &self.entity;
        match &self.problem {
            Problem::Missing | Problem::Changed { .. } => GENERATE.to_owned(),
            Problem::Raised { from, kept, .. } => format!(
                "add a migration step from {from} to {}, then {GENERATE}: it keeps version {from} as {}",
                u32::from(*from) + 1,
                shown(kept)
            ),
            Problem::Incompatible {
                version: Some(version),
                ..
            } => {
                let next = u32::from(*version) + 1;
                format!(
                    "raise `data_version` of {entity} to {next} in the model, add a migration step from {version} to {next}, then {GENERATE}; \
                     if no item was ever stored, delete the file instead"
                )
            }
            Problem::Incompatible { version: None, .. } => format!(
                "{entity} has no versions to migrate between: change it so that what is stored can be read, or make it an entity of its own; \
                 if no item was ever stored, delete the file, then {GENERATE}"
            ),
            Problem::RaisedTooFar { from, .. } => format!(
                "raise it to {}, and generate after each step: every version has its snapshot",
                u32::from(*from) + 1
            ),
            Problem::Lowered { from, .. } => format!(
                "write `data_version = {from}` again: items of that version may be stored; a former shape comes back as a new version"
            ),
            Problem::KeptMissing { .. } => String::from(
                "take it out of version control again; of a shape from before the first snapshot, write down how its items are stored",
            ),
            Problem::KeptDiffers { .. } => String::from(
                "a kept version is never overwritten: take both out of version control again",
            ),
            Problem::KeptAhead { .. } => String::from(
                "raise `data_version` above it again: items of that version may be stored",
            ),
            Problem::Unreadable { .. } => String::from("take it out of version control again"),
            Problem::EventBreaks { version, .. } => format!(
                "raise `version` of {entity} to {} in the model, then {GENERATE}; if it was never published, delete the file instead",
                u32::from(*version) + 1
            ),
            Problem::EventLowered { version } => format!(
                "raise `version` of {entity} above {version} again: a former shape comes back as a new version"
            ),
            Problem::SameName { .. } => String::from("give one of them another name"),
            Problem::LeftOver => String::from(
                "delete it when no item of it is stored any more; it is never deleted for you",
            ),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.message())?;
        for line in self.details() {
            writeln!(f, "  {line}")?;
        }
        write!(f, "  help: {}", self.help())
    }
}

/// With `/` on every system, so that reports do not differ.
fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
