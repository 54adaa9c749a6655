//! Sending the notifications of one question: each is tried for a while, and when nothing comes through, nobody else is claimed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tablewright_push::{NotSent, Push, Pusher};
use tokio::time::Instant;

/// How long it is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How often one notification is tried.
    pub tries: u32,
    /// How long to wait after the first failure, about; twice as long after each further one.
    pub first_wait: Duration,
    /// For how long one notification is tried. A service that wants to be left alone for longer is.
    pub each: Duration,
    /// For how long people are told of one question. Who was not claimed by then is there for the next round.
    pub all: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Pace {
            tries: 5,
            first_wait: Duration::from_millis(500),
            each: Duration::from_secs(20),
            all: Duration::from_secs(60),
        }
    }
}

/// After how many notifications in a row that could not be sent the line is broken.
const IN_A_ROW: u32 = 3;

/// After how many devices in a row that are gone. So many are seldom gone by chance: more likely something is wrong with what we send.
const GONE_IN_A_ROW: u32 = 10;

/// The way to people, for one round of a question.
#[derive(Debug)]
pub(super) struct Line<'p> {
    pace: &'p Pace,
    until: Instant,
    failed_in_a_row: AtomicU32,
    gone_in_a_row: AtomicU32,
}

/// What became of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Became {
    Sent,
    /// The device is gone.
    Unregistered,
    /// The device is of another project, or we are.
    OfAnotherProject,
    /// Nobody takes it, whoever it is for.
    Refused,
    /// It was tried long enough.
    GivenUp,
    /// It was sent, and may have come: people mind a second notification more than a missing one.
    Unanswered,
}

impl Became {
    fn in_numbers(self) -> &'static str {
        match self {
            Became::Sent => "sent",
            Became::Unregistered => "unregistered",
            Became::OfAnotherProject => "of_another_project",
            Became::Refused => "refused",
            Became::GivenUp => "given_up",
            Became::Unanswered => "unanswered",
        }
    }
}

impl<'p> Line<'p> {
    pub(super) fn new(pace: &'p Pace) -> Self {
        Line {
            pace,
            until: Instant::now() + pace.all,
            failed_in_a_row: AtomicU32::new(0),
            gone_in_a_row: AtomicU32::new(0),
        }
    }

    /// Whether it makes no sense to claim anybody else.
    pub(super) fn is_broken(&self) -> bool {
        self.failed_in_a_row.load(Ordering::Relaxed) >= IN_A_ROW
            || self.gone_in_a_row.load(Ordering::Relaxed) >= GONE_IN_A_ROW
            || Instant::now() >= self.until
    }

    pub(super) async fn send(&self, pusher: &Pusher, push: &Push) -> Became {
        let became = self.try_to_send(pusher, push).await;
        match became {
            Became::GivenUp | Became::Unanswered => {
                self.failed_in_a_row.fetch_add(1, Ordering::Relaxed);
            }
            // Of another project are some, or all if we are.
            Became::Unregistered | Became::OfAnotherProject => {
                self.failed_in_a_row.store(0, Ordering::Relaxed);
                self.gone_in_a_row.fetch_add(1, Ordering::Relaxed);
            }
            Became::Sent | Became::Refused => {
                self.failed_in_a_row.store(0, Ordering::Relaxed);
                self.gone_in_a_row.store(0, Ordering::Relaxed);
            }
        }
        metrics::counter!("ask_pushes_total", "outcome" => became.in_numbers()).increment(1);
        became
    }

    async fn try_to_send(&self, pusher: &Pusher, push: &Push) -> Became {
        let until = Instant::now() + self.pace.each;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let (why, after) = match pusher.send(push).await {
                Ok(()) => return Became::Sent,
                Err(NotSent::Unregistered(why)) => {
                    tracing::info!(push = %push.id, %why, "a device is gone");
                    return Became::Unregistered;
                }
                Err(NotSent::OfAnotherProject(why)) => {
                    tracing::warn!(push = %push.id, %why, "a device is of another project than the credentials, or they are wrong");
                    return Became::OfAnotherProject;
                }
                Err(NotSent::Refused(why)) => {
                    tracing::warn!(push = %push.id, %why, "a notification is refused");
                    return Became::Refused;
                }
                Err(NotSent::Unanswered(why)) => {
                    tracing::warn!(push = %push.id, %why, "whether a notification was taken is not known");
                    return Became::Unanswered;
                }
                Err(NotSent::Later { why, after }) => (why, after),
            };
            let wait = self.wait(attempt, &push.id).max(after.unwrap_or_default());
            if attempt >= self.pace.tries || Instant::now() + wait >= until {
                tracing::warn!(push = %push.id, %why, "a notification could not be sent");
                return Became::GivenUp;
            }
            tokio::time::sleep(wait).await;
        }
    }

    /// Between half of the time and the whole, so that not all come again at once.
    fn wait(&self, attempt: u32, id: &str) -> Duration {
        let doubled = 1_u32.checked_shl(attempt - 1).unwrap_or(u32::MAX);
        let whole = self.pace.first_wait.saturating_mul(doubled);
        let mut hasher = DefaultHasher::new();
        (attempt, id).hash(&mut hasher);
        let share = (hasher.finish() % 1000) as u32;
        whole / 2 + (whole / 2000).saturating_mul(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_differ() {
        let pace = Pace::default();
        let line = Line::new(&pace);
        let ids: Vec<String> = (0..50).map(|id| id.to_string()).collect();
        for attempt in 1..=6 {
            let whole = pace.first_wait * 2_u32.pow(attempt - 1);
            let waits: Vec<Duration> = ids.iter().map(|id| line.wait(attempt, id)).collect();
            assert!(waits.iter().all(|wait| (whole / 2..=whole).contains(wait)));
            let (first, last) = (waits.iter().min(), waits.iter().max());
            assert!(
                last.zip(first)
                    .is_some_and(|(last, first)| *last - *first > whole / 4)
            );
        }
        line.wait(u32::MAX, "");
    }
}
