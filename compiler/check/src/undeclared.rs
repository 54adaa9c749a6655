//! Fields that are called like the id of another entity, where the model declares nothing between the two: what an ERD may have forgotten.

use std::collections::{HashMap, HashSet};

use tablewright_model::Model;
use tablewright_model::model::{Access, EntityId, FieldId, Verb};

/// Such a field.
#[derive(Debug)]
pub struct Undeclared<'m> {
    /// The field.
    pub field: FieldId,
    /// The entity that has it.
    pub entity: EntityId,
    /// The entity it names.
    pub names: EntityId,
    /// The patterns that read the one from the other.
    pub read_by: Vec<&'m Access>,
}

/// All such fields. Records of requests are left out: they name who asked, and nobody follows that.
pub fn undeclared(model: &Model) -> Vec<Undeclared<'_>> {
    let mut found = Vec::new();
    // By name, because a model may have thousands of entities.
    let mut by_id: HashMap<&str, Vec<EntityId>> = HashMap::new();
    for (id, entity) in model.entity_ids() {
        if let [field] = entity.identity().as_slice() {
            let name = entity.field(*field).name.as_str();
            by_id.entry(name).or_default().push(id);
        }
    }
    let claims = model
        .accesses
        .iter()
        .filter_map(|access| access.idempotent.as_ref());
    let claims: HashSet<EntityId> = claims.map(|claim| claim.id).collect();
    for (id, entity) in model.entity_ids() {
        if claims.contains(&id) {
            continue;
        }
        for (position, field) in entity.fields.iter().enumerate() {
            let named = by_id
                .get(field.name.as_str())
                .map_or(&[][..], Vec::as_slice);
            // The first is the one the others belong to.
            let Some(named) = named.first().copied().filter(|named| *named != id) else {
                continue;
            };
            if is_declared(model, id, named) {
                continue;
            }
            found.push(Undeclared {
                field: FieldId(position),
                entity: id,
                names: named,
                read_by: read_by(model, id, field.name.as_str()),
            });
        }
    }
    found
}

/// Whether a relationship speaks of both.
fn is_declared(model: &Model, one: EntityId, other: EntityId) -> bool {
    model.relationships.iter().any(|relationship| {
        let sides: Vec<EntityId> = [
            Some(&relationship.from),
            relationship.to.as_ref(),
            relationship.through.as_ref(),
        ]
        .into_iter()
        .flatten()
        .map(|side| side.id)
        .collect();
        sides.contains(&one) && sides.contains(&other)
    })
}

/// The lists of an entity by that field alone.
fn read_by<'m>(model: &'m Model, entity: EntityId, field: &str) -> Vec<&'m Access> {
    let lists = model.accesses.iter().filter(|access| {
        let lists = match &access.verb {
            Verb::List(entities) => entities.iter().any(|one| one.id == entity),
            _ => false,
        };
        lists && access.by.iter().any(|by| by.written.as_str() == field)
    });
    lists.collect()
}
