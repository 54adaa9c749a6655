//! What a run took: of the machine, and so in no proof that is kept.

use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

/// How long a run took, and how much memory at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// From its beginning.
    pub time: Duration,
    /// The most memory the process had at once, in bytes, where the system tells.
    pub peak_memory: Option<u64>,
}

impl Measure {
    /// What was taken since a moment.
    pub fn since(began: Instant) -> Self {
        Measure {
            time: began.elapsed(),
            peak_memory: peak_memory(),
        }
    }
}

impl fmt::Display for Measure {
    /// `12.3 s, at most 212 MB of memory`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} s", self.time.as_secs_f64())?;
        match self.peak_memory {
            Some(bytes) => write!(f, ", at most {} MB of memory", bytes.div_ceil(1_000_000)),
            None => Ok(()),
        }
    }
}

/// The most resident memory of this process so far; only Linux tells without a system call.
fn peak_memory() -> Option<u64> {
    of_status(&fs::read_to_string("/proc/self/status").ok()?)
}

fn of_status(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_is_told_in_seconds_and_megabytes() {
        let measure = Measure {
            time: Duration::from_millis(12_340),
            peak_memory: of_status("Name:\tprove\nVmHWM:\t  206000 kB\nVmRSS:\t 1 kB\n"),
        };
        assert_eq!(measure.to_string(), "12.3 s, at most 211 MB of memory");
        let unknown = Measure {
            peak_memory: of_status("Name:\tprove\n"),
            ..measure
        };
        assert_eq!(unknown.to_string(), "12.3 s");
    }
}
