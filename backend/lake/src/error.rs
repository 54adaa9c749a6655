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

/// Where credentials are asked for that are in no variable: of a machine, and of a container.
const WHERE_ROLES_ARE: [&str; 4] = [
    "169.254.169.254",
    "169.254.170.2",
    "/latest/api/token",
    "/latest/meta-data/",
];

const NO_CREDENTIALS: &str = "there are no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN where they are lent, or run where there is a role; profiles of ~/.aws are not read: `aws configure export-credentials --format env` prints one as variables. No machine of AWS answered that has a role";

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
            LakeError::Files(error) => {
                let told = error.to_string();
                if WHERE_ROLES_ARE.iter().any(|place| told.contains(place)) {
                    return write!(f, "{NO_CREDENTIALS} ({told})");
                }
                write!(f, "the files of the lake: {told}")
            }
            LakeError::Damaged { file, why } => {
                write!(f, "{file} is not what the lake wrote: {why}")?;
                match file.starts_with("silver/") {
                    true => {
                        f.write_str(". Silver can be made anew with `tablewright lake rebuild`")
                    }
                    false => Ok(()),
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_no_credentials_is_told_so() {
        let source = "Error performing PUT http://169.254.169.254/latest/api/token in 20.1s, after 9 retries";
        let store = "S3";
        let source = source.into();
        let told = LakeError::Files(object_store::Error::Generic { store, source }).to_string();
        assert!(told.starts_with("there are no credentials"), "{told}");
        assert!(told.contains("AWS_ACCESS_KEY_ID"), "{told}");
        let source = "Error performing PUT https://bucket.s3.amazonaws.com/x in 1s".into();
        let told = LakeError::Files(object_store::Error::Generic { store, source }).to_string();
        assert!(told.starts_with("the files of the lake"), "{told}");
    }
}
