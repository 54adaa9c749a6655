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
    // By name and by entity, because a model may have thousands of these.
    let mut by_id: HashMap<&str, Vec<EntityId>> = HashMap::new();
    for (id, entity) in model.entity_ids() {
        if let [field] = entity.identity().as_slice() {
            let name = entity.field(*field).name.as_str();
            by_id.entry(name).or_default().push(id);
        }
    }
    let (related, lists) = (related(model), lists(model));
    let claims = model
        .accesses
        .iter()
        .filter_map(|access| access.idempotent.as_ref());
    let claims: HashSet<EntityId> = claims.map(|claim| claim.id).collect();
    let mut found = Vec::new();
    for (id, entity) in model.entity_ids() {
        if claims.contains(&id) {
            continue;
        }
        for (position, field) in entity.fields.iter().enumerate() {
            let name = field.name.as_str();
            let named = by_id.get(name).map_or(&[][..], Vec::as_slice);
            // The first is the one the others belong to.
            let Some(named) = named.first().copied().filter(|named| *named != id) else {
                continue;
            };
            if related.contains(&(id, named)) {
                continue;
            }
            let lists = lists.get(&id).into_iter().flatten().copied();
            let by_field =
                lists.filter(|list| list.by.iter().any(|by| by.written.as_str() == name));
            found.push(Undeclared {
                field: FieldId(position),
                entity: id,
                names: named,
                read_by: by_field.collect(),
            });
        }
    }
    found
}

/// The pairs of entities that a relationship speaks of, both ways.
fn related(model: &Model) -> HashSet<(EntityId, EntityId)> {
    let mut pairs = HashSet::new();
    for relationship in &model.relationships {
        let sides = [
            Some(&relationship.from),
            relationship.to.as_ref(),
            relationship.through.as_ref(),
        ];
        let sides = sides.into_iter().flatten().map(|side| side.id);
        for one in sides.clone() {
            pairs.extend(sides.clone().map(|other| (one, other)));
        }
    }
    pairs
}

/// The lists of each entity.
fn lists(model: &Model) -> HashMap<EntityId, Vec<&Access>> {
    let mut lists: HashMap<EntityId, Vec<&Access>> = HashMap::new();
    for access in &model.accesses {
        if let Verb::List(entities) = &access.verb {
            for entity in entities {
                lists.entry(entity.id).or_default().push(access);
            }
        }
    }
    lists
}
