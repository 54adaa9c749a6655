//! Why a file cannot be taken over.

use std::fmt;

/// Why a file of NoSQL Workbench cannot become a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportError {
    /// It is larger than any data model is.
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is no JSON.
    NotJson {
        /// Where, and what was expected there.
        why: String,
    },
    /// It is JSON, and no data model.
    NotAModel,
    /// It is a data model of another service, such as Amazon Keyspaces.
    OtherService {
        /// Which.
        service: String,
    },
    /// It is of a version of the format that is not known.
    Version {
        /// Which.
        found: String,
    },
    /// It has no table.
    NoTable,
    /// Something in it is not as the format has it.
    Wrong {
        /// Where, as a path in the file.
        place: String,
        /// What is expected there.
        expected: String,
    },
    /// What came of it is no model. This is a fault of the import.
    NotRead {
        /// What the parser said.
        why: String,
    },
}

impl ImportError {
    /// A name that something else has already.
    pub(super) fn twice(place: &str, what: &str, name: &str) -> Self {
        Self::wrong(place, format!("another {what} is called `{name}`"))
    }

    pub(super) fn wrong(place: &str, expected: impl Into<String>) -> Self {
        ImportError::Wrong {
            place: place.to_owned(),
            expected: expected.into(),
        }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::TooLarge { bytes } => {
                let megabytes = bytes / 1024 / 1024;
                write!(f, "it has {megabytes} MB; a data model has at most 16")
            }
            ImportError::NotJson { why } => write!(f, "it is no JSON: {why}"),
            ImportError::NotAModel => {
                write!(
                    f,
                    "it is no data model of NoSQL Workbench: it has no `DataModel`"
                )
            }
            ImportError::OtherService { service } => {
                write!(f, "it is a data model of {service}, not of Amazon DynamoDB")
            }
            ImportError::Version { found } => write!(
                f,
                "it is of version {found} of the format; 1.0, 2.0 and 3.0 are known"
            ),
            ImportError::NoTable => write!(f, "its `DataModel` has no table"),
            ImportError::Wrong { place, expected } => write!(f, "{place}: {expected}"),
            ImportError::NotRead { why } => {
                write!(
                    f,
                    "what came of it is no model, which is a fault of the import: {why}"
                )
            }
        }
    }
}

impl std::error::Error for ImportError {}
