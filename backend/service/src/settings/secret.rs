//! Values that are never shown.

use std::fmt;

/// A value that is used and never shown: neither in a log, nor in an error, nor by `{:?}`.
///
/// ```
/// use tablewright_service::Secret;
///
/// let secret = Secret::new("correct horse battery");
/// assert_eq!(format!("{secret:?}"), "•••");
/// assert_eq!(secret.reveal(), "correct horse battery");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret.
    pub fn new(value: impl Into<String>) -> Self {
        Secret(value.into())
    }

    /// The value, for whoever must use it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a text is this secret. How long it takes does not tell how much of it is right.
    pub fn is(&self, given: &str) -> bool {
        aws_lc_rs::constant_time::verify_slices_are_equal(self.0.as_bytes(), given.as_bytes())
            .is_ok()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("•••")
    }
}
