//! A figure in a process of its own: a heap that earlier runs have warmed would flatter those after them.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use tablewright_emit::artefacts::{ARTEFACTS, Job, Places};
use tablewright_local::Engine;
use tablewright_model::Model;

/// The argument by which the benchmark calls itself.
pub(crate) const WORD: &str = "once";

/// What is done with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Read and checked.
    Check,
    /// Read and planned, as text.
    Plan,
    /// Read, and everything generated from it that can be, in memory.
    Generate,
    /// Read and proved on an embedded engine, with so few items that what counts is the model.
    Prove,
}

impl Work {
    pub(crate) const ALL: [Work; 4] = [Work::Check, Work::Plan, Work::Generate, Work::Prove];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Work::Check => "check",
            Work::Plan => "plan",
            Work::Generate => "generate",
            Work::Prove => "prove",
        }
    }

    /// A large model and one ten times as large, in entities. What is generated is many times as long as the model.
    pub(crate) fn sizes(self) -> [usize; 2] {
        match self {
            Work::Check | Work::Plan => [1_000, 10_000],
            Work::Generate => [200, 2_000],
            Work::Prove => [5, 50],
        }
    }

    /// How often it is done, of which the best counts.
    pub(crate) fn runs(self) -> usize {
        match self {
            Work::Check | Work::Plan | Work::Generate => 3,
            Work::Prove => 1,
        }
    }

    fn done(self, text: &str) -> anyhow::Result<()> {
        if self == Work::Check {
            let findings = tablewright_check::check_text(text);
            anyhow::ensure!(findings.is_empty(), "the model is not clean");
            return Ok(());
        }
        let model = tablewright_model::parse(text);
        let model = model.map_err(|faults| anyhow::anyhow!("{} faults", faults.len()))?;
        if self == Work::Plan {
            let plans = tablewright_plan::plan(&model);
            let texts = plans.iter().map(|plan| plan.to_text(&model).len());
            anyhow::ensure!(texts.sum::<usize>() > 0, "nothing was planned");
            return Ok(());
        }
        if self == Work::Prove {
            return proved(&model);
        }
        // Nothing stands there, so nothing is compared.
        let nowhere = std::env::temp_dir().join("tablewright-bench-nowhere");
        let places = Places::default();
        for artefact in ARTEFACTS {
            let place = nowhere.join(artefact.name);
            let job = Job {
                model: &model,
                source: "large.toml",
                place: &place,
                places: &places,
                proof: None,
            };
            let generated = (artefact.generate)(&job);
            let generated = generated.with_context(|| artefact.name)?;
            anyhow::ensure!(!generated.files.is_empty(), "{} is empty", artefact.name);
        }
        Ok(())
    }
}

/// With twenty items for each pattern there can be; the tables are gone with their engine.
fn proved(model: &Model) -> anyhow::Result<()> {
    let place = tablewright_prove::Place::new(Engine::temporary()?.dynamodb(), Duration::ZERO);
    let settings = tablewright_prove::Settings {
        items: 20 * model.accesses.len(),
        seed: 1,
    };
    let runtime = tokio::runtime::Runtime::new()?;
    let proving = tablewright_prove::prove(model, settings, &place, &|_, _, _| ());
    let proof = runtime.block_on(proving)?;
    anyhow::ensure!(proof.passes(), "{} patterns failed", proof.failed());
    Ok(())
}

/// What one run took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) time: Duration,
    /// The most memory the process has had.
    pub(crate) megabytes: u64,
}

/// Reads the file, does the work, and prints the microseconds that took and the peak memory in kilobytes.
pub(crate) fn once(work: &str, path: &str) -> anyhow::Result<()> {
    let mut works = Work::ALL.into_iter();
    let work = works.find(|known| known.as_str() == work);
    let work = work.context("there is no such work")?;
    let start = Instant::now();
    let text = std::fs::read_to_string(path).with_context(|| path.to_owned())?;
    work.done(&text)?;
    let time = start.elapsed();
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
pub(crate) fn best_of(runs: usize, work: Work, text: &str) -> anyhow::Result<Run> {
    let path = std::env::temp_dir().join(format!("tablewright-bench-{}.toml", std::process::id()));
    std::fs::write(&path, text)?;
    let all: anyhow::Result<Vec<Run>> = (0..runs).map(|_| run(work, &path)).collect();
    std::fs::remove_file(&path)?;
    all?.into_iter()
        .min_by_key(|run| run.time)
        .context("no run")
}

fn run(work: Work, path: &std::path::Path) -> anyhow::Result<Run> {
    let output = Command::new(std::env::current_exe()?)
        .args([WORD, work.as_str()])
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
pub(crate) fn peak_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
