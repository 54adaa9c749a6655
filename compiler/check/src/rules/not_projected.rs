//! Fields a pattern needs that its index does not hold.

use tablewright_model::model::{IndexKind, Projection};
use tablewright_plan::holds_attribute;

use crate::asked::{Asked, Origin};
use crate::projected::needed;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "not-projected",
    code: "R09",
    severity: Warning,
    group: Reads,
    summary: "fields a pattern needs that its index does not project",
    why: "An index holds the keys and what it projects. Other fields are simply absent from the answer of a global index: code reads
them as empty, and a filter on them drops every item. For a local index the library asks DynamoDB to fetch each item from the table, which costs
a read of every one, of the whole item and in blocks of 4 KB each; a request by hand asks for no such thing, and comes back without.

Of a versioned entity no whole item is read without `data_version` and `last_write`: the library refuses what does not say its version.

Project the fields, or ask only for those the index holds with `fields`. The key attributes of table and index are always there; a field
inside a key template is not an attribute of its own.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for asked in context.queries() {
        let table = context.model.table(asked.place.table);
        let Some(index) = asked.place.index.map(|index| table.index(index)) else {
            continue;
        };
        let mut missing: Vec<&str> = Vec::new();
        for entity in asked.entities {
            for name in needed(context, &asked, *entity) {
                if !holds_attribute(table, index, name) && !missing.contains(&name) {
                    missing.push(name);
                }
            }
        }
        let Some(first) = missing.first() else {
            continue;
        };
        let access = asked.access;
        let named = access
            .fields
            .iter()
            .find(|field| field.written.value == *first);
        let effect = match (index.kind, &asked.origin) {
            (IndexKind::Local, Origin::Planned(_)) => "every item is fetched from the table for",
            _ => "it comes back without",
        };
        let quoted: Vec<String> = missing.iter().map(|name| format!("\"{name}\"")).collect();
        let mut diagnostic = RULE
            .at(
                named.map_or(access.name.span, |field| field.written.content()),
                format!(
                    "`{}` reads `{}`, which does not project all it needs: {effect} {}",
                    access.name,
                    index.name,
                    listed(&missing)
                ),
            )
            .label("needs more than the index holds")
            .related(index.name.content(), "the index");
        diagnostic = match &index.projection {
            Projection::Fields(fields) => {
                let all: Vec<String> = fields
                    .iter()
                    .map(|field| format!("\"{field}\""))
                    .chain(quoted.clone())
                    .collect();
                let diagnostic = diagnostic.help(format!(
                    "project it: projection = [{}]; or name in `fields` what is there",
                    all.join(", ")
                ));
                match fields.last() {
                    Some(last) => {
                        let end = tablewright_model::Span::new(last.span.end, last.span.end);
                        diagnostic.fix(
                            "project what is needed",
                            end,
                            format!(", {}", quoted.join(", ")),
                        )
                    }
                    None => diagnostic,
                }
            }
            _ => diagnostic.help(format!(
                "project it: projection = [{}], or \"all\"; or name in `fields` what is there",
                quoted.join(", ")
            )),
        };
        found.report(
            &[Subject::Access(asked.position), index_subject(&asked)],
            diagnostic,
        );
    }
}

fn index_subject(asked: &Asked<'_>) -> Subject {
    let index = asked.place.index.map_or(0, |index| index.0);
    Subject::Index(asked.place.table.0, index)
}

/// Up to four names; more are counted.
fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(4)
        .map(|name| format!("`{name}`"))
        .collect();
    match names.len() {
        0..=4 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), more - 4),
    }
}
