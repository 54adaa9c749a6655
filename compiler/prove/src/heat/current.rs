//! What is written with the time in it is written now.

use serde_json::{Value, json};
use tablewright_keys::Precision;
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, ActionKind, EntityId, FieldId};
use tablewright_plan::{ItemRole, ItemWrite};

use crate::data::times::{self, DAY, NOW};

/// What a field says of now, where it says the same for a second at least: a day, or a moment to the second. What is finer tells writes
/// of one second apart.
pub(super) fn value_of(kind: &FieldType) -> Option<Value> {
    Some(match kind {
        FieldType::Date => json!(times::date(NOW / 1000 / DAY)),
        FieldType::Timestamp(Precision::Seconds) => {
            json!(times::moment(NOW * 1000, Precision::Seconds))
        }
        FieldType::EpochSeconds => json!(NOW / 1000),
        _ => return None,
    })
}

/// The fields of an item that are of now when it is written: all that tell the time of one that is new, and of what guards or counts it; of
/// one that is changed those that are set.
pub(super) fn current(
    model: &Model,
    access: &Access,
    items: &[ItemWrite],
    item: &ItemWrite,
) -> Vec<String> {
    let writes = access.verb.writes();
    let sets = |field: FieldId| {
        let of_item = |entity: EntityId| entity == item.entity;
        let mut changes = writes.iter().filter(|(_, entity, _)| of_item(entity.id));
        changes.any(|(_, _, changes)| changes.set.iter().any(|known| known.id == field))
    };
    let makes = |of: Option<EntityId>| {
        let mut items = items.iter().filter(|one| one.role == ItemRole::Named);
        items.any(|one| {
            one.kind == ActionKind::Create && of.is_none_or(|entity| one.entity == entity)
        })
    };
    let all = match (&item.role, item.kind) {
        // It is taken away where the value was that is no more.
        (ItemRole::Guard(_), ActionKind::Delete) => return Vec::new(),
        (ItemRole::Guard(_), _) => makes(Some(item.entity)),
        (_, ActionKind::Create) => true,
        (ItemRole::Counter, _) => makes(None),
        _ => false,
    };
    let entity = model.entity(item.entity);
    let fields = entity.fields.iter().enumerate();
    let told = fields.filter(|(position, field)| {
        value_of(field.kind()).is_some() && (all || sets(FieldId(*position)))
    });
    told.map(|(_, field)| field.name.value.clone()).collect()
}
