//! One key attribute that is to hold two types.

mod fields;

use std::collections::HashMap;

use tablewright_model::model::{KeyAttribute, KeyKind, Layout, Table};

use crate::key_space::TextAttributes;
use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyUse, Subject};

rule! {
    name: "key-type-conflict",
    code: "K22",
    severity: Error,
    group: Keys,
    summary: "a key attribute that would hold two types",
    why: "Each key attribute of a table has one type, also across its indexes, and DynamoDB refuses an item that holds
another type there, even when the item is not meant to be in that index. A text written to a number key fails every
write; a number written to a text key fails as soon as one entity means it as a number.

Give the attribute one type and every entity a template of that type: text with a prefix, or the bare number. A field
with the name of a key attribute has its type, too: declare `created_at: number`, or rename one of them.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, table) in context.model.tables.iter().enumerate() {
        attributes_of_two_types(position, table, found);
    }
    for (id, entity) in context.model.entity_ids() {
        let wrapped = entity
            .versioned
            .as_ref()
            .is_some_and(|versioned| versioned.layout == Layout::Wrapped);
        if !wrapped {
            fields::check(context, id, found);
        }
    }
    let text = TextAttributes::of(context);
    for key in context.written_keys() {
        let own_field = context
            .model
            .entity(key.entity)
            .field_named(&key.attribute.name);
        if own_field.is_none() || matches!(key.place, KeyPlace::Guard(_)) {
            template_of_another_type(context, key, &text, found);
        }
    }
}

fn attributes(table: &Table) -> impl Iterator<Item = &KeyAttribute> {
    let indexes = table
        .indexes
        .iter()
        .flat_map(|index| std::iter::once(&index.partition_key).chain(&index.sort_key));
    std::iter::once(&table.partition_key)
        .chain(&table.sort_key)
        .chain(indexes)
}

fn letter(kind: &KeyKind) -> Option<&'static str> {
    match kind {
        KeyKind::String => Some("S"),
        KeyKind::Number => Some("N"),
        KeyKind::Binary => Some("B"),
        KeyKind::Refused(_) => None,
    }
}

fn word(letter: &str) -> &'static str {
    match letter {
        "S" => "a string",
        "N" => "a number",
        "B" => "binary",
        "BOOL" => "a Boolean",
        _ => "a list, set or map",
    }
}

fn attributes_of_two_types(position: usize, table: &Table, found: &mut Found) {
    let mut first: HashMap<&str, &KeyAttribute> = HashMap::new();
    for attribute in attributes(table) {
        let known = *first.entry(&attribute.name).or_insert(attribute);
        let (Some(own), Some(other)) = (letter(&attribute.kind), letter(&known.kind)) else {
            continue;
        };
        if own != other {
            let diagnostic = RULE
                .at(
                    attribute.written.content(),
                    format!(
                        "`{}` is {} here and {} elsewhere in the table",
                        attribute.name,
                        word(own),
                        word(other)
                    ),
                )
                .related(known.written.content(), format!("{} here", word(other)))
                .help("give it one type, or name another attribute");
            found.report(&[Subject::Table(position)], diagnostic);
        }
    }
}

fn template_of_another_type<'m>(
    context: &Context<'m>,
    key: &KeyUse<'m>,
    text: &TextAttributes<'m>,
    found: &mut Found,
) {
    let bare = key
        .template
        .bare_field()
        .map(|field| context.field(key.entity, field).kind());
    let attribute = &key.attribute.name;
    let (message, help) = match (&key.attribute.kind, letter(&key.attribute.kind)) {
        (KeyKind::Number | KeyKind::Binary, Some(wanted)) => {
            if bare.is_some_and(|kind| {
                kind.stored_as() == wanted || !matches!(kind.stored_as(), "S" | "N" | "B")
            }) {
                return;
            }
            let fields = key.template.field_parts().map(|(_, id, _)| context.field(key.entity, id));
            let own = fields.into_iter().find(|field| field.kind().stored_as() == wanted).map(|field| &field.name);
            (
                format!(
                    "`{attribute}` is {}, and {} gives text for it",
                    word(wanted),
                    context.name_of(key)
                ),
                match own {
                    Some(field) => format!("write \"{{{field}}}\", or make the attribute a string: \"{attribute}\""),
                    None => format!("make the attribute a string: \"{attribute}\""),
                },
            )
        }
        (KeyKind::String, _) if text.clash_with(context, key) => (
            format!(
                "{} puts a bare number into `{attribute}`, where another key puts text",
                context.name_of(key)
            ),
            "begin it with a text and pad the number, or keep it in an index of its own, with a number as its key".to_owned(),
        ),
        _ => return,
    };
    let diagnostic = RULE
        .at(key.template.written.content(), message)
        .label("of another type")
        .related(key.attribute.written.content(), "the attribute")
        .help(help);
    found.report(&context.subjects_of(key), diagnostic);
}
