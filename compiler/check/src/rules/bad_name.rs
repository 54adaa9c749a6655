//! Names DynamoDB refuses, and two things in one attribute.

mod key_attributes;
mod shared_attributes;

use tablewright_model::model::{Index, Table};
use tablewright_model::{Diagnostic, Span, Text};

use crate::rule::rule;
use crate::{Context, Found, Subject};

/// The longest name of a table, an index or a key attribute.
const LONGEST: usize = 255;

rule! {
    name: "bad-name",
    code: "O04",
    severity: Error,
    group: Operation,
    summary: "a name DynamoDB refuses, or two things stored in one attribute",
    why: "A table or an index with a wrong name is refused when it is deployed. Worse is a field with the name of a key, type or version
attribute: both are written into the same attribute of the item, the last one wins, and the item is found under the wrong key or
read as the wrong entity.

Table and index names have 3 to 255 letters, digits, `_`, `-` and `.`. Name key attributes as no field is named (`PK`, `GSI1SK`);
only a key that is nothing but the field itself shares its attribute.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, table) in context.model.tables.iter().enumerate() {
        let subject = [Subject::Table(position)];
        for diagnostic in refused_name(&table.name, "table")
            .into_iter()
            .chain(attribute_names(table))
            .chain(key_attributes::taken_by_the_type(table))
        {
            found.report(&subject, diagnostic);
        }
        for (number, index) in table.indexes.iter().enumerate() {
            let subjects = [Subject::Table(position), Subject::Index(position, number)];
            let diagnostics = refused_name(&index.name, "index")
                .into_iter()
                .chain(twice_in_index(index));
            diagnostics.for_each(|diagnostic| found.report(&subjects, diagnostic));
        }
    }
    for (id, entity) in context.model.entity_ids() {
        for field in &entity.fields {
            let diagnostic = refused_attribute(field.name.as_str(), field.name.span);
            diagnostic
                .into_iter()
                .for_each(|diagnostic| found.report(&[Subject::Entity(id.0)], diagnostic));
        }
        for diagnostic in shared_attributes::of(context, id, entity) {
            found.report(&[Subject::Entity(id.0)], diagnostic);
        }
    }
}

fn refused_name(name: &Text, what: &str) -> Option<Diagnostic> {
    let text = name.as_str();
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let wrong = match text.chars().find(|c| !fine(*c)) {
        Some(' ') => "it has a space".to_owned(),
        Some(c) => format!("it has a `{c}`"),
        None if text.len() < 3 => "it is shorter than 3 characters".to_owned(),
        None if text.len() > LONGEST => "it is longer than 255 characters".to_owned(),
        None => return None,
    };
    Some(
        RULE.at(
            name.span,
            format!("DynamoDB refuses the {what} `{text}`: {wrong}"),
        )
        .label("cannot be created")
        .help("use 3 to 255 letters, digits, `_`, `-` and `.`"),
    )
}

fn refused_attribute(name: &str, span: Span) -> Option<Diagnostic> {
    if (1..=LONGEST).contains(&name.len()) {
        return None;
    }
    let message = format!(
        "an attribute has a name of 1 to 255 bytes, and this one has {}",
        name.len()
    );
    Some(
        RULE.at(span, message)
            .help("give it a short name, such as PK, SK or Type"),
    )
}

/// Names of a table's own attributes that are empty or too long, each once.
fn attribute_names(table: &Table) -> Vec<Diagnostic> {
    let keys = std::iter::once(&table.partition_key).chain(&table.sort_key);
    let indexes = table.indexes.iter();
    let of_indexes =
        indexes.flat_map(|index| std::iter::once(&index.partition_key).chain(&index.sort_key));
    let keys = keys
        .chain(of_indexes)
        .map(|key| (key.name.as_str(), key.written.span));
    let others = table.type_attribute.iter().chain(&table.ttl);
    let others = others.map(|text| (text.as_str(), text.span));
    let mut refused: Vec<Diagnostic> = keys
        .chain(others)
        .filter_map(|(name, span)| refused_attribute(name, span))
        .collect();
    refused.dedup_by_key(|diagnostic| diagnostic.span);
    refused
}

fn twice_in_index(index: &Index) -> Option<Diagnostic> {
    let sort = index
        .sort_key
        .as_ref()
        .filter(|sort| sort.name == index.partition_key.name)?;
    Some(
        RULE.at(
            sort.written.span,
            format!(
                "`{}` is both keys of {}: DynamoDB refuses the index",
                sort.name, index.name
            ),
        )
        .label("the partition key already")
        .help("name another attribute, or leave the sort key out: sort_key = false"),
    )
}
