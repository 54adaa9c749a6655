//! The key attributes of an item: those of its table and of the indexes it is in, and the fields that are keys by themselves.

use tablewright_model::model::{Entity, FieldId, IndexKind, Key, KeyAttribute, KeyTemplate, Table};

use super::super::keys;
use super::super::text::Property;
use super::super::types::Types;

/// The key attributes of the table, unless they are fields by themselves.
pub(super) fn keys_of_table(
    types: &Types<'_>,
    entity: &Entity,
    table: &Table,
    key: &Key,
) -> Vec<Property> {
    let sort = table.sort_key.as_ref().zip(key.sort.as_ref());
    let parts = [
        Some(("Partition key", &table.partition_key, &key.partition)),
        sort.map(|(attribute, template)| ("Sort key", attribute, template)),
    ];
    let parts = parts.into_iter().flatten();
    parts
        .filter(|(_, attribute, template)| !is_natural(entity, attribute, template))
        .map(|(what, attribute, template)| Property {
            about: format!("{what}: `{}`.", template.written),
            name: attribute.name.clone(),
            optional: false,
            kind: keys::attribute(types, entity, attribute, template),
        })
        .collect()
}

/// The key attributes of indexes, each once. They are there when the item is in one of the indexes they belong to.
pub(super) fn keys_of_indexes(types: &Types<'_>, entity: &Entity, table: &Table) -> Vec<Property> {
    let mut properties: Vec<Property> = Vec::new();
    for key in &entity.index_keys {
        let index = table.index(key.index);
        let sparse = key.when.is_some()
            || key
                .key
                .field_ids()
                .iter()
                .any(|id| entity.field(*id).is_optional());
        let partition = (index.kind == IndexKind::Global).then_some((
            "Partition key",
            &index.partition_key,
            &key.key.partition,
        ));
        let sort = index.sort_key.as_ref().zip(key.key.sort.as_ref());
        let sort = sort.map(|(attribute, template)| ("Sort key", attribute, template));
        for (what, attribute, template) in [partition, sort].into_iter().flatten() {
            let of_table = std::iter::once(&table.partition_key).chain(&table.sort_key);
            let is_there = of_table.into_iter().any(|key| key.name == attribute.name);
            if is_there || is_natural(entity, attribute, template) {
                continue;
            }
            if let Some(known) = properties
                .iter_mut()
                .find(|known| known.name == attribute.name)
            {
                known.optional &= sparse;
                continue;
            }
            let mut about = format!("{what} of {}: `{}`", index.name, template.written);
            if let Some(when) = &key.when {
                about.push_str(&format!(", when `{}`", when.written));
            }
            about.push('.');
            properties.push(Property {
                about,
                name: attribute.name.clone(),
                optional: sparse,
                kind: keys::attribute(types, entity, attribute, template),
            });
        }
    }
    properties
}

/// The fields that are keys by themselves, of the table or of an index.
pub(super) fn natural_fields(entity: &Entity, table: &Table) -> Vec<FieldId> {
    let of_table = [
        (Some(&table.partition_key), Some(&entity.key.partition)),
        (table.sort_key.as_ref(), entity.key.sort.as_ref()),
    ];
    let of_indexes = entity.index_keys.iter().flat_map(|key| {
        let index = table.index(key.index);
        [
            (Some(&index.partition_key), Some(&key.key.partition)),
            (index.sort_key.as_ref(), key.key.sort.as_ref()),
        ]
    });
    of_table
        .into_iter()
        .chain(of_indexes)
        .filter_map(|(attribute, template)| attribute.zip(template))
        .filter(|(attribute, template)| is_natural(entity, attribute, template))
        .filter_map(|(_, template)| template.bare_field())
        .collect()
}

fn is_natural(entity: &Entity, attribute: &KeyAttribute, template: &KeyTemplate) -> bool {
    let field = template.bare_field().map(|id| entity.field(id));
    field.is_some_and(|field| field.name.value == attribute.name)
}
