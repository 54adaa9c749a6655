//! The suite of the library against other implementations of DynamoDB, installed for it. See docs/compatibility.md.

mod expected;
mod suite;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};

use crate::node;
use crate::python::{self, target};
use crate::server::Server;
use expected::{Differences, Verdict};

pub(crate) const HELP: &str = "\
cargo xtask compat           installs dynalite and moto, and runs the suite of the library against each
cargo xtask compat dynalite  against one of them
cargo xtask compat moto

It fails when a test fails that xtask/compat/NAME.txt does not list, and when one passes that it lists. What the suite said is in
compat/NAME.log of the target folder, what the server said in compat/NAME.server.log.

Any other endpoint, Amazon DynamoDB included: TABLEWRIGHT_ENDPOINT=aws cargo test --workspace --test suite
docs/compatibility.md says what that makes, and how to remove what is left of it.";

/// An implementation of DynamoDB that is not ours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Other {
    Dynalite,
    Moto,
}

/// All there are.
pub(crate) const ALL: &[Other] = &[Other::Dynalite, Other::Moto];

impl Other {
    pub(crate) fn named(name: &str) -> anyhow::Result<Other> {
        let found = ALL.iter().find(|other| other.name() == name);
        found
            .copied()
            .with_context(|| format!("`{name}` is neither dynalite nor moto"))
    }

    fn name(self) -> &'static str {
        match self {
            Other::Dynalite => "dynalite",
            Other::Moto => "moto",
        }
    }

    /// Installs it where that was not done yet, and starts it with no tables.
    fn start(self) -> anyhow::Result<Server> {
        let log = fs::File::create(folder()?.join(format!("{}.server.log", self.name())))?;
        match self {
            Other::Dynalite => {
                let installed = node::packages("compat/dynalite", "xtask/compat")?;
                Server::start(
                    Command::new("node")
                        .arg("xtask/compat/serve_dynalite.js")
                        .arg(installed)
                        .stderr(log),
                )
            }
            Other::Moto => {
                let python = python::environment("compat/moto", "xtask/compat/requirements.txt")?;
                Server::start(
                    Command::new(python)
                        .arg("xtask/compat/serve_moto.py")
                        .stderr(log),
                )
            }
        }
    }
}

/// Runs the suite against each, and says what passed, what failed, and what was known to differ.
pub(crate) fn run(others: &[Other]) -> anyhow::Result<()> {
    let suite = suite::build()?;
    let mut lines = Vec::new();
    let mut passed = true;
    for other in others {
        let name = other.name();
        println!("\n── the suite on {name}");
        let start = Instant::now();
        let known = Differences::read(name)?;
        let log = folder()?.join(format!("{name}.log"));
        // The server ends here, whatever became of the suite.
        let outcomes = {
            let server = other.start()?;
            suite::run(&suite, &server.url, &log)?
        };
        let verdict = Verdict::of(&outcomes, &known);
        verdict.tell(&log);
        passed &= verdict.is_good();
        let seconds = start.elapsed().as_secs();
        lines.push(format!("{name}: {verdict}, in {seconds} s"));
    }
    println!();
    for line in lines {
        println!("{line}");
    }
    if !passed {
        bail!("the suite and xtask/compat/*.txt do not agree: see docs/compatibility.md");
    }
    Ok(())
}

fn folder() -> anyhow::Result<PathBuf> {
    let folder = std::env::current_dir()?.join(target()).join("compat");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
