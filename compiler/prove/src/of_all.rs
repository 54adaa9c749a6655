//! Lists of everybody's items.

use tablewright_model::Model;
use tablewright_model::model::{Access, EntityId, FieldId};

/// Whether a pattern is about all there is of an entity, or about all of one word: nobody's items, of which a few are like the others.
pub(crate) fn is_of_all(model: &Model, access: &Access, id: EntityId) -> bool {
    let known = known(model, access, id);
    known.iter().all(|one| has_words(model, id, *one))
}

/// What the caller knows of an entity.
pub(crate) fn known(model: &Model, access: &Access, id: EntityId) -> Vec<FieldId> {
    let entity = model.entity(id);
    let known = access.by.iter();
    known
        .filter_map(|by| entity.field_named(by.written.as_str()))
        .collect()
}

/// Whether there are only so many values of a field: nobody new can have another.
pub(crate) fn has_words(model: &Model, id: EntityId, field: FieldId) -> bool {
    model.entity(id).has_few_values(field)
}
