//! The index a suggested key could be in.

use tablewright_model::model::{EntityId, IndexKind, KeyKind, Model, Projection, Table};

/// An index of the table that none of the entities is in, and whose other keys begin with another text.
pub(super) fn free_index(
    model: &Model,
    table: &Table,
    entities: &[EntityId],
    prefixes: &[&str],
) -> Option<String> {
    let usable = table.indexes.iter().filter(|index| {
        let sort = index.sort_key.as_ref().map(|key| &key.kind);
        let keys = std::iter::once(&index.partition_key).chain(&index.sort_key);
        let is_field = |name: &str| {
            entities
                .iter()
                .any(|id| model.entity(*id).field_named(name).is_some())
        };
        index.kind == IndexKind::Global
            && matches!(index.projection, Projection::All)
            && index.partition_key.kind == KeyKind::String
            && sort == Some(&KeyKind::String)
            && !keys.into_iter().any(|key| is_field(&key.name))
    });
    let mut names = usable.map(|index| index.name.as_str());
    names
        .find(|name| {
            let mut of_table = model
                .entity_ids()
                .filter(|(_, entity)| std::ptr::eq(model.table(entity.table), table));
            of_table.all(|(id, entity)| {
                let mut keys = entity
                    .index_keys
                    .iter()
                    .filter(|key| key.name.value == *name);
                keys.all(|key| {
                    let own = key.key.partition.prefix();
                    let meets = |prefix: &&str| own.starts_with(prefix) || prefix.starts_with(own);
                    !entities.contains(&id) && !prefixes.iter().any(meets)
                })
            })
        })
        .map(str::to_owned)
}

/// The name of an index the table does not have.
pub(super) fn new_index(table: &Table) -> String {
    (1..)
        .map(|number| format!("GSI{number}"))
        .find(|name| table.index_named(name).is_none())
        .unwrap_or_default()
}

/// The text before the first field of a template.
pub(super) fn literal(template: &str) -> &str {
    template.split('{').next().unwrap_or_default()
}
