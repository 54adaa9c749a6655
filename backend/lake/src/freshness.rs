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

/// How long ago bronze had every change where silver is said to be up to date: longer than it takes to read, to write and to note it.
const RECENT: Duration = Duration::from_secs(5 * 60);

/// Whether the silver of an entity is what its table is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Freshness {
    /// Somebody follows the table, and all is applied that happened until a few minutes ago.
    UpToDate,
    /// Somebody follows the table, and so many files of bronze are to be applied.
    Applying(usize),
    /// Somebody follows the table, and silver is what it was at a moment, in milliseconds since 1970, if that is known: what happened since could not be read or written yet, or that was not noted.
    AsOf(Option<i64>),
    /// Nobody follows the table: silver is what it was at a moment, in milliseconds since 1970, if that is known.
    NotFollowed(Option<i64>),
    /// There is none that can be read: it is made from the table when somebody follows, or by `lake rebuild`.
    ToBeMade,
    /// There is no silver of items of no entity.
    NoSilver,
}

impl Freshness {
    pub(crate) fn of(
        state: Option<&State>,
        waiting: usize,
        lake: Option<&Identity>,
        now: i64,
    ) -> Self {
        let Some(state) = state else {
            return Freshness::ToBeMade;
        };
        match (lake.filter(|lake| lake.is_followed), waiting) {
            (Some(lake), 0) => {
                let moment = lake.whole_until().filter(|moment| *moment > 0);
                let moment = state.made.max(moment);
                // Whoever follows may have another clock.
                let now = lake.followed.map_or(now, |followed| now.max(followed));
                match moment.is_some_and(|moment| now - moment <= millis(RECENT)) {
                    true => Freshness::UpToDate,
                    false => Freshness::AsOf(moment),
                }
            }
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
            Freshness::AsOf(Some(moment)) => write!(f, "as of {}", shown(*moment)),
            Freshness::AsOf(None) => f.write_str("as of an unknown moment"),
            Freshness::NotFollowed(Some(as_of)) => {
                write!(f, "as of {}, followed by nobody", shown(*as_of))
            }
            Freshness::NotFollowed(None) => f.write_str("followed by nobody"),
            Freshness::ToBeMade => f.write_str("to be made from the table"),
            Freshness::NoSilver => f.write_str("-"),
        }
    }
}

fn shown(moment: i64) -> String {
    let moment = Timestamp::from_millisecond(moment).unwrap_or_default();
    moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
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
    /// The moment up to which silver and gold were last found to have all that happened, in milliseconds since 1970; none when they never were. It is before every change that could not be read or written.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn as_of(&self) -> Result<Option<i64>, LakeError> {
        let known = Identity::known(&*self.files).await?;
        Ok(known.and_then(|known| known.as_of))
    }
}
