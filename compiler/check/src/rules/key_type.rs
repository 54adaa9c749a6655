//! A key of a type DynamoDB does not take.

use tablewright_model::Diagnostic;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{IndexKind, KeyAttribute, KeyKind};
use tablewright_plan::shard_part;

use crate::key_space::{has_key_form, is_natural};
use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole, KeyUse, Subject};

rule! {
    name: "key-type",
    code: "K04",
    severity: Error,
    group: Keys,
    summary: "a key that is neither string nor number",
    why: "Key attributes are strings or numbers. CreateTable refuses a Boolean, a list, a set or a map, and so is an item refused whose key
attribute holds one. Binary keys DynamoDB takes, and Tablewright does not: no code is generated for them, and nothing can be proved of
them. Keep bytes as text, in hexadecimal digits or base64.

For a flag, use an attribute that is there only while the flag is true: the index then holds just those items, which is
what the query wants. A list or a map has no place in a key: make an item of each of its members.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, table) in context.model.tables.iter().enumerate() {
        for attribute in std::iter::once(&table.partition_key).chain(&table.sort_key) {
            refused_attribute(context, &[Subject::Table(position)], attribute, found);
        }
        for (at, index) in table.indexes.iter().enumerate() {
            // A local index shares the table's partition key.
            let partition = (index.kind == IndexKind::Global).then_some(&index.partition_key);
            for attribute in partition.into_iter().chain(&index.sort_key) {
                refused_attribute(context, &[Subject::Index(position, at)], attribute, found);
            }
        }
    }
    for key in context.written_keys() {
        refused_parts(context, key, found);
    }
}

fn refused_attribute(
    context: &Context<'_>,
    subjects: &[Subject],
    attribute: &KeyAttribute,
    found: &mut Found,
) {
    let word = match &attribute.kind {
        KeyKind::Refused(word) => word,
        KeyKind::Binary => return found.report(subjects, binary_attribute(attribute)),
        KeyKind::String | KeyKind::Number => return,
    };
    let using = context
        .keys()
        .find(|key| std::ptr::eq(key.attribute, attribute));
    let help = match using {
        Some(key) if word.starts_with("bool") => flag_help(context, key),
        _ => format!(
            "make it a string or a number: \"{}\", \"{}: number\"",
            attribute.name, attribute.name
        ),
    };
    let diagnostic = RULE
        .at(
            attribute.written.content(),
            format!(
                "the key attribute `{}` is a {word}, and DynamoDB refuses it",
                attribute.name
            ),
        )
        .label("string or number")
        .help(help);
    found.report(subjects, diagnostic);
}

fn binary_attribute(attribute: &KeyAttribute) -> Diagnostic {
    RULE.at(
        attribute.written.content(),
        format!(
            "the key attribute `{}` is binary, and Tablewright has no such keys",
            attribute.name
        ),
    )
    .label("string or number")
    .help(format!(
        "make it a string, \"{}\", and keep the bytes in it as text: 32 bytes are `string(64..64)` in hexadecimal digits",
        attribute.name
    ))
}

fn refused_parts(context: &Context<'_>, key: &KeyUse<'_>, found: &mut Found) {
    if matches!(key.attribute.kind, KeyKind::Refused(_) | KeyKind::Binary) {
        return;
    }
    for (_, id, part) in key.template.field_parts() {
        let field = context.field(key.entity, id);
        let (why, help) = match field.kind() {
            FieldType::Bool if is_natural(key, &field.name.value) => (
                "a Boolean, which DynamoDB takes in no key".to_owned(),
                flag_help(context, key),
            ),
            FieldType::Binary(_) => (
                "binary, and a key is text".to_owned(),
                format!(
                    "declare `{}` as text: 32 bytes are `string(64..64)` in hexadecimal digits",
                    field.name
                ),
            ),
            kind if has_key_form(kind) => continue,
            kind => (
                format!("`{kind}`, and no such value can be in a key"),
                format!(
                    "take `{}` out of the key; what is looked up by its members needs an item for each of them",
                    field.name
                ),
            ),
        };
        let diagnostic = RULE
            .at(
                key.template.span_of(part),
                format!("`{}` in {} is {why}", part.name, context.name_of(key)),
            )
            .related(field.written.content(), "declared here")
            .help(help);
        found.report(&context.subjects_of(key), diagnostic);
    }
}

fn flag_help(context: &Context<'_>, key: &KeyUse<'_>) -> String {
    let name = &key.attribute.name;
    let entity = context.model.entity(key.entity);
    let flag = entity
        .field_named(name)
        .map(|field| entity.field(field))
        .filter(|field| *field.kind() == FieldType::Bool);
    let (Some(_), KeyPlace::Index(index)) = (flag, key.place) else {
        return format!(
            "take the flag out of the key; an index with `when = \"{name} = true\"` holds just the items that have it"
        );
    };
    let upper = name.to_uppercase();
    let of_its_own =
        |part: Option<String>| part.map_or_else(|| upper.clone(), |part| format!("{upper}#{part}"));
    let (partition, sort) = match key.role {
        KeyRole::Partition => (
            of_its_own(shard_part(entity)),
            key.key.sort.as_ref().map(ToString::to_string),
        ),
        KeyRole::Sort => {
            let id = entity
                .identity()
                .last()
                .map(|id| format!("{{{}}}", entity.field(*id).name));
            (key.key.partition.to_string(), Some(of_its_own(id)))
        }
    };
    let sort = sort.map_or_else(String::new, |sort| format!(", sort = \"{sort}\""));
    format!(
        "name a string attribute that is there only while `{name}` is true, \"{name}_key\", and write in \
         [entity.{}.index]: {} = {{ partition = \"{partition}\"{sort}, when = \"{name} = true\" }}",
        entity.name,
        context.table_of(key.entity).index(index).name,
    )
}
