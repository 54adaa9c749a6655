//! Whose turn it is: one person has one mail on the wire at a time. A server that is slow with mails to somebody is slow with one of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// After how long a mail is one the server is slow with: others do not wait for it any longer.
pub(super) const SLOW: Duration = Duration::from_secs(10);

/// How many people are remembered before those are forgotten to whom nothing is sent.
const REMEMBERED: usize = 1000;

/// The turns of people.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<HashMap<String, Arc<Person>>>);

#[derive(Debug)]
struct Person {
    turn: Arc<Semaphore>,
    /// Whether somebody waited for the turn in vain, and it has not ended since.
    is_slow: AtomicBool,
}

/// The right to send mails to one person, until it is dropped.
#[derive(Debug)]
pub(super) struct OnesTurn {
    person: Arc<Person>,
    _permit: Result<OwnedSemaphorePermit, AcquireError>,
}

impl Turns {
    /// Waits for the turn of a person, for as long as it takes.
    pub(super) async fn of(&self, user_id: &str) -> OnesTurn {
        let person = self.person(user_id);
        // Nobody closes it.
        let permit = Arc::clone(&person.turn).acquire_owned().await;
        OnesTurn {
            person,
            _permit: permit,
        }
    }

    /// The turn of a person, if it is soon; where it is known that the server is slow with a mail to them, nobody waits.
    pub(super) async fn soon(&self, user_id: &str) -> Option<OnesTurn> {
        let person = self.person(user_id);
        let is_taken = person.turn.available_permits() == 0;
        if is_taken && person.is_slow.load(Ordering::Relaxed) {
            return None;
        }
        let turn = tokio::time::timeout(SLOW, self.of(user_id)).await;
        turn.inspect_err(|_| person.is_slow.store(true, Ordering::Relaxed))
            .ok()
    }

    fn person(&self, user_id: &str) -> Arc<Person> {
        let mut people = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if people.len() >= REMEMBERED {
            // Whose turn somebody has or waits for is kept.
            people.retain(|_, person| Arc::strong_count(person) > 1);
        }
        let person = people.entry(user_id.to_owned());
        let person = person.or_insert_with(|| {
            Arc::new(Person {
                turn: Arc::new(Semaphore::new(1)),
                is_slow: AtomicBool::new(false),
            })
        });
        Arc::clone(person)
    }
}

impl Drop for OnesTurn {
    fn drop(&mut self) {
        self.person.is_slow.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn nobody_waits_for_the_turn_of_one_the_server_is_known_to_be_slow_with() {
        let turns = Turns::default();
        let slow = turns.soon("slow").await.unwrap();
        assert!(turns.soon("ada").await.is_some(), "others have their own");
        let waits = turns.soon("slow").now_or_never();
        assert!(waits.is_none(), "it may come to its end soon");
        slow.person.is_slow.store(true, Ordering::Relaxed);
        let known = turns.soon("slow").now_or_never();
        assert!(known.is_some_and(|turn| turn.is_none()));
        drop(slow);
        assert!(turns.soon("slow").await.is_some());
        let other = turns.soon("slow").await.unwrap();
        assert!(
            turns.soon("slow").now_or_never().is_none(),
            "it is forgotten"
        );
        drop(other);
    }

    #[tokio::test]
    async fn people_are_forgotten_but_for_those_to_whom_something_is_sent() {
        let turns = Turns::default();
        let held = turns.soon("held").await.unwrap();
        for number in 0..2 * REMEMBERED {
            turns.of(&number.to_string()).await;
        }
        let people = turns.0.lock().unwrap().len();
        assert!(people <= REMEMBERED, "{people}");
        assert!(turns.0.lock().unwrap().contains_key("held"));
        drop(held);
    }
}
