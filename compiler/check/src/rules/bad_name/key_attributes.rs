//! Key attributes that are something else besides.

use tablewright_model::Diagnostic;
use tablewright_model::model::{Entity, Table};

use super::RULE;
use super::shared_attributes::{is_wrapped, meet};
use crate::{Context, KeyUse};

/// The type attribute of a table that is a key or the TTL as well.
pub(super) fn taken_by_the_type(table: &Table) -> Option<Diagnostic> {
    let name = table.type_attribute.as_ref()?;
    let one = format!("the type attribute `{name}` of the table");
    let indexes = table.indexes.iter();
    let of_indexes =
        indexes.flat_map(|index| std::iter::once(&index.partition_key).chain(&index.sort_key));
    let mut keys = std::iter::once(&table.partition_key)
        .chain(&table.sort_key)
        .chain(of_indexes);
    let key = keys.find(|key| key.name == name.value);
    let ttl = table.ttl.as_ref().filter(|ttl| ttl.value == name.value);
    let met = match (key, ttl) {
        (Some(key), _) => meet(name.span, &one, "a key", Some(key.written.span)),
        (None, Some(ttl)) => meet(name.span, &one, "the TTL", Some(ttl.span)),
        (None, None) => return None,
    };
    Some(met.help("name another attribute: type = \"Type\""))
}

/// Keys with the name of an attribute that `versioned` adds.
pub(super) fn taken_by_the_version(entity: &Entity, keys: &[&KeyUse<'_>]) -> Vec<Diagnostic> {
    let own: &[&str] = match (&entity.versioned, is_wrapped(entity)) {
        (None, _) => &[],
        (Some(_), true) => &["data_version", "last_write", "data"],
        (Some(_), false) => &["data_version", "last_write"],
    };
    let met = own.iter().filter_map(|name| {
        let key = keys.iter().find(|key| key.attribute.name == *name)?;
        // A natural key is a field, and is found as one; of wrapped fields none is.
        if !is_wrapped(entity) && entity.field_named(name).is_some() {
            return None;
        }
        let one = format!("the key attribute `{name}`");
        let other = format!("the `{name}` that `versioned` adds to {}", entity.name);
        let met = meet(
            key.attribute.written.span,
            &one,
            &other,
            Some(entity.name.span),
        );
        Some(met.help(
            "name the key attribute otherwise: versioned entities write this one by themselves",
        ))
    });
    met.collect()
}

/// One attribute as the key of two places, with two texts to hold.
pub(super) fn with_two_texts(
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
