//! `tablewright explain`: what a rule finds, why it hurts, a model that has it and one that has not.

use tablewright_check::report::language::{FAULTS, Fault, fault_named};
use tablewright_check::report::{Findings, SourceFile, text};
use tablewright_check::{RULES, Rule, check_text};
use tablewright_model::suggest;

use crate::Outcome;
use crate::arguments::ExplainArguments;
use crate::error::Failure;
use crate::output::Output;

pub(crate) fn run(arguments: &ExplainArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let answer = match &arguments.rule {
        Some(name) => match (find(name), fault_named(name)) {
            (Some(rule), _) => explain(rule, output),
            (None, Some(fault)) => explain_fault(fault, output),
            (None, None) => return Err(no_such_rule(name)),
        },
        None => list(output),
    };
    output.print(&answer)?;
    Ok(Outcome::Clean)
}

/// A rule by its name or its code.
fn find(name: &str) -> Option<&'static Rule> {
    RULES
        .iter()
        .find(|rule| rule.name == name || rule.code.eq_ignore_ascii_case(name))
}

fn no_such_rule(name: &str) -> Failure {
    let names = RULES.iter().map(|rule| rule.name);
    let names = names.chain(FAULTS.iter().map(|fault| fault.name));
    Failure::NoSuchRule {
        name: name.to_owned(),
        near: suggest::nearest(name, names).map(str::to_owned),
    }
}

fn explain_fault(fault: &Fault, output: &Output) -> String {
    format!(
        "{}: {}\n\nThis belongs to the language and is no rule: it cannot be allowed. docs/model-language.md says what can be written.\n",
        output.bold(fault.name),
        fault.summary
    )
}

fn explain(rule: &Rule, output: &Output) -> String {
    let file = SourceFile::new("example.toml", rule.trips);
    let mut found = check_text(rule.trips);
    found.retain(|diagnostic| diagnostic.rule == rule.name);
    let rendered = text::render(&Findings::new(file, found), output.style());
    let sections = [
        format!(
            "{} ({}, {}): {}",
            output.bold(rule.name),
            rule.code,
            rule.severity.as_str(),
            rule.summary
        ),
        rule.why.trim().to_owned(),
        output.bold("Bad"),
        indented(rule.trips),
        rendered.trim_end().to_owned(),
        output.bold("Good"),
        indented(rule.passes),
        format!(
            "Where it is meant: allow = {{ {} = \"the reason\" }}\n",
            rule.name
        ),
    ];
    sections.join("\n\n")
}

fn indented(model: &str) -> String {
    let lines: Vec<String> = model
        .trim()
        .lines()
        .map(|line| match line {
            "" => String::new(),
            line => format!("    {line}"),
        })
        .collect();
    lines.join("\n")
}

/// Every rule under its group.
fn list(output: &Output) -> String {
    let width = RULES.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut group = None;
    for rule in RULES {
        if group != Some(rule.group) {
            let gap = if group.is_some() { "\n" } else { "" };
            let title = rule.group.to_string();
            text.push_str(&format!("{gap}{}\n", output.bold(&title)));
            group = Some(rule.group);
        }
        text.push_str(&format!(
            "  {:4} {:width$}  {:7}  {}\n",
            rule.code,
            rule.name,
            rule.severity.as_str(),
            rule.summary
        ));
    }
    text.push_str(&format!("\n{}\n", output.bold("Faults of the language")));
    for fault in FAULTS {
        text.push_str(&format!(
            "       {:width$}           {}\n",
            fault.name, fault.summary
        ));
    }
    text.push_str("\n`tablewright explain RULE` says more about one.\n");
    text
}
