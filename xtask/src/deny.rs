//! What dependencies may be: their licences, where they come from, and that none has a known fault.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};

use crate::python::{run, target};

/// The version that `deny.toml` is written for.
const VERSION: &str = "0.20.2";

pub(crate) fn deny() -> anyhow::Result<()> {
    let program = program()?;
    let check = |what: &[&str]| {
        run(Command::new(&program)
            .args(["--log-level", "error", "check"])
            .args(what))
    };
    check(&["bans", "licenses", "sources"]).context("a dependency is not as deny.toml wants it")?;
    // The advisories are no package of a registry: there are places from which they cannot be had.
    let fetched = Command::new(&program).args(["fetch", "db"]).output()?;
    if !fetched.status.success() {
        println!("   the database of advisories cannot be reached: they are not checked");
        return Ok(());
    }
    check(&["advisories"]).context("a dependency has a known fault")
}

/// `cargo-deny` as it is installed, or else one in the target folder.
fn program() -> anyhow::Result<PathBuf> {
    let wanted = format!("cargo-deny {VERSION}");
    let own = std::env::current_dir()?.join(target()).join("tools");
    for program in [PathBuf::from("cargo-deny"), own.join("bin/cargo-deny")] {
        let told = Command::new(&program).arg("--version").output();
        if told.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).trim() == wanted) {
            return Ok(program);
        }
    }
    println!("   installing {wanted}");
    let mut install = Command::new("cargo");
    install.args(["install", "--quiet", "--locked", "--debug", "--root"]);
    install.arg(&own).args(["cargo-deny", "--version", VERSION]);
    if !install.status()?.success() {
        bail!("{wanted} could not be installed");
    }
    Ok(own.join("bin/cargo-deny"))
}
