//! Taking turns: what would only get in each other's way is done one after another in this process. No rule depends on it: other processes take turns of
//! their own, and the conditions of each write hold for all.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// From how many on it is looked which are over.
const MANY: usize = 256;

/// Whose turn it is, for each thing of a kind.
#[derive(Debug)]
pub(crate) struct Turns<K>(Mutex<HashMap<K, Weak<Turn<()>>>>);

impl<K> Default for Turns<K> {
    fn default() -> Self {
        Turns(Mutex::default())
    }
}

/// A turn that has come. It is over when this is dropped.
#[derive(Debug)]
pub(crate) struct OnesTurn {
    _held: OwnedMutexGuard<()>,
    /// Whether somebody else had it before: what was seen until then may be so no longer.
    pub(crate) waited: bool,
}

impl<K: Eq + Hash> Turns<K> {
    /// Waits for one's turn. Who comes first is first.
    pub(crate) async fn of(&self, thing: K) -> OnesTurn {
        let turn = self.turn(thing);
        match Arc::clone(&turn).try_lock_owned() {
            Ok(held) => OnesTurn {
                _held: held,
                waited: false,
            },
            Err(_) => OnesTurn {
                _held: turn.lock_owned().await,
                waited: true,
            },
        }
    }

    fn turn(&self, thing: K) -> Arc<Turn<()>> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.len() >= MANY {
            turns.retain(|_, turn| turn.strong_count() > 0);
        }
        let known = turns.get(&thing).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let turn = Arc::default();
            turns.insert(thing, Arc::downgrade(&turn));
            turn
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_thing_has_one_turn_and_what_is_over_is_forgotten() {
        let turns = Turns::default();
        let first = turns.of(1).await;
        assert!(!first.waited);
        assert!(!turns.of(2).await.waited, "another thing has its own");
        let (second, ()) = tokio::join!(turns.of(1), async { drop(first) });
        assert!(second.waited);
        drop(second);
        for thing in 0..10 * MANY {
            turns.of(thing).await;
        }
        assert!(turns.0.lock().unwrap().len() <= MANY);
    }
}
