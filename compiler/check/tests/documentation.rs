//! Every TOML block of the documentation is run: it is clean, or it gives just the finding it announces.
//!
//! A block that is a piece of a larger file is completed with a model and a table `app` with two indexes. A block
//! `text finding` behind it holds what people see; `TABLEWRIGHT_BLESS=1 cargo test -p tablewright-check` writes it anew.

use std::fs;
use std::path::Path;

use tablewright_check::check_text;
use tablewright_check::report::{Findings, SourceFile, Style, text};

/// Findings that come from a piece standing alone, not from what it shows.
const OF_PIECES: &[&str] = &["unused-index"];

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
