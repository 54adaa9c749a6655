//! Tests written in Python, in an environment of their own with pinned packages.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, bail};

use crate::node;
use crate::program::install;
use crate::server::Server;

/// boto3, the AWS command line and the examples of docs/local.md against `tablewright local`. The program has been built.
pub(crate) fn clients() -> anyhow::Result<()> {
    let python = environment("python", "xtask/requirements.txt")?;
    let packages = node::packages("clients-node", "xtask/clients")?;
    let server = local()?;
    let status = Command::new(python)
        .args(["backend/local/tests/clients.py", &server.url])
        .arg(packages)
        .status()?;
    if !status.success() {
        bail!("clients that work with Amazon DynamoDB do not work with `tablewright local`");
    }
    Ok(())
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

/// The interpreter of an environment in the target folder, which is made anew when the requirements have changed.
pub(crate) fn environment(name: &str, requirements: &str) -> anyhow::Result<PathBuf> {
    let folder = env::current_dir()?.join(target()).join(name);
    let python = folder.join("bin/python");
    let wanted = fs::read_to_string(requirements).with_context(|| requirements.to_owned())?;
    let installed = folder.join("requirements.txt");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    remove(&folder)?;
    make(&folder)?;
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .args(["--disable-pip-version-check", "--requirement", requirements]))?;
    fs::write(installed, wanted)?;
    Ok(python)
}

fn make(folder: &Path) -> anyhow::Result<()> {
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv"]).arg(folder);
    // Debian has it in a package of its own, and says so at length.
    let made = venv.output().is_ok_and(|output| output.status.success());
    if made {
        return Ok(());
    }
    install("python3-venv").context("Python 3 with its module venv is needed")?;
    run(&mut venv)
}

pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let name = format!("{command:?}");
    let status = command.status().with_context(|| name.clone())?;
    if !status.success() {
        bail!("{name} failed");
    }
    Ok(())
}

pub(crate) fn remove(folder: &Path) -> std::io::Result<()> {
    match folder.exists() {
        true => fs::remove_dir_all(folder),
        false => Ok(()),
    }
}

/// `tablewright local` on a free port, with empty tables.
fn local() -> anyhow::Result<Server> {
    let program = target().join("debug/tablewright");
    let data = target().join("clients-data");
    remove(&data)?;
    Server::start(
        Command::new(program)
            .args(["local", "--port", "0", "--data"])
            .arg(&data),
    )
}
