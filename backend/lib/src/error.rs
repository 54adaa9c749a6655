//! What can go wrong, in one enum. Nothing in it speaks of HTTP: a service decides what its callers see.

use std::fmt;

/// What can go wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The item is not there, or its time has passed.
    NotFound {
        /// Of which entity.
        entity: String,
    },
    /// An item with this key is there already. Nothing was written.
    Exists {
        /// Of which entity.
        entity: String,
    },
    /// Another item holds a value that must not occur twice. Nothing was written.
    Taken {
        /// Of which entity.
        entity: String,
        /// The name of the unique value.
        unique: String,
    },
    /// Another writer was faster, also after the change was applied again. Nothing was written.
    Conflict {
        /// Of which entity.
        entity: String,
    },
    /// The item is there and does not meet the condition of the write. Nothing was written.
    Refused {
        /// Of which entity.
        entity: String,
    },
    /// The item was written by newer code, in a shape this code does not know.
    NewerVersion {
        /// Of which entity.
        entity: String,
        /// The version of the item.
        found: u16,
        /// The newest version this code knows.
        known: u16,
    },
    /// A value is not one of its field, or a key cannot be made of it. Nothing was written.
    Invalid {
        /// Of which entity or pattern.
        entity: String,
        /// Which field; empty when it is the item as a whole.
        field: String,
        /// Why.
        why: String,
    },
    /// The cursor was not given out for this pattern, these values and this caller, or it was changed.
    BadCursor,
    /// The idempotency key was used before, for another request. Nothing was written.
    KeyReused {
        /// The entity that holds the key.
        entity: String,
    },
    /// A stored item cannot be read as its entity: it was written by something else, or a migration is missing.
    Unreadable {
        /// Of which entity.
        entity: String,
        /// Why.
        why: String,
    },
    /// DynamoDB refused the request for its rate, after all attempts. Nothing was written.
    Throttled,
    /// DynamoDB could not be reached, or did not answer, after all attempts. Nothing was written.
    Unavailable {
        /// What happened last.
        why: String,
    },
    /// A write was sent, its answer was lost, and what is stored does not tell whether it happened.
    Uncertain {
        /// What happened last.
        why: String,
    },
    /// DynamoDB refused the request: a missing table, a missing permission, a request it does not take.
    Backend {
        /// DynamoDB's name for it; empty where something else answered.
        code: String,
        /// Its message.
        message: String,
    },
}

/// What the calls of this crate give.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A value that is not one of its field.
    pub fn invalid(
        entity: impl Into<String>,
        field: impl Into<String>,
        why: impl fmt::Display,
    ) -> Self {
        Error::Invalid {
            entity: entity.into(),
            field: field.into(),
            why: why.to_string(),
        }
    }

    pub(crate) fn unreadable(entity: &str, why: impl fmt::Display) -> Self {
        Error::Unreadable {
            entity: entity.to_owned(),
            why: why.to_string(),
        }
    }

    /// Whether the same call may succeed a little later without any change.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Error::Conflict { .. } | Error::Throttled | Error::Unavailable { .. }
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFound { entity } => write!(f, "there is no such {entity}"),
            Error::Exists { entity } => write!(f, "there is such a {entity} already"),
            Error::Taken { entity, unique } => {
                write!(f, "another {entity} has this {unique} already")
            }
            Error::Conflict { entity } => {
                write!(f, "another writer changed the {entity} at the same time")
            }
            Error::Refused { entity } => {
                write!(f, "the {entity} does not meet the condition of the write")
            }
            Error::NewerVersion {
                entity,
                found,
                known,
            } => write!(
                f,
                "the {entity} was written in version {found} of its shape; this code knows up to {known}"
            ),
            Error::Invalid { entity, field, why } if field.is_empty() => {
                write!(f, "{entity}: {why}")
            }
            Error::Invalid { entity, field, why } => write!(f, "{field} of {entity}: {why}"),
            Error::BadCursor => f.write_str("the cursor does not belong to this query"),
            Error::KeyReused { entity } => write!(
                f,
                "the idempotency key of this {entity} was used for another request"
            ),
            Error::Unreadable { entity, why } => {
                write!(f, "a stored item cannot be read as {entity}: {why}")
            }
            Error::Throttled => f.write_str("DynamoDB takes no more requests at the moment"),
            Error::Unavailable { why } => write!(f, "DynamoDB cannot be reached: {why}"),
            Error::Uncertain { why } => write!(
                f,
                "it is not known whether the write happened, since its answer was lost: {why}"
            ),
            Error::Backend { code, message } if code.is_empty() => {
                write!(f, "the request was refused: {message}")
            }
            Error::Backend { code, message } if message.is_empty() => {
                write!(f, "DynamoDB refused the request: {code}")
            }
            Error::Backend { code, message } => {
                write!(f, "DynamoDB refused the request: {code}: {message}")
            }
        }
    }
}

impl std::error::Error for Error {}
