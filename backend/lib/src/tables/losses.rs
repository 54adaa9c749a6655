//! What cannot be changed of a table without losing data.

use aws_sdk_dynamodb::types::{
    AttributeDefinition, KeySchemaElement, KeyType, Projection as SdkProjection, ProjectionType,
    TableDescription,
};
use tablewright_descriptor::{KeyAttribute, Projection, Table};

use super::sdk::{kind_of, view_of};

/// What cannot be changed without losing data.
pub(super) fn losses(table: &Table, found: &TableDescription) -> Vec<String> {
    let mut reasons = Vec::new();
    let kinds = found.attribute_definitions();
    if !same_keys(found.key_schema(), kinds, table.key_attributes()) {
        reasons.push(format!(
            "its key is {}, the model's is {}; keys of a table never change: export it, and import it into a new one",
            keys_in_words(found.key_schema(), kinds),
            attributes_in_words(table.key_attributes())
        ));
    }
    for index in &table.indexes {
        let global = found
            .global_secondary_indexes()
            .iter()
            .find(|known| known.index_name() == Some(&index.name));
        let local = found
            .local_secondary_indexes()
            .iter()
            .find(|known| known.index_name() == Some(&index.name));
        let schema = match (global, local) {
            (Some(known), _) => known.key_schema(),
            (_, Some(known)) => known.key_schema(),
            (None, None) if index.local => {
                reasons.push(format!(
                    "it lacks the local index {}, which can only be made with the table",
                    index.name
                ));
                continue;
            }
            (None, None) => continue,
        };
        if !same_keys(schema, kinds, index.key_attributes()) {
            reasons.push(format!(
                "its index {} has the key {}, the model's has {}; give the new index another name, and drop the old one when nothing reads it",
                index.name,
                keys_in_words(schema, kinds),
                attributes_in_words(index.key_attributes())
            ));
        }
        let projection = global
            .and_then(|known| known.projection())
            .or_else(|| local.and_then(|known| known.projection()));
        if projection.is_some_and(|projection| !same_projection(projection, &index.projection)) {
            reasons.push(format!(
                "its index {} holds other attributes than the model says; give the new index another name, and drop the old one when nothing reads it",
                index.name
            ));
        }
    }
    if let (Some(view), Some(stream)) = (table.stream, found.stream_specification())
        && stream.stream_enabled()
        && stream.stream_view_type() != Some(&view_of(view))
    {
        reasons.push("its stream carries other images than the model says; switching it loses the records nobody has read yet: switch it off by hand when all are read".to_owned());
    }
    reasons
}

fn same_keys<'k>(
    schema: &[KeySchemaElement],
    kinds: &[AttributeDefinition],
    mut wanted: impl Iterator<Item = &'k KeyAttribute>,
) -> bool {
    let kind = |name: &str| {
        let found = kinds.iter().find(|kind| kind.attribute_name() == name);
        found.map(|found| found.attribute_type().clone())
    };
    let mut found = schema.to_vec();
    found.sort_by_key(|key| key.key_type() != &KeyType::Hash);
    let same = found.iter().all(|key| {
        wanted.next().is_some_and(|wanted| {
            wanted.name == key.attribute_name() && kind(&wanted.name) == Some(kind_of(wanted.kind))
        })
    });
    same && wanted.next().is_none()
}

fn keys_in_words(schema: &[KeySchemaElement], kinds: &[AttributeDefinition]) -> String {
    let words = schema.iter().map(|key| {
        let name = key.attribute_name();
        let kind = kinds.iter().find(|kind| kind.attribute_name() == name);
        format!(
            "{name} {}",
            kind.map_or("?", |kind| kind.attribute_type().as_str())
        )
    });
    words.collect::<Vec<_>>().join(", ")
}

fn attributes_in_words<'k>(keys: impl Iterator<Item = &'k KeyAttribute>) -> String {
    let words = keys.map(|key| format!("{} {}", key.name, kind_of(key.kind).as_str()));
    words.collect::<Vec<_>>().join(", ")
}

fn same_projection(found: &SdkProjection, wanted: &Projection) -> bool {
    match (found.projection_type(), wanted) {
        (Some(ProjectionType::All) | None, Projection::All) => true,
        (Some(ProjectionType::KeysOnly), Projection::KeysOnly) => true,
        (Some(ProjectionType::Include), Projection::Only(names)) => {
            let found = found.non_key_attributes();
            found.len() == names.len() && names.iter().all(|name| found.contains(name))
        }
        _ => false,
    }
}
