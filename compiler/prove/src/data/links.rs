//! How entities hang together, as far as a model says it.
//!
//! The language has no foreign keys; these are inferred:
//! * An entity **refers** to another when it has a field of the same name and type for every field of the other's key. So counters,
//!   whose keeper's key the counted entity must carry, and M:N relationships, whose `through` carries both keys, are references too. A
//!   record of idempotency and an entity that is nothing but counts are referred to by nobody; of two entities with the same key the
//!   first is the original; where two would refer to each other, the first does not; and where two have the same fields in their keys, the
//!   one that a counter or a relationship names is referred to.
//! * A field that groups items (a part of a partition key, or in a pattern's `by`) and refers to nothing takes its values from a **pool**,
//!   one for every name and type: the `agent_id` of a question and of a key are of the same agents.
//! * What remains of a key is **fresh**: the last field of it, or those of the sort key.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Entity, EntityId, FieldId, Verb};

/// A reference from one entity to another.
#[derive(Debug, Clone)]
pub(crate) struct Reference {
    /// The entity referred to.
    pub(crate) to: EntityId,
    /// The fields here, and those they are the same as there.
    pub(crate) fields: Vec<(FieldId, FieldId)>,
}

/// A field's pool: by its name and type.
pub(crate) type PoolName = (String, String);

/// What is inferred from a model.
#[derive(Debug)]
pub(crate) struct Links {
    /// The references of each entity.
    pub(crate) references: Vec<Vec<Reference>>,
    /// The fields of each entity that take their values from a pool.
    pub(crate) pooled: Vec<Vec<(FieldId, PoolName)>>,
    /// The entities, those referred to before those that refer.
    pub(crate) order: Vec<EntityId>,
    /// Whether an entity is nothing but counts.
    pub(crate) only_counts: Vec<bool>,
}

impl Links {
    pub(crate) fn of(model: &Model) -> Links {
        let entities = model.entities.iter();
        let only_counts: Vec<bool> = entities.map(Entity::begins_with_its_first_count).collect();
        let claims: Vec<bool> = model
            .entity_ids()
            .map(|(id, _)| is_claim(model, id))
            .collect();
        let mut references: Vec<Vec<Reference>> = vec![Vec::new(); model.entities.len()];
        for (id, entity) in model.entity_ids() {
            for (to, target) in model.entity_ids() {
                if to == id || only_counts[to.0] || claims[to.0] {
                    continue;
                }
                let same_key = target.identity().len() == entity.identity().len() && to > id;
                if let Some(fields) = carries(entity, target)
                    && !(same_key && fields.iter().all(|(mine, _)| entity.key.has(*mine)))
                    && !leads_to(&references, to, id)
                {
                    references[id.0].push(Reference { to, fields });
                }
            }
            let all = std::mem::take(&mut references[id.0]);
            references[id.0] = without_implied(model, id, all);
        }
        let order = before_those_that_refer(model, &references);
        let mut links = Links {
            references,
            pooled: Vec::new(),
            order,
            only_counts,
        };
        links.pooled = model
            .entity_ids()
            .map(|(id, entity)| links.pools_of(model, id, entity))
            .collect();
        links
    }

    /// The fields of an entity that a reference fills.
    pub(crate) fn is_reference(&self, entity: EntityId, field: FieldId) -> bool {
        let references = self.references[entity.0].iter();
        references
            .flat_map(|reference| &reference.fields)
            .any(|(mine, _)| *mine == field)
    }

    /// The fields of an entity's key that are its own.
    pub(crate) fn fresh(&self, entity: &Entity, id: EntityId) -> Vec<FieldId> {
        let own: Vec<FieldId> = entity
            .identity()
            .into_iter()
            .filter(|field| !self.is_reference(id, *field))
            .collect();
        let in_sort = |field: &FieldId| {
            entity
                .key
                .sort
                .as_ref()
                .is_some_and(|sort| sort.has(*field))
        };
        let sorted: Vec<FieldId> = own.iter().copied().filter(|field| in_sort(field)).collect();
        let any_in_sort = entity.identity().iter().any(in_sort);
        match (any_in_sort, own.last()) {
            (true, _) => sorted,
            (false, Some(last)) => vec![*last],
            (false, None) => Vec::new(),
        }
    }

    fn pools_of(&self, model: &Model, id: EntityId, entity: &Entity) -> Vec<(FieldId, PoolName)> {
        let fresh = self.fresh(entity, id);
        let fields = entity.fields.iter().enumerate();
        fields
            .map(|(position, field)| (FieldId(position), field))
            .filter(|(field, _)| !fresh.contains(field) && !self.is_reference(id, *field))
            .filter(|(id, field)| has_many_values(field.kind()) || says_how_many(entity, *id))
            .filter(|(field, _)| groups(model, id, entity, *field))
            .map(|(field, declared)| {
                let kind = declared.kind().to_string();
                (field, (declared.name.value.clone(), kind))
            })
            .collect()
    }
}

fn is_claim(model: &Model, id: EntityId) -> bool {
    let claims = |access: &Access| {
        access
            .idempotent
            .as_ref()
            .is_some_and(|claim| claim.id == id)
    };
    model.accesses.iter().any(claims)
}

/// The fields by which one entity carries the whole key of another.
fn carries(entity: &Entity, target: &Entity) -> Option<Vec<(FieldId, FieldId)>> {
    let identity = target.identity();
    if identity.is_empty() {
        return None;
    }
    let fields = identity.into_iter().map(|theirs| {
        let field = target.field(theirs);
        let mine = entity.field_named(field.name.as_str())?;
        (entity.field(mine).kind() == field.kind() && is_reference_type(field.kind()))
            .then_some((mine, theirs))
    });
    fields.collect()
}

/// A word or a moment of the same name is no reference.
fn is_reference_type(kind: &FieldType) -> bool {
    matches!(
        kind,
        FieldType::Id
            | FieldType::Uuid
            | FieldType::Ulid
            | FieldType::Email
            | FieldType::String(_)
            | FieldType::Int { .. }
    )
}

fn has_many_values(kind: &FieldType) -> bool {
    match kind {
        FieldType::Bool | FieldType::Enum(_) | FieldType::Ordered(_) => false,
        FieldType::Int {
            min: Some(min),
            max: Some(max),
        } => max.saturating_sub(*min) > 1000,
        kind => kind.shape().is_some(),
    }
}

/// Whether the model says how many values a field takes of those its type has.
fn says_how_many(entity: &Entity, field: FieldId) -> bool {
    let declared = entity
        .facts
        .distinct
        .iter()
        .any(|(known, _)| *known == field);
    declared && matches!(entity.field(field).kind(), FieldType::Int { .. })
}

/// Whether items are found by a field: it is in the partition of a key, or a caller knows it.
fn groups(model: &Model, id: EntityId, entity: &Entity, field: FieldId) -> bool {
    let selects = |key: &tablewright_model::model::Key| {
        let mut parts = key.partition.field_parts();
        parts.any(|(_, part, written)| part == field && written.encodings.shard.is_none())
    };
    let name = entity.field(field).name.as_str();
    let known = |access: &Access| {
        access.verb.is_read()
            && !matches!(access.verb, Verb::Batch(_))
            && access.verb.entities().iter().any(|one| one.id == id)
            && access.by.iter().any(|by| by.written.as_str() == name)
    };
    let guarded = entity.unique.iter().flat_map(|unique| &unique.guard);
    !guarded.into_iter().any(|guard| guard.has(field))
        && (selects(&entity.key)
            || entity.index_keys.iter().any(|key| selects(&key.key))
            || model.accesses.iter().any(known))
}

fn leads_to(references: &[Vec<Reference>], from: EntityId, to: EntityId) -> bool {
    from == to
        || references[from.0]
            .iter()
            .any(|reference| leads_to(references, reference.to, to))
}

/// A reference some of whose fields are in a larger one follows from it, or does not hold; what the model says itself comes first.
fn without_implied(model: &Model, id: EntityId, mut references: Vec<Reference>) -> Vec<Reference> {
    references.sort_by_key(|reference| {
        let declared = is_declared(model, id, reference.to);
        std::cmp::Reverse((declared, reference.fields.len()))
    });
    let mut kept: Vec<Reference> = Vec::new();
    for reference in references {
        let is_new = |(mine, _): &(FieldId, FieldId)| {
            let mut filled = kept.iter().flat_map(|kept| &kept.fields);
            !filled.any(|(known, _)| known == mine)
        };
        if reference.fields.iter().all(is_new) {
            kept.push(reference);
        }
    }
    kept
}

/// Whether a counter or a relationship says that one entity belongs to another.
fn is_declared(model: &Model, id: EntityId, to: EntityId) -> bool {
    let counted = model.entity(to).counters.iter();
    let mut counted = counted.map(|counter| counter.counts.1);
    counted.any(|counted| counted == id)
        || model.relationships.iter().any(|relationship| {
            let sides = [Some(&relationship.from), relationship.to.as_ref()];
            let is_side = |one| sides.iter().flatten().any(|side| side.id == one);
            let through = relationship.through.as_ref();
            is_side(to) && (is_side(id) || through.is_some_and(|through| through.id == id))
        })
}

fn before_those_that_refer(model: &Model, references: &[Vec<Reference>]) -> Vec<EntityId> {
    fn visit(
        id: EntityId,
        references: &[Vec<Reference>],
        done: &mut BTreeMap<EntityId, bool>,
        order: &mut Vec<EntityId>,
    ) {
        if done.insert(id, true).is_some() {
            return;
        }
        for reference in &references[id.0] {
            visit(reference.to, references, done, order);
        }
        order.push(id);
    }
    let mut order = Vec::new();
    let mut done = BTreeMap::new();
    for (id, _) in model.entity_ids() {
        visit(id, references, &mut done, &mut order);
    }
    order
}
