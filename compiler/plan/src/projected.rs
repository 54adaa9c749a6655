//! What a read needs of an index, and what the index holds.

use tablewright_model::condition::Condition;
use tablewright_model::model::{
    Access, Entity, EntityId, Index, IndexKind, Layout, Model, Projection, Table, Verb,
};

use crate::read::ReadPlan;

/// The attributes of an entity that the answer to a pattern must hold, with the fields its filter compares. A wrapped entity has its fields in
/// one, `data`, beside its keys and its TTL; a whole item of a versioned one is read with its version and its token.
pub fn needed_attributes<'n>(
    model: &'n Model,
    access: &'n Access,
    id: EntityId,
    filtered: impl IntoIterator<Item = &'n str>,
) -> Vec<&'n str> {
    let entity = model.entity(id);
    let fields = needed_fields(access, entity, filtered);
    let layout = entity.versioned.as_ref().map(|versioned| versioned.layout);
    let mut attributes = match layout {
        Some(Layout::Wrapped) => in_data(model, entity, fields),
        _ => fields,
    };
    if layout.is_some() && reads_whole_items(access) {
        attributes.extend(["data_version", "last_write"]);
    }
    attributes
}

/// Whether the answer is items, and not only some fields or a number. What a request by hand answers is read by hand.
fn reads_whole_items(access: &Access) -> bool {
    let counts = matches!(access.verb, Verb::Count(_));
    !counts && access.fields.is_empty() && access.by_hand.is_none()
}

/// The attributes that hold the fields of a wrapped entity.
fn in_data<'n>(model: &'n Model, entity: &'n Entity, fields: Vec<&'n str>) -> Vec<&'n str> {
    let table = model.table(entity.table);
    let indexes = entity.index_keys.iter().map(|key| table.index(key.index));
    let of_indexes =
        indexes.flat_map(|index| [Some(&index.partition_key), index.sort_key.as_ref()]);
    let of_table = [Some(&table.partition_key), table.sort_key.as_ref()];
    let keys = of_table.into_iter().chain(of_indexes).flatten();
    let at_the_top: Vec<&str> = keys
        .map(|key| key.name.as_str())
        .chain(table.ttl.iter().map(|ttl| ttl.as_str()))
        .collect();
    let (top, inside): (Vec<&str>, Vec<&str>) = fields
        .into_iter()
        .partition(|name| at_the_top.contains(name));
    let data = (!inside.is_empty()).then_some("data");
    top.into_iter().chain(data).collect()
}

fn needed_fields<'n>(
    access: &'n Access,
    entity: &'n Entity,
    filtered: impl IntoIterator<Item = &'n str>,
) -> Vec<&'n str> {
    let mut names: Vec<&str> = match &access.verb {
        Verb::Count(_) => Vec::new(),
        _ if access.fields.is_empty() => entity
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .collect(),
        _ => access
            .fields
            .iter()
            .map(|field| field.written.as_str())
            .collect(),
    };
    if let Verb::Search { matches, .. } = &access.verb {
        names.extend(matches.iter().map(|field| field.written.as_str()));
    }
    names.extend(access.refine.iter().map(|field| field.written.as_str()));
    names.extend(filtered);
    // Expired items are left out by it.
    names.extend(entity.ttl.iter().map(|(name, _)| name.as_str()));
    names.retain(|name| entity.field_named(name).is_some());
    names.dedup();
    names
}

/// Whether entries of an index have an attribute: it is projected, or a key.
pub fn holds_attribute(table: &Table, index: &Index, name: &str) -> bool {
    let projected = match &index.projection {
        Projection::All => return true,
        Projection::KeysOnly => false,
        Projection::Fields(fields) => fields.iter().any(|field| field.value == name),
    };
    let mut keys = [&table.partition_key, &index.partition_key]
        .into_iter()
        .chain(&table.sort_key)
        .chain(&index.sort_key);
    projected || keys.any(|key| key.name == name)
}

/// Whether DynamoDB has to fetch every item from the table, for what a local index does not hold. A global index cannot.
pub(crate) fn fetches(model: &Model, access: &Access, plan: &ReadPlan) -> bool {
    let table = model.table(plan.place.table);
    let Some(index) = plan.place.index.map(|index| table.index(index)) else {
        return false;
    };
    let filtered = || plan.filter.iter().flat_map(Condition::depends_on);
    index.kind == IndexKind::Local
        && plan.entities.iter().any(|id| {
            let needed = needed_attributes(model, access, *id, filtered());
            // An older shape may keep its fields under other names, and is read whole.
            let versioned = model.entity(*id).versioned.as_ref();
            let older = versioned.is_some_and(|versioned| versioned.data_version.value > 1)
                && !matches!(access.verb, Verb::Count(_))
                && !matches!(index.projection, Projection::All);
            older
                || !needed
                    .iter()
                    .all(|name| holds_attribute(table, index, name))
        })
}
