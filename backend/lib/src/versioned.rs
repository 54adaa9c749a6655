//! An item with its version: the shape it was written in, and the token that tells one state from the next.

use std::ops::{Deref, DerefMut};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Entity;

/// An item and its bookkeeping. `last_write` is the lock token: it grows with every write, also within one millisecond and when a
/// clock steps back, so a change based on an older state is always recognised.
///
/// ```
/// use tablewright::Versioned;
/// let account = Versioned { data: "Ada", data_version: 1, last_write: 1_700_000_000_000 };
/// assert_eq!(account.len(), 3); // the data's own methods are at hand
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Versioned<T> {
    /// The data itself.
    pub data: T,
    /// The version of the shape it has; raised when older code could no longer be read.
    pub data_version: u16,
    /// When it was written last, in milliseconds since 1970, and at least one more than the time before.
    pub last_write: i64,
}

impl<T> Deref for Versioned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

impl<T> DerefMut for Versioned<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.data
    }
}

/// The token of the next write: now, but never less than one more than the last.
pub(crate) fn next_token(now: i64, previous: Option<i64>) -> i64 {
    previous.map_or(now, |previous| now.max(previous.saturating_add(1)))
}

/// What an item carries besides its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// The version of its shape; 0 for an entity without versions.
    pub data_version: u16,
    /// Its lock token; 0 for an entity without versions.
    pub last_write: i64,
}

/// What reading an entity gives: `Versioned<T>` for a versioned one, else `T` itself.
pub trait Stored: Sized + Send {
    /// The entity.
    type Data: Entity<Stored = Self>;

    /// Puts data and bookkeeping together.
    fn stored(data: Self::Data, stamp: Stamp) -> Self;

    /// The data.
    fn data(&self) -> &Self::Data;

    /// Its bookkeeping.
    fn stamp(&self) -> Stamp;
}

impl<T: Entity<Stored = Versioned<T>>> Stored for Versioned<T> {
    type Data = T;

    fn stored(data: T, stamp: Stamp) -> Self {
        Versioned {
            data,
            data_version: stamp.data_version,
            last_write: stamp.last_write,
        }
    }

    fn data(&self) -> &T {
        &self.data
    }

    fn stamp(&self) -> Stamp {
        Stamp {
            data_version: self.data_version,
            last_write: self.last_write,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_grows_within_one_millisecond_and_when_the_clock_steps_back() {
        // S4-9, C4-1
        assert_eq!(next_token(1000, None), 1000);
        assert_eq!(next_token(1000, Some(1000)), 1001);
        assert_eq!(next_token(400, Some(1001)), 1002);
        assert_eq!(next_token(2000, Some(1002)), 2000);
        assert_eq!(next_token(0, Some(i64::MAX)), i64::MAX);
    }
}
