//! Changes into a lake, and the same Parquet as DuckDB writes it: both read the changes as lines of JSON.

use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use tablewright::Store;
use tablewright_lake::{Lake, LakeModel, LakeOptions, Place, Reader};
use tablewright_local::Engine;
use tablewright_stream::Record;
use todo::model::{SCHEMA, Todo};

use super::{LAKE, median, python, told, version_in_python};
use crate::{fresh, lake, processor};

const CHANGES: usize = 300_000;
const ROUNDS: usize = 3;

/// How many changes come at once.
const TOGETHER: usize = 10_000;

/// What a side took, in seconds and megabytes, and how many items it found to be there.
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    bronze: f64,
    silver: f64,
    rows: usize,
    processor: f64,
    memory: u64,
}

pub(super) fn run() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let changes = folder.path().join("changes.ndjson");
    write_changes(&changes)?;
    println!("## The lake\n");
    println!(
        "{CHANGES} changes of tasks, from lines of JSON into Parquet with Snappy; medians of {ROUNDS} turns\n"
    );
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let place = folder.path().join(format!("ours-{round}"));
        let mut mine = Command::new(std::env::current_exe()?);
        ours.push(told::<Written>(mine.arg(LAKE).arg(&changes).arg(&place))?);
        let place = folder.path().join(format!("theirs-{round}"));
        std::fs::create_dir(&place)?;
        let mut duckdb = Command::new(python()?);
        duckdb.arg("bench/peers/duckdb_lake.py");
        theirs.push(told::<Written>(duckdb.arg(&changes).arg(&place))?);
    }
    println!("| | bronze, changes a second | silver, changes a second | processor time | memory |");
    println!("|---|--:|--:|--:|--:|");
    let duckdb = format!("DuckDB {}", version_in_python("duckdb")?);
    for (title, written) in [("the lake", &ours), (duckdb.as_str(), &theirs)] {
        let of = |value: fn(&Written) -> f64| median(written.iter().map(value).collect());
        println!(
            "| {title} | {:.0} | {:.0} | {:.1} s | {:.0} MB |",
            CHANGES as f64 / of(|written| written.bronze),
            CHANGES as f64 / of(|written| written.silver),
            of(|written| written.processor),
            of(|written| written.memory as f64)
        );
    }
    let rows = |written: &[Written]| written.first().map(|written| written.rows);
    ensure!(
        rows(&ours) == rows(&theirs),
        "they do not find the same items: {ours:?} {theirs:?}"
    );
    let time = |written: &[Written]| {
        median(
            written
                .iter()
                .map(|written| written.bronze + written.silver)
                .collect(),
        )
    };
    println!(
        "\nthe lake takes {:.2} times as long as DuckDB\n",
        time(&ours) / time(&theirs)
    );
    Ok(())
}

fn write_changes(path: &Path) -> anyhow::Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    for number in 0..CHANGES {
        writeln!(file, "{}", lake::change(number))?;
    }
    file.flush()?;
    Ok(())
}

/// The lake's side, as a process of its own.
pub(super) async fn write(arguments: &[&str]) -> anyhow::Result<()> {
    let [changes, folder] = arguments else {
        bail!("a lake is told the file with the changes and its folder");
    };
    let store = Store::new(Engine::temporary()?.dynamodb());
    Todo::new(&store).create_tables().await?;
    let place = Place::folder(folder)?;
    let lake = Lake::open(&place, LakeModel::new(&SCHEMA), LakeOptions::default()).await?;
    lake.update(&store).await?;
    let shard = lake::shard(&store).await?;
    let mut lines = BufReader::new(std::fs::File::open(changes)?).lines();
    let begun = Instant::now();
    loop {
        let records = read(&mut lines)?;
        if records.is_empty() {
            break;
        }
        lake.append(&shard, &records).await?;
    }
    let bronze = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    lake.update(&store).await?;
    let silver = begun.elapsed().as_secs_f64();
    let mut rows = 0;
    let reader = Reader::open(&place, &SCHEMA.name)?;
    reader.items::<todo::model::Task>(|_| rows += 1).await?;
    let memory = fresh::peak_kilobytes().context("the memory of this process is not known")? / 1024;
    let written = Written {
        bronze,
        silver,
        rows,
        processor: processor::time()?.as_secs_f64(),
        memory,
    };
    println!("{}", serde_json::to_string(&written)?);
    Ok(())
}

/// The next of them.
fn read(
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
) -> anyhow::Result<Vec<Arc<Record>>> {
    lines
        .take(TOGETHER)
        .map(|line| lake::record(&serde_json::from_str(&line?)?))
        .collect()
}
