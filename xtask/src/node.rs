//! Packages for Node.js, in the versions and with the contents of a lock file.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::Context;

use crate::program::install;
use crate::python::{remove, run, target};

/// A folder of the target folder with the packages of `from/package-lock.json`, installed anew when that has changed.
pub(crate) fn packages(name: &str, from: &str) -> anyhow::Result<PathBuf> {
    let (folder, from) = (
        env::current_dir()?.join(target()).join(name),
        Path::new(from),
    );
    let wanted = fs::read_to_string(from.join("package-lock.json"))?;
    // Written last, and only when all is there.
    let installed = folder.join("installed");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    remove(&folder)?;
    fs::create_dir_all(&folder)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(from.join(file), folder.join(file))?;
    }
    have_npm()?;
    run(Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .args(["--silent", "--prefix"])
        .arg(&folder))
    .context("Node.js 20 or newer, with npm, is needed")?;
    fs::write(installed, wanted)?;
    Ok(folder)
}

/// The packages of `folder/package-lock.json` in the folder itself, where its programs look for them; installed anew when that has changed.
pub(crate) fn install_in(folder: &Path) -> anyhow::Result<()> {
    let wanted = fs::read_to_string(folder.join("package-lock.json"))?;
    // Written last, and only when all is there.
    let installed = folder.join("node_modules/.installed");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    have_npm()?;
    run(Command::new("npm")
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--silent",
        ])
        .current_dir(folder))
    .context("Node.js 20 or newer, with npm, is needed")?;
    fs::write(installed, wanted)?;
    Ok(())
}

fn have_npm() -> anyhow::Result<()> {
    let mut npm = Command::new("npm");
    npm.arg("--version");
    if npm.output().is_ok_and(|output| output.status.success()) {
        return Ok(());
    }
    install("npm").context("Node.js 20 or newer with npm is needed")
}
