//! For code scanning: [SARIF 2.1.0](https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html), with every rule described and fixes as replacements.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use tablewright_model::{Diagnostic, Fix, Span};

use super::language::fault_named;
use super::{Findings, SourceFile};
use crate::Rule;

/// The run as a SARIF log, indented, with a newline at the end.
///
/// `rules` are all that could have found something. Faults of the language itself are added as they occur.
pub fn render(rules: &[Rule], all: &[Findings]) -> String {
    let mut descriptors: Vec<(&str, Value)> = rules
        .iter()
        .map(|rule| (rule.name, descriptor(rule)))
        .collect();
    let mut results = Vec::new();
    for findings in all {
        for diagnostic in findings.diagnostics() {
            let known = descriptors
                .iter()
                .position(|(name, _)| *name == diagnostic.rule);
            let index = known.unwrap_or_else(|| {
                descriptors.push((diagnostic.rule, language_descriptor(diagnostic)));
                descriptors.len() - 1
            });
            results.push(result(findings.file(), diagnostic, index));
        }
    }
    let rules: Vec<Value> = descriptors.into_iter().map(|(_, rule)| rule).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "tablewright",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.name,
        "shortDescription": { "text": rule.summary },
        "help": { "text": rule.why, "markdown": rule.why },
        "defaultConfiguration": { "level": rule.severity.as_str() },
        "properties": { "code": rule.code, "tags": [rule.group.to_string()] },
    })
}

/// A fault of the language is no rule, but a result has to point at a description.
fn language_descriptor(diagnostic: &Diagnostic) -> Value {
    let summary =
        fault_named(diagnostic.rule).map_or("a fault of the model", |fault| fault.summary);
    json!({
        "id": diagnostic.rule,
        "shortDescription": { "text": summary },
        "defaultConfiguration": { "level": diagnostic.severity.as_str() },
        "properties": { "tags": ["Language"] },
    })
}

fn result(file: &SourceFile, diagnostic: &Diagnostic, rule: usize) -> Value {
    let text = match &diagnostic.help {
        Some(help) => format!("{}\n{help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut result = Map::new();
    result.insert("ruleId".into(), diagnostic.rule.into());
    result.insert("ruleIndex".into(), rule.into());
    // The levels of SARIF have the same three names.
    result.insert("level".into(), diagnostic.severity.as_str().into());
    result.insert("message".into(), json!({ "text": text }));
    let place = location(file, diagnostic.span, &diagnostic.label);
    result.insert("locations".into(), json!([place]));
    if !diagnostic.related.is_empty() {
        let related = diagnostic
            .related
            .iter()
            .map(|related| location(file, related.span, &related.label))
            .collect();
        result.insert("relatedLocations".into(), Value::Array(related));
    }
    if let Some(fix) = &diagnostic.fix {
        result.insert("fixes".into(), json!([fix_value(file, fix)]));
    }
    Value::Object(result)
}

fn location(file: &SourceFile, span: Span, label: &str) -> Value {
    let mut location = json!({
        "physicalLocation": { "artifactLocation": artifact(file), "region": region(file, span) },
    });
    if !label.is_empty() {
        location["message"] = json!({ "text": label });
    }
    location
}

fn fix_value(file: &SourceFile, fix: &Fix) -> Value {
    let replacements: Vec<Value> = fix
        .edits
        .iter()
        .map(|edit| {
            json!({
                "deletedRegion": region(file, edit.span),
                "insertedContent": { "text": edit.text },
            })
        })
        .collect();
    json!({
        "description": { "text": fix.title },
        "artifactChanges": [{ "artifactLocation": artifact(file), "replacements": replacements }],
    })
}

fn region(file: &SourceFile, span: Span) -> Value {
    let (start, end) = file.positions(span);
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

/// A path as a URI: relative to the root of the sources unless it is absolute.
fn artifact(file: &SourceFile) -> Value {
    let mut uri = String::new();
    for byte in file.path().bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    if uri.starts_with('/') {
        json!({ "uri": format!("file://{uri}") })
    } else {
        json!({ "uri": uri, "uriBaseId": "%SRCROOT%" })
    }
}
