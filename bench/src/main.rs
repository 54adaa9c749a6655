//! Benchmarks of the design-time tools. `cargo xtask bench` runs them; every figure that matters is a ratio of two
//! measurements of the same run.
#![allow(clippy::print_stdout, reason = "a benchmark reports to people")]

mod large_model;

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use large_model::Layout;

fn main() -> anyhow::Result<()> {
    println!(
        "tablewright {} on {} core(s)\n",
        env!("CARGO_PKG_VERSION"),
        cores()
    );
    own_models()?;
    let memory = growth(Layout::OneTable)?;
    growth(Layout::TablesOfFifty)?;
    if let Some(memory) = memory {
        println!(
            "peak memory after the first thousand entities: {memory} MB (target: under 200 MB)"
        );
    }
    Ok(())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The best of several runs: what the work takes, without what else the machine did.
fn best_of(runs: usize, mut work: impl FnMut()) -> Duration {
    let times = (0..runs).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

fn own_models() -> anyhow::Result<()> {
    let mut texts = Vec::new();
    for name in ["todo", "tasks", "ask", "accounts"] {
        let path = format!("{}/../models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).with_context(|| path.clone())?;
        is_clean(&text).context(path)?;
        texts.push(text);
    }
    let parse = best_of(20, || {
        for text in &texts {
            let _ = tablewright_model::parse(text);
        }
    });
    let check = best_of(20, || {
        for text in &texts {
            let _ = tablewright_check::check_text(text);
        }
    });
    println!("the repository's {} models, read and checked", texts.len());
    println!(
        "  {:>8.1} ms, of which reading {:.1} ms (target: under 30 ms)\n",
        ms(check),
        ms(parse)
    );
    Ok(())
}

/// What is wrong with a model costs time of its own; a figure is of one that has no findings.
fn is_clean(text: &str) -> anyhow::Result<()> {
    match tablewright_check::check_text(text).first() {
        Some(finding) => bail!(
            "the model is not clean: {}: {}",
            finding.rule,
            finding.message
        ),
        None => Ok(()),
    }
}

/// Checks a large model and one ten times as large; gives the peak memory after the first.
fn growth(layout: Layout) -> anyhow::Result<Option<u64>> {
    println!("{layout}");
    let small = large_model::text(1_000, layout);
    let large = large_model::text(10_000, layout);
    is_clean(&small)?;
    let one = best_of(5, || {
        let _ = tablewright_check::check_text(&small);
    });
    let memory = peak_megabytes();
    let ten = best_of(3, || {
        let _ = tablewright_check::check_text(&large);
    });
    println!(
        "   1,000 entities,  3,000 patterns, {:>5} KB: {:>8.1} ms (target: under 1000 ms)",
        small.len() / 1024,
        ms(one)
    );
    println!(
        "  10,000 entities, 30,000 patterns, {:>5} KB: {:>8.1} ms",
        large.len() / 1024,
        ms(ten)
    );
    println!(
        "  ratio: {:.1} (target: at most 15)\n",
        ten.as_secs_f64() / one.as_secs_f64()
    );
    Ok(memory)
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// The most memory this process has had, where the system tells.
fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}
