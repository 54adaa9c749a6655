//! What is asked for.

use std::time::{Duration, SystemTime};

const HELP: &str = "\
cargo xtask soak               all services under load and faults for a minute, then every invariant
cargo xtask soak --minutes N   for so long: 0.5, 10
cargo xtask soak --seed S      with the faults of a former run; how they meet the load differs from run to run";

/// The longest run.
const MOST_MINUTES: f64 = 24.0 * 60.0;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) time: Duration,
    pub(crate) seed: u64,
}

impl Arguments {
    /// What these words say.
    ///
    /// # Errors
    /// What to tell who said them.
    pub(crate) fn of(words: &[String]) -> Result<Self, String> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let mut arguments = Arguments {
            time: Duration::from_secs(60),
            seed: now.map_or(0, |now| u64::from(now.subsec_nanos())),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let value = words.next();
            match (word.as_str(), value) {
                ("--minutes", Some(minutes)) => arguments.time = time(minutes)?,
                ("--seed", Some(seed)) => {
                    let number = seed.parse();
                    arguments.seed =
                        number.map_err(|_| format!("`{seed}` is no seed: a number"))?;
                }
                ("help" | "--help" | "-h", _) => return Err(HELP.to_owned()),
                (other, _) => return Err(format!("`{other}` is not understood\n\n{HELP}")),
            }
        }
        Ok(arguments)
    }
}

fn time(minutes: &str) -> Result<Duration, String> {
    let number: Option<f64> = minutes.parse().ok();
    match number {
        Some(number) if number > 0.0 && number <= MOST_MINUTES => {
            Ok(Duration::from_secs_f64(number * 60.0))
        }
        _ => Err(format!("`{minutes}` is no time: minutes, up to a day")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Arguments, String> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Arguments::of(&words)
    }

    #[test]
    fn a_minute_unless_said() {
        assert_eq!(of("").unwrap().time, Duration::from_secs(60));
        let said = of("--minutes 0.5 --seed 7").unwrap();
        assert_eq!((said.time, said.seed), (Duration::from_secs(30), 7));
    }

    #[test]
    fn what_is_not_understood_is_told() {
        for wrong in [
            "--minutes",
            "--minutes 0",
            "--minutes NaN",
            "--minutes -1",
            "--seed x",
            "fast",
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
