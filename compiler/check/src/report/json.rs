//! For programs: a stable list. Lines and columns count from 1, columns in characters; an end is one past the last character.
//!
//! ```json
//! {"diagnostics": [{"rule": "open-prefix", "severity": "error", "message": "…", "help": "…", "file": "models/todo.toml",
//!   "line": 7, "column": 12, "end_line": 7, "end_column": 20,
//!   "fix": {"title": "close the prefix", "edits": [{"line": 7, "column": 19, "end_line": 7, "end_column": 19, "text": "#"}]}}]}
//! ```
//!
//! `help` is `null` where there is none; `fix` is there only when the finding can be mended mechanically. Findings stand in the order
//! of the files as they were given, then of their text.

use serde::Serialize;
use tablewright_model::{Diagnostic, Edit, Fix, Span};

use super::{Findings, SourceFile};

#[derive(Serialize)]
struct Document<'a> {
    diagnostics: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    rule: &'a str,
    severity: &'a str,
    message: &'a str,
    help: Option<&'a str>,
    file: &'a str,
    #[serde(flatten)]
    region: Region,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<FixEntry<'a>>,
}

#[derive(Serialize)]
struct FixEntry<'a> {
    title: &'a str,
    edits: Vec<EditEntry<'a>>,
}

#[derive(Serialize)]
struct EditEntry<'a> {
    #[serde(flatten)]
    region: Region,
    text: &'a str,
}

#[derive(Serialize)]
struct Region {
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

/// The findings of all files as one JSON document, indented, with a newline at the end.
pub fn render(all: &[Findings]) -> String {
    let document = Document {
        diagnostics: all
            .iter()
            .flat_map(|findings| {
                let entries = findings.diagnostics().iter();
                entries.map(|diagnostic| entry(findings.file(), diagnostic))
            })
            .collect(),
    };
    let mut text =
        serde_json::to_string_pretty(&document).expect("strings and numbers are always JSON");
    text.push('\n');
    text
}

fn entry<'a>(file: &'a SourceFile, diagnostic: &'a Diagnostic) -> Entry<'a> {
    Entry {
        rule: diagnostic.rule,
        severity: diagnostic.severity.as_str(),
        message: &diagnostic.message,
        help: diagnostic.help.as_deref(),
        file: file.path(),
        region: region(file, diagnostic.span),
        fix: diagnostic.fix.as_ref().map(|fix| fix_entry(file, fix)),
    }
}

fn fix_entry<'a>(file: &SourceFile, fix: &'a Fix) -> FixEntry<'a> {
    let edit_entry = |edit: &'a Edit| EditEntry {
        region: region(file, edit.span),
        text: &edit.text,
    };
    FixEntry {
        title: &fix.title,
        edits: fix.edits.iter().map(edit_entry).collect(),
    }
}

fn region(file: &SourceFile, span: Span) -> Region {
    let (start, end) = file.positions(span);
    Region {
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
    }
}
