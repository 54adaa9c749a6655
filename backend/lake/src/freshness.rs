//! Whether what is in a lake is what is in the tables, as far as can be said from its files.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

use crate::error::LakeError;
use crate::identity::Identity;
use crate::read::Reader;
use crate::state::State;

/// Who follows notes it every minute, between looks. A look may take longer, as when silver is made from a table.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15 * 60);

/// Whether the silver of an entity is what its table is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Freshness {
    /// Somebody follows the table, and all that is known is applied.
    UpToDate,
    /// Somebody follows the table, and so many files of bronze are to be applied.
    Applying(usize),
    /// Nobody follows the table: silver is what it was at a moment, in milliseconds since 1970, if that is known.
    NotFollowed(Option<i64>),
    /// There is none that can be read: it is made from the table when somebody follows, or by `lake rebuild`.
    ToBeMade,
    /// There is no silver of items of no entity.
    NoSilver,
}

impl Freshness {
    pub(crate) fn of(state: Option<&State>, waiting: usize, lake: Option<&Identity>) -> Self {
        let Some(state) = state else {
            return Freshness::ToBeMade;
        };
        match (lake.filter(|lake| lake.is_followed), waiting) {
            (Some(_), 0) => Freshness::UpToDate,
            (Some(_), files) => Freshness::Applying(files),
            (None, _) => Freshness::NotFollowed(state.made.max(lake.and_then(|lake| lake.as_of))),
        }
    }
}

impl fmt::Display for Freshness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Freshness::UpToDate => f.write_str("up to date"),
            Freshness::Applying(1) => f.write_str("1 file to apply"),
            Freshness::Applying(files) => write!(f, "{files} files to apply"),
            Freshness::NotFollowed(Some(as_of)) => {
                let as_of = Timestamp::from_millisecond(*as_of).unwrap_or_default();
                let as_of = as_of.strftime("%Y-%m-%d %H:%M:%S UTC");
                write!(f, "as of {as_of}, followed by nobody")
            }
            Freshness::NotFollowed(None) => f.write_str("followed by nobody"),
            Freshness::ToBeMade => f.write_str("to be made from the table"),
            Freshness::NoSilver => f.write_str("-"),
        }
    }
}

impl Identity {
    /// Whether somebody follows, to who looks: nobody who has given no sign of life for long.
    pub(crate) fn gives_signs_at(&self, now: i64) -> bool {
        let silent = self.followed.and_then(|at| u64::try_from(now - at).ok());
        let silent = silent.map(Duration::from_millis);
        self.is_followed && silent.is_none_or(|silent| silent < SIGN_OF_LIFE)
    }
}

impl Reader {
    /// When silver and gold were last found to have all that the lake had been told, in milliseconds since 1970; none when they never were.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn as_of(&self) -> Result<Option<i64>, LakeError> {
        let known = Identity::known(&*self.files).await?;
        Ok(known.and_then(|known| known.as_of))
    }
}
