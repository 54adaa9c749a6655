//! The pages of the rules, generated from the rules themselves.

use std::fmt::Write as _;

use crate::rule::{Group, Rule};
use crate::rules::RULES;

/// The page of one rule: what it finds, why it hurts, a model that trips it with the finding, and a near miss.
pub fn page(rule: &Rule) -> String {
    format!(
        "# {name}\n\n\
        `{code}`, {severity}. {group}.\n\n\
        {summary}.\n\n\
        ## Why\n\n{why}\n\n\
        ## Found\n\n```toml\n{trips}```\n\n```text\n{rendered}```\n\n\
        ## Not found\n\n```toml\n{passes}```\n\n\
        ## Where it is right\n\n\
        Silence it in one place, with the reason: `allow = {{ {name} = \"why it is right here\" }}`.\n",
        name = rule.name,
        code = rule.code,
        severity = rule.severity.as_str(),
        group = rule.group,
        summary = capitalised(rule.summary),
        why = rule.why,
        trips = rule.trips,
        rendered = format_args!("{}\n", rule.rendered.trim_end()),
        passes = rule.passes,
    )
}

/// The list of all rules, by group.
pub fn index() -> String {
    let mut text = String::from(
        "# The rules\n\n\
        What a person gets wrong in a DynamoDB model, and a program can find. `tablewright explain NAME` shows a page in the terminal.\n\n\
        An **error** cannot work or loses data; a **warning** works and will hurt; a **note** is worth knowing.\n",
    );
    for group in [
        Group::Keys,
        Group::Reads,
        Group::Indexes,
        Group::Writes,
        Group::Operation,
    ] {
        let _ = write!(
            text,
            "\n## {group}\n\n| code | rule | finds | severity |\n|---|---|---|---|\n"
        );
        for rule in RULES.iter().filter(|rule| rule.group == group) {
            let _ = writeln!(
                text,
                "| {} | [{name}]({name}.md) | {} | {} |",
                rule.code,
                rule.summary.replace('|', "\\|"),
                rule.severity.as_str(),
                name = rule.name,
            );
        }
    }
    text
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
