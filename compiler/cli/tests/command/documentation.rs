//! The documentation is run. Every TOML block is clean, or gives just the finding it announces; every command line
//! works, and prints what the page says it prints.
//!
//! A block that is a piece of a larger file is completed with a model and a table `app` with two indexes. A block
//! `text finding` behind it holds what people see; `TABLEWRIGHT_BLESS=1 cargo test -p tablewright-cli` writes it anew.

use std::fs;
use std::path::Path;

use crate::sandbox::Sandbox;
use tablewright_check::check_text;
use tablewright_check::report::{Findings, SourceFile, Style, text};

/// Findings that come from a piece standing alone, not from what it shows.
const OF_PIECES: &[&str] = &["unused-index"];

/// A block that is the project file from there on.
const PROJECT_FILE: &str = "text tablewright.toml";

const HEAD: &str = "[model]\nname = \"example\"\n\n";

const TABLE: &str = "\
[table.app]
partition_key = \"PK\"
sort_key      = \"SK\"
type          = \"Type\"
ttl           = \"ttl\"
stream        = \"new-and-old-images\"

[table.app.index]
GSI1 = {}
GSI2 = {}

";

/// A fenced block of a page.
struct Block {
    /// What stands behind the fence.
    info: String,
    text: String,
    /// The line of the fence, from 0.
    line: usize,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    for (line, content) in markdown.lines().enumerate() {
        match (&mut open, content.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block {
                    info: info.to_owned(),
                    text: String::new(),
                    line,
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(content);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// A piece with a model and a table behind it, so that its lines keep their numbers.
fn completed(block: &str) -> String {
    if block.contains("[model]") {
        return block.to_owned();
    }
    let table = if block.contains("[table.") { "" } else { TABLE };
    format!("{block}\n{HEAD}{table}")
}

fn findings(block: &Block) -> Findings {
    let model = completed(&block.text);
    let piece = model != block.text;
    let mut findings = check_text(&model);
    findings.retain(|finding| !(piece && OF_PIECES.contains(&finding.rule)));
    Findings::new(SourceFile::new("model.toml", model), findings)
}

fn run(page: &str, least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(page);
    let markdown = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let mut lines: Vec<String> = markdown.lines().map(ToOwned::to_owned).collect();
    let mut shown = String::new();
    let mut count = 0;
    // From the back, so that a block written anew does not move those still to come.
    let mut stale = Vec::new();
    for block in blocks(&markdown) {
        let mut words = block.info.split_whitespace();
        match (words.next(), words.next()) {
            (Some("toml"), _) => {
                count += 1;
                let findings = findings(&block);
                let mut found: Vec<&str> = findings
                    .diagnostics()
                    .iter()
                    .map(|finding| finding.rule)
                    .collect();
                found.sort_unstable();
                found.dedup();
                let expected = block.info.split_once(" fails ").map(|(_, rules)| rules);
                let mut wanted: Vec<&str> = expected
                    .into_iter()
                    .flat_map(str::split_whitespace)
                    .collect();
                wanted.sort_unstable();
                shown = text::render(
                    &findings,
                    Style {
                        width: 120,
                        ..Style::default()
                    },
                );
                assert_eq!(found, wanted, "{page}:{}\n{shown}", block.line + 1);
            }
            (Some("text"), Some("finding")) if block.text.trim_end() != shown.trim_end() => {
                stale.push((block, shown.clone()))
            }
            _ => {}
        }
    }
    assert!(count >= least, "{page} has {count} blocks");
    if stale.is_empty() {
        return;
    }
    assert!(
        std::env::var_os("TABLEWRIGHT_BLESS").is_some(),
        "{page}:{} is not what people see:\n{}",
        stale[0].0.line + 1,
        stale[0].1
    );
    for (block, shown) in stale.into_iter().rev() {
        let first = block.line + 1;
        let new = shown.trim_end().lines().map(ToOwned::to_owned);
        lines.splice(first..first + block.text.lines().count(), new);
    }
    fs::write(&path, lines.join("\n") + "\n").expect("the page can be written");
}

#[test]
fn the_language_page_is_true() {
    run("docs/model-language.md", 15);
}

#[test]
fn the_guide_is_true() {
    run("docs/guide.md", 10);
}

#[test]
fn the_readme_is_true() {
    run("README.md", 1);
}

/// The model as a file of a project: pieces get the head the guide's example has.
fn as_project_model(block: &str) -> String {
    completed(block).replace("name = \"example\"", "name = \"shop\"")
}

/// `$ tablewright plan shop orders_of_customer` and what it prints: with the model shown before it, or else in the repository.
fn run_sessions(page: &str, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(page);
    let markdown = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let mut model = String::new();
    let mut count = 0;
    for block in blocks(&markdown) {
        if block.info.starts_with("toml") {
            model = as_project_model(&block.text);
            continue;
        }
        let Some((command, printed)) = block
            .text
            .split_once('\n')
            .and_then(|(first, rest)| Some((first.strip_prefix("$ tablewright ")?, rest)))
        else {
            continue;
        };
        count += 1;
        let sandbox = Sandbox::with(&[
            ("tablewright.toml", "models = [\"models/shop.toml\"]\n"),
            ("models/shop.toml", &model),
            ("notes.toml", &model),
        ]);
        let words = command;
        let arguments: Vec<&str> = words.split_whitespace().collect();
        let mut command = sandbox.command(&arguments);
        if model.is_empty() {
            command.current_dir(&root);
        }
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        if std::env::var_os("TABLEWRIGHT_BLESS").is_some() && told.trim_end() != printed.trim_end()
        {
            let page = fs::read_to_string(&path).unwrap();
            let shown = |printed: &str| format!("$ tablewright {words}\n{}", printed.trim_end());
            let page = page.replace(shown(printed).trim_end(), shown(&told).trim_end());
            fs::write(&path, page).unwrap();
            continue;
        }
        assert_eq!(
            told.trim_end(),
            printed.trim_end(),
            "{page}:{}",
            block.line + 1
        );
    }
    assert!(count >= least, "{page} has {count} sessions");
}

/// The lines of `sh` blocks that call the command, in order, in one folder that begins empty.
fn run_commands(page: &str, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let markdown =
        fs::read_to_string(root.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
    let sandbox = Sandbox::new();
    let mut count = 0;
    for block in blocks(&markdown) {
        if block.info == PROJECT_FILE {
            sandbox.write("tablewright.toml", block.text.as_bytes());
        }
        if block.info != "sh" {
            continue;
        }
        for line in block.text.lines() {
            let line = line.split(" #").next().unwrap_or_default().trim();
            let (in_repository, words) = match line.strip_prefix("tablewright ") {
                Some(words) => (false, words),
                None => match line.strip_prefix("cargo run --release -- ") {
                    Some(words) => (true, words),
                    None => continue,
                },
            };
            // It runs until it is stopped: `cargo xtask up` holds it.
            if words == "up" {
                continue;
            }
            // Where the shell puts the output is its own affair.
            let words = words.split(" > ").next().unwrap_or_default();
            let words = words.replace("NAME", "open-prefix");
            let arguments: Vec<&str> = words.split_whitespace().collect();
            let mut command = sandbox.command(&arguments);
            if in_repository {
                command.current_dir(&root);
            }
            let output = command.output().unwrap();
            assert!(
                output.status.success(),
                "{page}: `{line}`\n{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            count += 1;
        }
    }
    assert!(count >= least, "{page} has {count} commands");
}

#[test]
fn the_commands_of_the_readme_work() {
    run_commands("README.md", 7);
    run_sessions("README.md", 1);
}

#[test]
fn the_commands_of_the_guide_work() {
    run_commands("docs/guide.md", 6);
    run_sessions("docs/guide.md", 2);
}

#[test]
fn the_page_of_costs_is_true() {
    run_sessions("docs/costs.md", 2);
}
