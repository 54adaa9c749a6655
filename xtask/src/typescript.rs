//! The TypeScript types of every model, held against what its services produce, both ways.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, bail};

use crate::node;
use crate::python::{remove, run, target};

/// Where the compiler's packages, its settings and the values people typed are.
const FROM: &str = "xtask/typescript";

/// What the generated types must accept and refuse is written from the Rust types, compiled by TypeScript, and what people typed there is
/// read by the Rust types.
pub(crate) fn check() -> anyhow::Result<()> {
    let packages = node::packages("typescript-node", FROM)?;
    let folder = env::current_dir()?.join(target()).join("typescript");
    remove(&folder)?;
    fs::create_dir_all(folder.join("typed"))?;
    for file in ["package.json", "tsconfig.json"] {
        fs::copy(Path::new(FROM).join(file), folder.join(file))?;
    }
    for entry in fs::read_dir(Path::new(FROM).join("typed"))? {
        let entry = entry?;
        fs::copy(entry.path(), folder.join("typed").join(entry.file_name()))?;
    }
    shapes("write", &folder)?;
    let compiler = packages.join("node_modules/typescript/bin/tsc");
    run(Command::new("node")
        .arg(compiler)
        .arg("--project")
        .arg(&folder))
    .context("the TypeScript types are not what the services produce")?;
    let typed = Command::new("node")
        .arg(folder.join("compiled/typed/all.js"))
        .stderr(Stdio::inherit())
        .output()?;
    if !typed.status.success() {
        bail!("the values typed in TypeScript could not be printed");
    }
    let file = folder.join("typed.json");
    fs::write(&file, typed.stdout)?;
    shapes("read", &file)
}

fn shapes(what: &str, place: &Path) -> anyhow::Result<()> {
    run(Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "shapes", "--", what])
        .arg(place))
}
