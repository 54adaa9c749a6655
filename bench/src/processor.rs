//! The time a process has had of the processor.

use std::time::Duration;

use anyhow::Context;

/// Of this process.
pub(crate) fn time() -> anyhow::Result<Duration> {
    time_of("self")
}

/// Of a process, by its number; `self` is this one.
pub(crate) fn time_of(process: &str) -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program, in parentheses, may have spaces; after it come the state and then numbers.
    let (_, numbers) = stat.rsplit_once(')').context("no process")?;
    let mut numbers = numbers.split_whitespace().skip(11);
    let mut next = || -> anyhow::Result<u64> { Ok(numbers.next().context("no time")?.parse()?) };
    // In hundredths of a second, on every Linux there is.
    Ok(Duration::from_millis(10 * (next()? + next()?)))
}

/// Of a process and of all that it has started and that still run.
pub(crate) fn time_of_all(process: u32) -> anyhow::Result<Duration> {
    let mut time = time_of(&process.to_string())?;
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"))?;
    for child in children.split_whitespace() {
        time += time_of_all(child.parse()?)?;
    }
    Ok(time)
}
