//! What a read needs of an index, and what the index holds.

use tablewright_model::condition::Condition;
use tablewright_model::model::{Access, Entity, EntityId, Index, Layout, Projection, Table, Verb};

use crate::Context;
use crate::asked::{Asked, Origin};

/// The attributes of an entity that the answer must hold. A wrapped entity has its fields in one, `data`, beside its keys and its TTL.
pub(crate) fn needed<'c>(context: &Context<'c>, asked: &Asked<'c>, id: EntityId) -> Vec<&'c str> {
    let entity = context.model.entity(id);
    let fields = needed_fields(asked, entity);
    let layout = entity.versioned.as_ref().map(|versioned| versioned.layout);
    if layout != Some(Layout::Wrapped) {
        return fields;
    }
    let table = context.table_of(id);
    let keys = context
        .keys_of(id)
        .iter()
        .map(|key| key.attribute.name.as_str());
    let at_the_top: Vec<&str> = keys
        .chain(table.ttl.iter().map(|ttl| ttl.as_str()))
        .collect();
    let (top, inside): (Vec<&str>, Vec<&str>) = fields
        .into_iter()
        .partition(|name| at_the_top.contains(name));
    let data = (!inside.is_empty()).then_some("data");
    top.into_iter().chain(data).collect()
}

fn needed_fields<'c>(asked: &Asked<'c>, entity: &'c Entity) -> Vec<&'c str> {
    let access: &Access = asked.access;
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
    names.extend(access.refine.iter().map(|field| field.written.as_str()));
    match &asked.origin {
        Origin::Planned(plan) => {
            names.extend(
                plan.filter
                    .iter()
                    .flat_map(Condition::fields)
                    .map(|field| field.name.as_str()),
            );
        }
        Origin::ByHand(plan) => {
            if let (Some(filter), Some(by_hand)) = (&plan.filter, &access.by_hand) {
                let of_filter = filter
                    .paths()
                    .map(|path| by_hand.attribute(&path.name.text));
                names.extend(of_filter.filter(|name| entity.field_named(name).is_some()));
            }
        }
    }
    // Expired items are left out by it.
    names.extend(entity.ttl.iter().map(|(name, _)| name.as_str()));
    names.retain(|name| entity.field_named(name).is_some());
    names.dedup();
    names
}

/// Whether entries of an index have an attribute: it is projected, or a key.
pub(crate) fn holds(table: &Table, index: &Index, name: &str) -> bool {
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
