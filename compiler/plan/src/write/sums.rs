//! Additions whose sum an index key is made of.

use tablewright_model::model::{Entity, FieldChanges, FieldId, IndexKey, Model};

/// Whether what is added to decides about an index, and what is stored must be known to say how: the sum is known to the table alone. A key that
/// is the number itself moves by itself; the other half of it must be made when the first number brings the item into the index.
pub fn needs_the_sum(
    model: &Model,
    entity: &Entity,
    key: &IndexKey,
    changes: &FieldChanges,
) -> bool {
    let adds = |field: FieldId| changes.add.iter().any(|known| known.id == field);
    let table = model.table(entity.table);
    let index = table.index(key.index);
    let attributes = std::iter::once(&index.partition_key).chain(&index.sort_key);
    let made: Vec<_> = key
        .key
        .templates()
        .zip(attributes)
        .filter(|(template, attribute)| {
            let bare = template.bare_field();
            let natural = bare.is_some_and(|id| entity.field(id).name.value == attribute.name);
            // A local index has the table's partition key, which is there before anything is added.
            let mut keys = std::iter::once(&table.partition_key).chain(&table.sort_key);
            !natural && !keys.any(|key| key.name == attribute.name)
        })
        .collect();
    let mut summed = made.iter().flat_map(|(template, _)| template.parts.iter());
    let enters = |field: FieldId| adds(field) && entity.field(field).is_optional();
    summed.any(|field| field.is_some_and(adds))
        || deciding(entity, key).into_iter().any(adds)
        || (!made.is_empty() && key.key.field_ids().into_iter().any(enters))
}

/// The fields of a key's `when`, also those that others are compared with.
pub fn deciding(entity: &Entity, key: &IndexKey) -> Vec<FieldId> {
    let when = key.when.iter().flat_map(|when| when.condition.depends_on());
    when.filter_map(|name| entity.field_named(name)).collect()
}
