//! Why a service does not start with the settings it has.

use std::fmt;
use std::path::PathBuf;

/// Why a service does not start with the settings it has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingsError {
    /// The file of settings cannot be read.
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Settings have values that cannot be used: all of them, not only the first.
    Refused(Vec<Fault>),
}

/// What is wrong with one setting. The value of a secret is not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The setting, as a file would name it.
    pub setting: String,
    /// Where the value was found: a variable, or a file. Empty when nothing was said.
    pub origin: String,
    /// Why it cannot be used, and what could.
    pub why: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault {
            setting,
            origin,
            why,
        } = self;
        if origin.is_empty() {
            write!(f, "{setting}: {why}")
        } else {
            write!(f, "{setting} ({origin}): {why}")
        }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingsError::Unreadable { path, why } => {
                write!(
                    f,
                    "the settings in {} cannot be read: {why}",
                    path.display()
                )
            }
            SettingsError::Refused(faults) => {
                f.write_str("the service does not start with these settings:")?;
                faults.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
            }
        }
    }
}

impl std::error::Error for SettingsError {}
