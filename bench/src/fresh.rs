//! A figure in a process of its own: a heap that earlier runs have warmed would flatter those after them.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;

/// The argument by which the benchmark calls itself.
pub(crate) const WORD: &str = "check-once";

/// What one check took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) time: Duration,
    /// The most memory the process has had.
    pub(crate) megabytes: u64,
}

/// Reads the file, checks it, and prints the microseconds that took and the peak memory in kilobytes.
pub(crate) fn check_once(path: &str) -> anyhow::Result<()> {
    let start = Instant::now();
    let text = std::fs::read_to_string(path).with_context(|| path.to_owned())?;
    let findings = tablewright_check::check_text(&text);
    let time = start.elapsed();
    anyhow::ensure!(findings.is_empty(), "{path} is not clean");
    println!("{} {}", time.as_micros(), peak_kilobytes().unwrap_or(0));
    Ok(())
}

/// A figure that prints itself, in a process of its own.
pub(crate) fn figure(word: &str, what: &str) -> anyhow::Result<()> {
    let status = Command::new(std::env::current_exe()?)
        .args([word, what])
        .status()?;
    anyhow::ensure!(status.success(), "the figure {what} failed");
    Ok(())
}

/// The best of several processes: what the work takes, without what else the machine did.
pub(crate) fn best_of(runs: usize, text: &str) -> anyhow::Result<Run> {
    let path = std::env::temp_dir().join(format!("tablewright-bench-{}.toml", std::process::id()));
    std::fs::write(&path, text)?;
    let all: anyhow::Result<Vec<Run>> = (0..runs).map(|_| run(&path)).collect();
    std::fs::remove_file(&path)?;
    all?.into_iter()
        .min_by_key(|run| run.time)
        .context("no run")
}

fn run(path: &std::path::Path) -> anyhow::Result<Run> {
    let output = Command::new(std::env::current_exe()?)
        .arg(WORD)
        .arg(path)
        .output()?;
    anyhow::ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let printed = String::from_utf8(output.stdout)?;
    let (micros, kilobytes) = printed.trim().split_once(' ').context("two numbers")?;
    Ok(Run {
        time: Duration::from_micros(micros.parse()?),
        megabytes: kilobytes.parse::<u64>()? / 1024,
    })
}

/// The most memory this process has had, where the system tells.
fn peak_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
