//! Benchmarks of the tools, of the library and of the embedded engine. `cargo xtask bench` runs them; every figure that matters is a ratio of two
//! measurements of the same run.
#![allow(clippy::print_stdout, reason = "a benchmark reports to people")]

mod ask;
mod followed;
mod fresh;
mod growing_table;
mod interleaved;
mod lake;
mod large_model;
mod library;
mod peers;
mod processor;
mod service;
mod streamed_writes;

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use fresh::Work;
use large_model::Layout;
use tablewright_keys::{CharSet, Shape, Template};

const HELP: &str = "\
cargo xtask bench          everything, also beside others; a large table has a hundred thousand items
cargo xtask bench --full   everything; a large table has a million
cargo xtask bench compiler
cargo xtask bench streams
cargo xtask bench follow          consumers of change streams: records a second, lag, idle cost
cargo xtask bench lake            changes into a data lake: how many a second, and the memory of a million
cargo xtask bench library
cargo xtask bench peers           beside the bare SDK, modyne, ElectroDB, DynamoDB-Toolbox, FastAPI and DuckDB; and models as they grow
cargo xtask bench table [--full]
cargo xtask bench ask             Ask-a-Human over HTTP, beside a hundred and a hundred thousand questions and people
cargo xtask bench todo [--full]   the To-Do API over HTTP; in full 200 000 requests for the memory";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [fresh::WORD, work, path] => return fresh::once(work, path),
        [library::WORD, figure] => return library::run_one(figure),
        [service::WORD, figure] => return service::run_one(figure),
        [lake::WORD, figure] => return lake::run_one(figure),
        [ask::WORD, figure] => return ask::run_one(figure),
        [growing_table::WORD, items] => return growing_table::run_one(items),
        [peers::ENDPOINT] => return peers::endpoint(),
        [peers::CLIENT, arguments @ ..] => return peers::client(arguments),
        [peers::SERVICE, arguments @ ..] => return peers::service(arguments),
        [peers::LOAD, arguments @ ..] => return peers::load(arguments),
        [peers::LAKE, arguments @ ..] => return peers::lake(arguments),
        ["help"] => {
            println!("{HELP}");
            return Ok(());
        }
        _ => println!(
            "tablewright {} on {} core(s)\n",
            env!("CARGO_PKG_VERSION"),
            cores()
        ),
    }
    match words.as_slice() {
        [] => everything(growing_table::LARGE),
        ["--full"] => everything(growing_table::FULL),
        ["compiler"] => compiler(),
        ["streams"] => streamed_writes::run(),
        ["follow"] => followed::run(),
        ["lake"] => lake::run(),
        ["library"] => library::run(),
        ["peers"] => {
            peers::run()?;
            growth(Layout::OneTable)
        }
        ["ask"] => ask::run(),
        ["todo"] => service::run(40_000),
        ["todo", "--full"] => service::run(200_000),
        ["table"] => growing_table::run(growing_table::LARGE),
        ["table", "--full"] => growing_table::run(growing_table::FULL),
        other => bail!("there is no benchmark `{}`\n\n{HELP}", other.join(" ")),
    }
}

fn everything(items: usize) -> anyhow::Result<()> {
    compiler()?;
    streamed_writes::run()?;
    followed::run()?;
    lake::run()?;
    library::run()?;
    service::run(if items == growing_table::FULL {
        200_000
    } else {
        40_000
    })?;
    ask::run()?;
    growing_table::run(items)?;
    peers::run()
}

fn compiler() -> anyhow::Result<()> {
    own_models()?;
    algebra();
    growth(Layout::OneTable)?;
    growth(Layout::TablesOfFifty)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The best of several runs: what the work takes, without what else the machine did.
fn best_of(runs: usize, mut work: impl FnMut()) -> Duration {
    let times = (0..runs).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

fn own_models() -> anyhow::Result<()> {
    let mut texts = Vec::new();
    for name in ["todo", "tasks", "ask", "accounts"] {
        let path = format!("{}/../models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).with_context(|| path.clone())?;
        is_clean(&text).context(path)?;
        texts.push(text);
    }
    let parse = best_of(20, || {
        for text in &texts {
            let _ = tablewright_model::parse(text);
        }
    });
    let check = best_of(20, || {
        for text in &texts {
            let _ = tablewright_check::check_text(text);
        }
    });
    println!("the repository's {} models, read and checked", texts.len());
    println!(
        "  {:>8.1} ms, of which reading {:.1} ms (target: under 30 ms)\n",
        ms(check),
        ms(parse)
    );
    Ok(())
}

/// What is wrong with a model costs time of its own; a figure is of one that has no findings.
fn is_clean(text: &str) -> anyhow::Result<()> {
    match tablewright_check::check_text(text).first() {
        Some(finding) => bail!(
            "the model is not clean: {}: {}",
            finding.rule,
            finding.message
        ),
        None => Ok(()),
    }
}

/// Compares two templates of long texts, and two of texts ten times as long.
fn algebra() {
    println!("two templates that differ in their last character, compared");
    let compare = |length: u32| {
        let typed = |text: &str| {
            let shape = Shape::Text {
                chars: CharSet::any(),
                min: 1,
                max: Some(length),
            };
            let template = Template::parse(text).expect("well formed");
            template.typed(|_| Some(shape.clone())).expect("typed")
        };
        let (a, b) = (typed("{a}#{b}#X"), typed("{a}#{b}#Y"));
        best_of(50, || {
            let _ = tablewright_keys::algebra::can_be_equal(&a, &b);
        })
    };
    let (short, long) = (compare(100), compare(1000));
    println!("     100 characters: {:>8.3} ms", ms(short));
    println!("    1000 characters: {:>8.3} ms", ms(long));
    println!("  ratio: {:.1}\n", long.as_secs_f64() / short.as_secs_f64());
}

/// Checks, plans and generates from a large model and from one ten times as large, each in a process of its own, as the command is run.
fn growth(layout: Layout) -> anyhow::Result<()> {
    println!("{layout}");
    for work in Work::ALL {
        // Forty tables with all that belongs to them are more than one template of CloudFormation takes, and a proof is of small models.
        if matches!(work, Work::Generate | Work::Prove) && layout == Layout::TablesOfFifty {
            continue;
        }
        let target = match work {
            Work::Check => " (targets: under 1000 ms and 200 MB, at most 15 times as long)",
            Work::Plan | Work::Generate | Work::Prove => "",
        };
        let mut runs = Vec::new();
        for entities in work.sizes() {
            let text = large_model::text(entities, layout);
            is_clean(&text)?;
            let run = fresh::best_of(work.runs(), work, &text)?;
            println!(
                "  {:<8} {entities:>6} entities, {:>6} patterns: {:>8.1} ms, {:>4} MB",
                work.as_str(),
                3 * entities,
                ms(run.time),
                run.megabytes
            );
            runs.push(run.time.as_secs_f64());
        }
        if let [one, ten] = runs.as_slice() {
            println!("  {:<8} ratio: {:.1}{target}", "", ten / one);
        }
    }
    println!();
    Ok(())
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
