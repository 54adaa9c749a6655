//! Attributes of an item that two things are stored in.

use tablewright_model::model::{Entity, EntityId, Layout, Table};
use tablewright_model::{Diagnostic, Span};

use super::RULE;
use crate::{Context, KeyPlace, KeyUse};

/// What meets what in the items of an entity.
pub(super) fn of(context: &Context<'_>, id: EntityId, entity: &Entity) -> Vec<Diagnostic> {
    let table = context.table_of(id);
    let keys = context.keys_of(id).iter();
    let keys: Vec<&KeyUse<'_>> = keys
        .filter(|key| !matches!(key.place, KeyPlace::Guard(_)))
        .collect();
    let taken = taken(entity, table);
    let mut found = keys_with_two_texts(context, entity, &keys);
    found.extend(keys_that_are_taken(entity, &keys, &taken));
    // Wrapped fields lie in a map of their own, and meet nothing.
    if !is_wrapped(entity) {
        found.extend(fields_that_are_taken(entity, &taken));
        found.extend(fields_that_are_keys(entity, &keys));
        found.extend(fields_that_enter_an_index(entity, table));
    }
    found
}

fn is_wrapped(entity: &Entity) -> bool {
    let versioned = entity.versioned.as_ref();
    versioned.is_some_and(|versioned| versioned.layout == Layout::Wrapped)
}

/// An attribute the table or the library writes by itself.
struct Taken<'m> {
    name: &'m str,
    what: String,
    said: Option<Span>,
    help: String,
}

fn taken<'m>(entity: &Entity, table: &'m Table) -> Vec<Taken<'m>> {
    let mut taken = Vec::new();
    if let Some(name) = &table.type_attribute {
        taken.push(Taken {
            name: name.as_str(),
            what: "the type attribute of the table".to_owned(),
            said: Some(name.span),
            help: format!("rename it, or the table's `type`: type = \"EntityType\", not `{name}`"),
        });
    }
    if let Some(name) = &table.ttl
        && entity.ttl.is_none()
    {
        taken.push(Taken {
            name: name.as_str(),
            what: format!(
                "the table's TTL, by which no {} is said to expire,",
                entity.name
            ),
            said: Some(name.span),
            help: format!("rename it; or say that it is meant: ttl = \"{name}\""),
        });
    }
    if entity.versioned.is_some() {
        let own: &[&str] = match is_wrapped(entity) {
            true => &["data_version", "last_write", "data"],
            false => &["data_version", "last_write"],
        };
        taken.extend(own.iter().map(|name| Taken {
            name,
            what: format!("the `{name}` that `versioned` adds"),
            said: None,
            help: "rename it: versioned entities write this attribute by themselves".to_owned(),
        }));
    }
    taken
}

/// A finding that two things are one attribute.
fn meet(span: Span, one: &str, other: &str, said: Option<Span>) -> Diagnostic {
    let diagnostic = RULE
        .at(
            span,
            format!("{one} and {other} are one attribute: writing one destroys the other"),
        )
        .label("taken already");
    match said {
        Some(said) => diagnostic.related(said, "the same attribute"),
        None => diagnostic,
    }
}

fn fields_that_are_taken(entity: &Entity, taken: &[Taken<'_>]) -> Vec<Diagnostic> {
    let fields = taken.iter().filter_map(|taken| {
        let field = entity.field(entity.field_named(taken.name)?);
        let one = format!("the field `{}` of {}", field.name, entity.name);
        Some(meet(field.name.span, &one, &taken.what, taken.said).help(taken.help.clone()))
    });
    fields.collect()
}

fn keys_that_are_taken(
    entity: &Entity,
    keys: &[&KeyUse<'_>],
    taken: &[Taken<'_>],
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for taken in taken {
        let key = keys.iter().find(|key| key.attribute.name == taken.name);
        // A natural key is a field, and is found as one; wrapped fields are not looked at.
        let Some(key) =
            key.filter(|_| is_wrapped(entity) || entity.field_named(taken.name).is_none())
        else {
            continue;
        };
        let one = format!("the key attribute `{}`", key.attribute.name);
        found.push(
            meet(key.attribute.written.span, &one, &taken.what, taken.said)
                .help(taken.help.clone()),
        );
    }
    found
}

/// A field with the name of a key attribute that holds another text.
fn fields_that_are_keys(entity: &Entity, keys: &[&KeyUse<'_>]) -> Vec<Diagnostic> {
    let mut seen: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for key in keys {
        let name = key.attribute.name.as_str();
        let Some(id) = entity.field_named(name) else {
            continue;
        };
        if key.template.bare_field() == Some(id) || seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let field = &entity.field(id).name;
        let one = format!("the field `{field}` of {}", entity.name);
        let other = format!("the key attribute that holds \"{}\"", key.template);
        let diagnostic = meet(
            field.span,
            &one,
            &other,
            Some(key.template.written.content()),
        );
        found.push(diagnostic.help(format!(
            "rename the field, or the key attribute; or make the key nothing but the field: \"{{{name}}}\""
        )));
    }
    found
}

/// Fields that are all the keys of an index the entity is not meant to be in.
fn fields_that_enter_an_index(entity: &Entity, table: &Table) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for index in &table.indexes {
        let meant = entity
            .index_keys
            .iter()
            .any(|key| key.name.value == index.name.value);
        let mut keys = std::iter::once(&index.partition_key).chain(&index.sort_key);
        if meant || !keys.all(|key| entity.field_named(&key.name).is_some()) {
            continue;
        }
        let Some(id) = entity.field_named(&index.partition_key.name) else {
            continue;
        };
        let field = &entity.field(id).name;
        let diagnostic = RULE
            .at(
                field.span,
                format!(
                    "{} has fields with the names of all keys of {}: its items enter the index, and no key says so",
                    entity.name, index.name
                ),
            )
            .label("a key of the index")
            .related(index.name.span, "the index")
            .help(format!(
                "say that it is meant, in [entity.{}.index]; or name the keys of {} as no field is named",
                entity.name, index.name
            ));
        found.push(diagnostic);
    }
    found
}

/// One attribute as the key of two places, with two texts to hold.
fn keys_with_two_texts(
    context: &Context<'_>,
    entity: &Entity,
    keys: &[&KeyUse<'_>],
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (position, key) in keys.iter().enumerate() {
        // Two keys in one index have a rule of their own.
        let other = keys.iter().take(position).find(|other| {
            other.attribute.name == key.attribute.name
                && other.template.written.value != key.template.written.value
                && other.place != key.place
        });
        let Some(other) = other else {
            continue;
        };
        let diagnostic = RULE
            .at(
                key.template.written.content(),
                format!(
                    "`{}` is the key of two places, and {} gives it two texts: an item has one value in it",
                    key.attribute.name, entity.name
                ),
            )
            .label(context.name_of(key))
            .related(other.template.written.content(), context.name_of(other))
            .help("give the index a key attribute of its own, or the same template in both");
        found.push(diagnostic);
    }
    found
}
