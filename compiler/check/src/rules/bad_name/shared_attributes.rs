//! Attributes of an item that two things are stored in.

use tablewright_model::model::{Entity, EntityId, Layout, Table};
use tablewright_model::{Diagnostic, Span};

use super::{RULE, key_attributes};
use crate::{Context, KeyPlace, KeyUse};

/// What meets what in the items of an entity.
pub(super) fn of(context: &Context<'_>, id: EntityId, entity: &Entity) -> Vec<Diagnostic> {
    let table = context.table_of(id);
    let keys = context.keys_of(id).iter();
    let keys: Vec<&KeyUse<'_>> = keys
        .filter(|key| !matches!(key.place, KeyPlace::Guard(_)))
        .collect();
    let taken = taken(context, entity, table);
    let mut found = key_attributes::with_two_texts(context, entity, &keys);
    found.extend(key_attributes::taken_by_the_version(entity, &keys));
    // Wrapped fields lie in a map of their own, and meet nothing.
    if !is_wrapped(entity) {
        found.extend(fields_that_are_taken(entity, &taken));
        found.extend(fields_that_are_keys(entity, &keys));
        found.extend(fields_that_enter_an_index(entity, table));
        found.extend(fields_that_expire(entity, table));
    }
    found
}

pub(super) fn is_wrapped(entity: &Entity) -> bool {
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

fn taken<'m>(context: &Context<'_>, entity: &Entity, table: &'m Table) -> Vec<Taken<'m>> {
    let mut taken = Vec::new();
    if let Some(name) = &table.type_attribute {
        taken.push(Taken {
            name: name.as_str(),
            what: "the type attribute of the table".to_owned(),
            said: Some(name.span),
            help: format!("rename it, or the table's `type`: type = \"EntityType\", not `{name}`"),
        });
    }
    if entity.versioned.is_some() {
        taken.extend(["data_version", "last_write"].map(|name| Taken {
            name,
            what: format!("the `{name}` that `versioned` adds"),
            said: None,
            help: "rename it: versioned entities write this attribute by themselves".to_owned(),
        }));
    }
    if entity.counts_what_ends(context.model) {
        taken.push(Taken {
            name: "counting_since",
            what: "the `counting_since` that counters of what has a `ttl` add".to_owned(),
            said: None,
            help: "rename it: entities that count write this attribute by themselves".to_owned(),
        });
    }
    taken
}

/// A finding that two things are one attribute.
pub(super) fn meet(span: Span, one: &str, other: &str, said: Option<Span>) -> Diagnostic {
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

/// A field that is the table's TTL, though the entity is not said to expire.
fn fields_that_expire(entity: &Entity, table: &Table) -> Option<Diagnostic> {
    let ttl = table.ttl.as_ref().filter(|_| entity.ttl.is_none())?;
    let field = entity.field(entity.field_named(ttl.as_str())?);
    Some(
        RULE.at(
            field.name.span,
            format!(
                "the field `{}` of {} is the table's TTL attribute: DynamoDB deletes the item when it has passed, and nothing says that it should",
                field.name, entity.name
            ),
        )
        .label("deleted by this")
        .related(ttl.span, "the table's TTL attribute")
        .help(format!("rename the field; or say that it is meant: ttl = \"{ttl}\"")),
    )
}
