//! The test binary of the library, run against an endpoint within a limit of time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// The slowest of them takes a quarter of it: who has not answered then, never will.
const LIMIT: Duration = Duration::from_secs(15 * 60);

const PACKAGE: &str = "backend/lib";

/// What became of each test; none when it did not end.
pub(super) type Outcomes = BTreeMap<String, Option<bool>>;

/// Builds the suite as `cargo xtask test` does, so that nothing is compiled again, and says where it is.
pub(super) fn build() -> anyhow::Result<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["test", "--workspace", "--test", "suite", "--no-run"])
        .args(["--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started")?;
    if !output.status.success() {
        bail!("the suite could not be built");
    }
    let source = Path::new(PACKAGE).join("tests/suite/main.rs");
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message: serde_json::Value = serde_json::from_str(line)?;
        let text = |pointer: &str| message.pointer(pointer)?.as_str().map(PathBuf::from);
        if text("/target/src_path").is_some_and(|path| path.ends_with(&source))
            && let Some(executable) = text("/executable")
        {
            return Ok(executable);
        }
    }
    bail!("cargo built no test of {}", source.display())
}

/// Runs it against an endpoint. What it says is kept in a file.
pub(super) fn run(suite: &Path, endpoint: &str, log: &Path) -> anyhow::Result<Outcomes> {
    let mut outcomes: Outcomes = names(suite)?.into_iter().map(|name| (name, None)).collect();
    let output = fs::File::create(log)?;
    let mut child = Command::new(suite)
        .current_dir(PACKAGE)
        .env("TABLEWRIGHT_ENDPOINT", endpoint)
        .env("RUST_BACKTRACE", "0")
        // What fails on another implementation is no case to remember for ours.
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
        // Nothing of the developer's own account goes anywhere, and the region is the one both have tables in.
        .env("AWS_ACCESS_KEY_ID", "local")
        .env("AWS_SECRET_ACCESS_KEY", "local")
        .env("AWS_REGION", "us-east-1")
        .env_remove("AWS_SESSION_TOKEN")
        .env_remove("AWS_PROFILE")
        .stdin(Stdio::null())
        .stderr(output.try_clone()?)
        .stdout(output)
        .spawn()?;
    if !ends_in_time(&mut child)? {
        println!(
            "   stopped: it had not ended after {} minutes",
            LIMIT.as_secs() / 60
        );
    }
    for line in fs::read_to_string(log)?.lines() {
        let told = line
            .strip_prefix("test ")
            .and_then(|line| line.rsplit_once(" ... "));
        if let Some((name, outcome @ ("ok" | "FAILED"))) = told {
            outcomes.insert(name.to_owned(), Some(outcome == "ok"));
        }
    }
    Ok(outcomes)
}

fn names(suite: &Path) -> anyhow::Result<Vec<String>> {
    let output = Command::new(suite)
        .args(["--list", "--format", "terse"])
        .current_dir(PACKAGE)
        .output()?;
    let names: Vec<String> = String::from_utf8(output.stdout)?
        .lines()
        .filter_map(|line| line.strip_suffix(": test"))
        .map(ToOwned::to_owned)
        .collect();
    if names.is_empty() {
        bail!("{} has no tests", suite.display());
    }
    Ok(names)
}

fn ends_in_time(child: &mut Child) -> anyhow::Result<bool> {
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        thread::sleep(Duration::from_millis(100));
    }
    child.kill()?;
    child.wait()?;
    Ok(false)
}
