//! The diagrams of the documents, parsed by Mermaid itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::node;
use crate::python::run;

/// Where the packages of Mermaid and the script are.
const FROM: &str = "xtask/diagrams";

/// Every Markdown file below these folders that has a diagram: the generated documents, and those the tests hold.
const DOCUMENTS: &[&str] = &["docs", "compiler/emit/tests/emit/documents"];

/// Parses all of them.
pub(crate) fn parse() -> anyhow::Result<()> {
    let packages = node::packages("diagrams-node", FROM)?;
    let script = packages.join("parse.js");
    fs::copy(Path::new(FROM).join("parse.js"), &script)?;
    let mut files = Vec::new();
    for folder in DOCUMENTS {
        with_diagrams(Path::new(folder), &mut files)?;
    }
    if files.is_empty() {
        bail!("no document has a diagram");
    }
    run(Command::new("node").arg(script).args(files))
        .context("a diagram cannot be parsed by Mermaid")
}

fn with_diagrams(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            with_diagrams(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "md")
            && fs::read_to_string(&path)?.contains("\n```mermaid\n")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}
