//! What happens to requests on their way to the engine.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use crate::dice::Dice;
use crate::lock;

/// What happens to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is answered.
    None,
    /// It is refused for its rate.
    Throttle,
    /// Another transaction is at the same items.
    Conflict,
    /// It takes its time.
    Delay(Duration),
    /// The connection ends, and it was never done.
    LostBefore,
    /// It is done, and the connection ends without an answer.
    LostAfter,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Weather {
    /// Nothing goes wrong.
    Calm = 0,
    /// A request of ten meets something.
    Usual = 1,
    /// Every other request does: more than a client tries again.
    Storm = 2,
}

/// The faults to come, and those there were.
#[derive(Debug)]
pub(crate) struct Faults {
    dice: Mutex<Dice>,
    weather: AtomicU8,
    seen: [AtomicU64; KINDS.len()],
}

const KINDS: [&str; 6] = [
    "answered",
    "throttled",
    "in conflict",
    "delayed",
    "lost before they were done",
    "lost after they were done",
];

/// Of a thousand requests: throttled, in conflict, delayed, lost before, lost after.
const USUAL: [u64; 5] = [25, 15, 40, 10, 10];
const STORM: [u64; 5] = [250, 50, 100, 50, 50];

impl Faults {
    pub(crate) fn new(seed: u64) -> Self {
        Faults {
            dice: Mutex::new(Dice::of(seed, "faults")),
            weather: AtomicU8::new(Weather::Calm as u8),
            seen: Default::default(),
        }
    }

    pub(crate) fn turn(&self, weather: Weather) {
        self.weather.store(weather as u8, Ordering::SeqCst);
    }

    /// What happens to the next request, which is for this operation.
    pub(crate) fn next(&self, operation: &str) -> Fault {
        let rates = match self.weather.load(Ordering::SeqCst) {
            0 => [0; 5],
            1 => USUAL,
            _ => STORM,
        };
        let fault = thrown(&mut lock(&self.dice), rates, operation);
        let kind = match fault {
            Fault::None => 0,
            Fault::Throttle => 1,
            Fault::Conflict => 2,
            Fault::Delay(_) => 3,
            Fault::LostBefore => 4,
            Fault::LostAfter => 5,
        };
        self.seen[kind].fetch_add(1, Ordering::Relaxed);
        fault
    }
}

fn thrown(dice: &mut Dice, rates: [u64; 5], operation: &str) -> Fault {
    let milliseconds = dice.between(5, 250);
    let mut left = dice.below(1000);
    let faults = [
        Fault::Throttle,
        Fault::Conflict,
        Fault::Delay(Duration::from_millis(milliseconds)),
        Fault::LostBefore,
        Fault::LostAfter,
    ];
    for (fault, rate) in faults.into_iter().zip(rates) {
        if left < rate {
            return match fault {
                Fault::Conflict if !can_conflict(operation) => Fault::None,
                fault => fault,
            };
        }
        left -= rate;
    }
    Fault::None
}

/// Whether a transaction of somebody else can be in the way.
fn can_conflict(operation: &str) -> bool {
    matches!(
        operation,
        "TransactWriteItems" | "PutItem" | "UpdateItem" | "DeleteItem"
    )
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (kind, seen)) in KINDS.iter().zip(&self.seen).enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{} {kind}", seen.load(Ordering::Relaxed))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(weather: Weather, operation: &str) -> Vec<Fault> {
        let faults = Faults::new(3);
        faults.turn(weather);
        (0..2000).map(|_| faults.next(operation)).collect()
    }

    #[test]
    fn in_the_calm_everything_is_answered() {
        let calm = seen(Weather::Calm, "TransactWriteItems");
        assert!(calm.iter().all(|fault| *fault == Fault::None));
    }

    #[test]
    fn every_kind_comes_and_a_storm_brings_more() {
        let wrong = |weather| {
            let seen = seen(weather, "TransactWriteItems");
            for kind in [
                Fault::Throttle,
                Fault::Conflict,
                Fault::LostBefore,
                Fault::LostAfter,
            ] {
                assert!(seen.contains(&kind), "{kind:?}");
            }
            assert!(seen.iter().any(|fault| matches!(fault, Fault::Delay(_))));
            seen.iter().filter(|fault| **fault != Fault::None).count()
        };
        let (usual, storm) = (wrong(Weather::Usual), wrong(Weather::Storm));
        assert!(usual > 100 && usual < 400, "{usual}");
        assert!(storm > 800 && storm < 1200, "{storm}");
    }

    #[test]
    fn what_only_reads_is_in_nobodys_way() {
        for operation in ["GetItem", "Query", "GetRecords", "CreateTable"] {
            assert!(!seen(Weather::Storm, operation).contains(&Fault::Conflict));
        }
    }

    #[test]
    fn what_there_was_is_counted() {
        let faults = Faults::new(3);
        faults.next("GetItem");
        assert!(
            faults.to_string().starts_with("1 answered, 0 throttled"),
            "{faults}"
        );
    }
}
