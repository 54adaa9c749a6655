//! Holds the TypeScript types of every model against what its services produce: `cargo xtask typescript` runs it.
//!
//! `shapes write FOLDER` writes, for each model, what TypeScript must accept and what it must refuse. All of it comes from the generated
//! Rust types: a value is read as its type and written again, and an item is stored by a repository and read from the table.
//! The samples of NoSQL Workbench are stored by repositories as well, and must be what comes of it.
//! `shapes served FOLDER DATA` does the same with the items that services stored when they were asked over HTTP.
//! `shapes read FILE` reads what TypeScript made of values that people typed there, as the Rust types.
#![allow(clippy::print_stdout, reason = "a command line tool speaks to people")]

mod accepted;
mod known;
mod literal;
mod read;
mod refused;
mod samples;
mod served;
mod stored;
mod values;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use known::{Known, MODELS};
use tablewright_model::Model;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["write", folder] => write(Path::new(folder)).await,
        ["served", folder, data] => served::write(Path::new(folder), Path::new(data)).await,
        ["read", file] => read::read(Path::new(file)),
        _ => bail!("shapes write FOLDER | shapes served FOLDER DATA | shapes read FILE"),
    }
}

/// Writes `<model>.accepted.ts` and `<model>.refused.ts` beside `<model>.ts`.
async fn write(folder: &Path) -> anyhow::Result<()> {
    for (name, source, types) in MODELS {
        let model = model(source)?;
        let known: Vec<Known> = known::all()
            .into_iter()
            .filter(|known| known.model == *name)
            .collect();
        fs::copy(types, folder.join(format!("{name}.ts"))).with_context(|| (*types).to_owned())?;
        samples::are_what_is_stored(name, &model, &known)
            .await
            .with_context(|| format!("the samples of {name}"))?;
        let items = stored::items(&model, &known)
            .await
            .with_context(|| format!("the items of {name}"))?;
        let accepted = accepted::accepted(&model, &known, &items)?;
        let refused = refused::refused(&model, &known, &items)?;
        println!(
            "   {name}: {} accepted, {} refused",
            accepted.matches("const ").count(),
            refused.matches("const ").count()
        );
        let import = format!(
            "import type * as {} from \"./{name}.js\";\n\n",
            literal::MODULE
        );
        fs::write(
            folder.join(format!("{name}.accepted.ts")),
            format!("{import}{accepted}"),
        )?;
        fs::write(
            folder.join(format!("{name}.refused.ts")),
            format!("{import}{refused}"),
        )?;
    }
    Ok(())
}

/// The model of a file of this repository.
fn model(source: &str) -> anyhow::Result<Model> {
    let text = fs::read_to_string(source).with_context(|| source.to_owned())?;
    match tablewright_model::parse(&text) {
        Ok(model) => Ok(model),
        Err(faults) => bail!("{source}: {}", faults[0].message),
    }
}
