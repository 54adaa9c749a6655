//! Files that are generated and checked in.

mod capacity;
mod document_000;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// Every generated file and its text.
fn files() -> anyhow::Result<BTreeMap<PathBuf, String>> {
    let mut files = BTreeMap::new();
    let docs = Path::new("docs");
    files.insert(
        docs.join("model.schema.json"),
        tablewright_model::schema::json_schema(),
    );
    let rules = docs.join("rules");
    files.insert(rules.join("README.md"), tablewright_check::docs::index());
    for rule in tablewright_check::RULES {
        files.insert(
            rules.join(format!("{}.md", rule.name)),
            tablewright_check::docs::page(rule),
        );
    }
    files.insert(PathBuf::from(document_000::PAGE), document_000::page()?);
    files.insert(PathBuf::from(capacity::FILE), capacity::module());
    Ok(files)
}

/// Writes the files, or verifies them. A page of a rule that is gone is removed, or reported.
pub(crate) fn run(check: bool) -> anyhow::Result<()> {
    let files = files()?;
    let mut outdated = Vec::new();
    for (path, text) in &files {
        if fs::read_to_string(path).is_ok_and(|kept| kept == *text) {
            continue;
        }
        outdated.push(path.clone());
        if !check {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, text)
                .with_context(|| format!("{} could not be written", path.display()))?;
        }
    }
    for entry in fs::read_dir("docs/rules").into_iter().flatten() {
        let path = entry?.path();
        if !files.contains_key(&path) {
            if !check {
                fs::remove_file(&path)?;
            }
            outdated.push(path);
        }
    }
    if check && !outdated.is_empty() {
        let names: Vec<String> = outdated
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        bail!(
            "out of date: {}\nrun `cargo xtask generate` and read the diff",
            names.join(", ")
        );
    }
    for path in outdated {
        println!("{}", path.display());
    }
    Ok(())
}
