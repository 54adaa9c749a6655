//! Fields that are called like the id of another entity, where the model declares nothing between the two: what an ERD may have forgotten.

use tablewright_model::model::{EntityId, Verb};

use crate::design::Design;

/// Such a field.
pub(crate) struct Undeclared {
    /// The field.
    pub(crate) field: String,
    /// The entity that has it.
    pub(crate) entity: String,
    /// The entity it names.
    pub(crate) names: String,
    /// The patterns that read the one from the other.
    pub(crate) read_by: Vec<String>,
}

/// All such fields. Records of requests are left out: they name who asked, and nobody follows that.
pub(crate) fn undeclared(design: &Design<'_>) -> Vec<Undeclared> {
    let model = design.model;
    let mut found = Vec::new();
    // By name, because a model may have thousands of entities.
    let mut by_id: std::collections::HashMap<&str, Vec<EntityId>> =
        std::collections::HashMap::new();
    for (id, entity) in model.entity_ids() {
        if let [field] = entity.identity().as_slice() {
            let name = entity.field(*field).name.as_str();
            by_id.entry(name).or_default().push(id);
        }
    }
    for (id, entity) in model.entity_ids() {
        if !design.claims_of(id).is_empty() {
            continue;
        }
        for field in &entity.fields {
            let named = by_id
                .get(field.name.as_str())
                .map_or(&[][..], Vec::as_slice);
            // The first is the one the others belong to.
            let Some(named) = named.first().copied().filter(|named| *named != id) else {
                continue;
            };
            if is_declared(design, id, named) {
                continue;
            }
            found.push(Undeclared {
                field: field.name.value.clone(),
                entity: entity.name.value.clone(),
                names: model.entity(named).name.value.clone(),
                read_by: read_by(design, id, field.name.as_str()),
            });
        }
    }
    found
}

/// Whether a relationship speaks of both.
fn is_declared(design: &Design<'_>, one: EntityId, other: EntityId) -> bool {
    design.model.relationships.iter().any(|relationship| {
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
fn read_by(design: &Design<'_>, entity: EntityId, field: &str) -> Vec<String> {
    let lists = design.model.accesses.iter().filter(|access| {
        let lists = match &access.verb {
            Verb::List(entities) => entities.iter().any(|one| one.id == entity),
            _ => false,
        };
        lists && access.by.iter().any(|by| by.written.as_str() == field)
    });
    lists.map(|access| access.name.value.clone()).collect()
}
