//! What contributors and CI run: `cargo xtask test` is everything, in the order in which it fails fastest.
#![allow(clippy::print_stdout, reason = "a command line tool speaks to people")]

mod ask;
mod compat;
mod deny;
mod diagrams;
mod full_mailbox;
mod generate;
mod infrastructure;
mod lake;
mod node;
mod program;
mod proofs;
mod python;
mod server;
mod tasks;
mod todo;
mod typescript;
mod up;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};

const HELP: &str = "\
cargo xtask test              everything CI runs
cargo xtask generate          write the generated files: the JSON Schema, the pages of the rules, docs/document-000-patterns.md,
                              the capacity the CDK library assumes
cargo xtask generate --check  verify that they are up to date
cargo xtask diagrams          every diagram of the documents, parsed by Mermaid
cargo xtask clients           boto3, the AWS command line and the examples of docs/local.md against `tablewright local`
cargo xtask infrastructure    the CDK library and its tests, and cfn-lint on every template, see docs/infrastructure.md
cargo xtask typescript        the TypeScript types of the models against what the services produce, and back
cargo xtask todo              the To-Do API against its own description, and its page in a browser
cargo xtask tasks             the task manager, likewise
cargo xtask ask               Ask-a-Human against its own description, as an agent, a person and an admin, and its clients
cargo xtask ask --bless       the same, and the types of the client in TypeScript are written
cargo xtask up                `tablewright up`, started, used, killed, started again
cargo xtask lake              a lake read by DuckDB and pyarrow, in a folder and in a bucket, see docs/lake.md
cargo xtask soak              all services under load and faults for a minute, then every invariant, see CONTRIBUTING.md
cargo xtask soak --minutes 10 --seed 7   for so long, with the faults of that seed
cargo xtask compat            the suite of the library against dynalite and moto, see docs/compatibility.md
cargo xtask compat NAME       against one of them
cargo xtask proofs            every model proved again, and compared with the proof that is kept
cargo xtask deny              the licences of dependencies, where they come from, and what is known of their faults
cargo xtask bench             the benchmarks, as ratios
cargo xtask bench --full      the same with a table of a million items; `cargo xtask bench help` lists them
cargo xtask bench peers       beside other clients, a service in Python, and DuckDB";

fn main() -> anyhow::Result<()> {
    std::env::set_current_dir(root())?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test"] => test(),
        ["generate"] => generate::run(false),
        ["generate", "--check"] => generate::run(true),
        ["diagrams"] => diagrams::parse(),
        ["clients"] => {
            cargo(&["build", "--workspace"], &[])?;
            python::clients()
        }
        ["infrastructure"] => infrastructure::verify(),
        ["typescript"] => {
            let programs = ["todo", "tasks", "ask", "shapes"];
            let programs = programs.iter().flat_map(|name| ["--package", name]);
            let words: Vec<&str> = ["build"].into_iter().chain(programs).collect();
            cargo(&words, &[])?;
            typescript::check()
        }
        ["proofs"] => step("proofs", proofs::hold),
        ["deny"] => deny::deny(),
        ["todo"] => {
            cargo(&["build", "--package", "todo"], &[])?;
            step("the To-Do API as it is described", todo::described_api)?;
            step("the page of the To-Do API", todo::page)?;
            step("signing in at an issuer", todo::sign_in)
        }
        ["tasks"] => {
            cargo(&["build", "--package", "tasks"], &[])?;
            step("the task manager as it is described", tasks::described_api)?;
            step("the page of the task manager", tasks::page)?;
            step("signing in to it at an issuer", tasks::sign_in)?;
            step("the mails of the task manager", tasks::mail)
        }
        ["ask", bless @ ..] if bless.is_empty() || bless == ["--bless"] => {
            cargo(&["build", "--package", "ask"], &[])?;
            step("the client in TypeScript", || {
                ask::typescript(!bless.is_empty())
            })?;
            step("the client in Python", ask::python)?;
            step("the pages of Ask-a-Human", ask::page)?;
            step("a browser that is notified", ask::notified)?;
            ask_as_described()
        }
        ["up"] => {
            cargo(&["build", "--workspace"], &[])?;
            step("everything with one command", up::together)
        }
        ["lake"] => {
            cargo(
                &["build", "--package", "tablewright-lake", "--examples"],
                &[],
            )?;
            step("a lake, read by DuckDB and pyarrow", lake::read_by_others)?;
            step("a lake in a bucket", lake::in_a_bucket)
        }
        ["soak", how @ ..] => soak(how),
        ["compat"] => compat::run(compat::ALL),
        ["compat", "help" | "--help" | "-h"] => {
            println!("{}", compat::HELP);
            Ok(())
        }
        ["compat", name] => compat::run(&[compat::Other::named(name)?]),
        ["bench", which @ ..] => bench(which),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        other => bail!("there is no task `{}`\n\n{HELP}", other.join(" ")),
    }
}

/// The workspace, wherever the command was started.
fn root() -> std::path::PathBuf {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

fn test() -> anyhow::Result<()> {
    // One selection of packages and features for all steps: nothing is compiled twice.
    cargo(&["fmt", "--all", "--check"], &[])?;
    step("rustfmt of the rules", rules_are_formatted)?;
    cargo(
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
        &[],
    )?;
    cargo(&["test", "--workspace"], &[])?;
    // The programs that no test needs. With `--tests` they have what is compiled already.
    cargo(&["build", "--workspace", "--bins", "--tests"], &[])?;
    cargo(
        &["doc", "--workspace", "--no-deps"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    step("generated files", || generate::run(true))?;
    step("check of the models", || tablewright(&["check"]))?;
    step("form of the models", || tablewright(&["fmt", "--check"]))?;
    step("clients of `tablewright local`", python::clients)?;
    step("what is generated from the models", || {
        tablewright(&["generate", "--check"])
    })?;
    step("infrastructure", infrastructure::verify)?;
    step("types in TypeScript", typescript::check)?;
    step("the To-Do API as it is described", todo::described_api)?;
    step("the page of the To-Do API", todo::page)?;
    step("signing in at an issuer", todo::sign_in)?;
    step("the task manager as it is described", tasks::described_api)?;
    step("the page of the task manager", tasks::page)?;
    step(
        "signing in to the task manager at an issuer",
        tasks::sign_in,
    )?;
    step("the mails of the task manager", tasks::mail)?;
    step("everything with one command", up::together)?;
    step("the client in TypeScript", || ask::typescript(false))?;
    step("the client in Python", ask::python)?;
    step("the pages of Ask-a-Human", ask::page)?;
    step("a browser that is notified", ask::notified)?;
    ask_as_described()?;
    step("a lake, read by DuckDB and pyarrow", lake::read_by_others)?;
    step("a lake in a bucket", lake::in_a_bucket)?;
    step("proofs", proofs::hold)?;
    step("diagrams", diagrams::parse)?;
    step("licences and sources of dependencies", deny::deny)?;
    println!("everything passed");
    Ok(())
}

fn ask_as_described() -> anyhow::Result<()> {
    step(
        "Ask-a-Human as it is described to agents",
        ask::described_to_agents,
    )?;
    step(
        "Ask-a-Human as it is described to people",
        ask::described_to_people,
    )?;
    step(
        "Ask-a-Human as it is described to admins",
        ask::described_to_admins,
    )
}

/// The modules of the rules are declared by a macro, where `cargo fmt` does not look.
fn rules_are_formatted() -> anyhow::Result<()> {
    let mut files = Vec::new();
    let mut folders = vec![std::path::PathBuf::from("compiler/check/src/rules")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let status = Command::new("rustfmt")
        .args(["--edition", "2024", "--check"])
        .args(files)
        .status()
        .context("rustfmt could not be started")?;
    if !status.success() {
        bail!("run `rustfmt --edition 2024` on compiler/check/src/rules");
    }
    Ok(())
}

/// The command, which has been built.
fn tablewright(arguments: &[&str]) -> anyhow::Result<()> {
    let program = python::target().join("debug/tablewright");
    python::run(Command::new(program).args(arguments))
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> anyhow::Result<()> {
    step(&format!("cargo {}", arguments.join(" ")), || {
        let status = Command::new(env!("CARGO"))
            .args(arguments)
            .envs(environment.iter().copied())
            .status()
            .context("cargo could not be started")?;
        if !status.success() {
            bail!("cargo {} failed", arguments.join(" "));
        }
        Ok(())
    })
}

fn bench(which: &[&str]) -> anyhow::Result<()> {
    let mut words = vec![
        "run",
        "--profile",
        "dist",
        "--package",
        "tablewright-bench",
        "--",
    ];
    words.extend(which);
    if !matches!(which, [] | ["--full"] | ["peers"]) {
        return cargo(&words, &[]);
    }
    node::install_in(Path::new("bench/peers"))?;
    let python = python::environment("peers-python", "bench/peers/requirements.txt")?;
    let python = python.to_str().context("a folder that is text")?;
    cargo(&words, &[("TABLEWRIGHT_PEERS_PYTHON", python)])
}

/// Builds the services and what loads them, and runs it. How it ends is how this ends.
fn soak(how: &[&str]) -> anyhow::Result<()> {
    let packages = ["todo", "tasks", "ask", "tablewright-soak"];
    let packages = packages.iter().flat_map(|package| ["--package", package]);
    let words: Vec<&str> = ["build"].into_iter().chain(packages).collect();
    cargo(&words, &[])?;
    let program = python::target().join("debug/tablewright-soak");
    let status = Command::new(program).args(how).status()?;
    match status.code() {
        Some(0) => Ok(()),
        code => std::process::exit(code.unwrap_or(1)),
    }
}

/// Runs a step and says how long it took.
fn step(name: &str, run: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
    println!("\n── {name}");
    let start = Instant::now();
    run()?;
    println!("   {:.1} s", start.elapsed().as_secs_f32());
    Ok(())
}
