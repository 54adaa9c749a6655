//! Every TOML block of the documentation is run: it is clean, or it gives just the finding it announces.
//!
//! A block that is a piece of a larger file is completed with a model and a table `app` with two indexes.

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

struct Block {
    /// What stands behind the word `toml`.
    info: String,
    text: String,
    line: usize,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in markdown.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block {
                    info: info.to_owned(),
                    text: String::new(),
                    line: number + 1,
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks.retain(|block| block.info.split_whitespace().next() == Some("toml"));
    blocks
}

fn completed(block: &str) -> String {
    if block.contains("[model]") {
        return block.to_owned();
    }
    let table = if block.contains("[table.") { "" } else { TABLE };
    format!("{HEAD}{table}{block}")
}

fn run(page: &str, least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(page);
    let markdown = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let blocks = blocks(&markdown);
    assert!(blocks.len() >= least, "{page} has {} blocks", blocks.len());
    for block in blocks {
        let model = completed(&block.text);
        let piece = model != block.text;
        let mut findings = check_text(&model);
        findings.retain(|finding| !(piece && OF_PIECES.contains(&finding.rule)));
        let expected = block.info.split_once(" fails ").map(|(_, rules)| rules);
        let mut found: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
        found.sort_unstable();
        found.dedup();
        let mut wanted: Vec<&str> = expected
            .into_iter()
            .flat_map(str::split_whitespace)
            .collect();
        wanted.sort_unstable();
        assert_eq!(
            found,
            wanted,
            "{page}:{}\n{}",
            block.line,
            text::render(
                &Findings::new(SourceFile::new(page, model.clone()), findings.clone()),
                Style::default()
            )
        );
    }
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
