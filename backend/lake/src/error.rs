//! What can go wrong with a lake.

use std::fmt;

/// What can go wrong with a lake.
#[derive(Debug)]
#[non_exhaustive]
pub enum LakeError {
    /// The place is none a lake can be in.
    Place {
        /// As it was given.
        place: String,
        /// Why.
        why: String,
    },
    /// Another process writes this lake.
    Held {
        /// Its folder.
        folder: String,
    },
    /// A file cannot be read, written or listed.
    Files(object_store::Error),
    /// A file is not what the lake wrote.
    Damaged {
        /// Which.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// An export of a table cannot be used.
    Export {
        /// As it was given.
        export: String,
        /// Why, and what to do.
        why: String,
    },
    /// The tables cannot be read.
    Table(tablewright::Error),
    /// A field is asked for that no key of the entity has.
    NoKeyField {
        /// The entity.
        entity: String,
        /// The field.
        field: String,
    },
    /// Work was broken off, since the program ends.
    BrokenOff,
}

impl LakeError {
    pub(crate) fn damaged(file: &impl fmt::Display, why: impl fmt::Display) -> Self {
        LakeError::Damaged {
            file: file.to_string(),
            why: why.to_string(),
        }
    }

    pub(crate) fn export(export: &impl fmt::Display, why: impl fmt::Display) -> Self {
        LakeError::Export {
            export: export.to_string(),
            why: why.to_string(),
        }
    }
}

impl fmt::Display for LakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LakeError::Place { place, why } => write!(f, "`{place}` cannot hold a lake: {why}"),
            LakeError::Held { folder } => write!(
                f,
                "the lake {folder} is written by another process; stop it first, or let it do this by itself"
            ),
            LakeError::Files(error) => write!(f, "the files of the lake: {error}"),
            LakeError::Damaged { file, why } => write!(
                f,
                "{file} is not what the lake wrote: {why}. Silver can be made anew with `tablewright lake rebuild`"
            ),
            LakeError::Export { export, why } => {
                write!(f, "nothing can be made from the export {export}: {why}")
            }
            LakeError::Table(error) => error.fmt(f),
            LakeError::NoKeyField { entity, field } => {
                write!(f, "`{field}` is no field of the key of {entity}")
            }
            LakeError::BrokenOff => f.write_str("the work was broken off"),
        }
    }
}

impl std::error::Error for LakeError {}

impl From<object_store::Error> for LakeError {
    fn from(error: object_store::Error) -> Self {
        LakeError::Files(error)
    }
}

impl From<tablewright::Error> for LakeError {
    fn from(error: tablewright::Error) -> Self {
        LakeError::Table(error)
    }
}

impl From<tokio::task::JoinError> for LakeError {
    fn from(_: tokio::task::JoinError) -> Self {
        LakeError::BrokenOff
    }
}
