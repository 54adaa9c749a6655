//! Children that outlive their parent.

use std::collections::HashMap;

use tablewright_model::model::{Entity, EntityId, EntityRef, RelationshipKind};

use crate::Context;

/// A kind of item that stays when its parent expires.
pub(super) struct Left<'m> {
    pub(super) child: &'m EntityRef,
    /// The relationship's position.
    pub(super) relationship: usize,
}

/// What each entity with a TTL leaves behind, each kind once.
pub(super) fn left_behind<'m>(context: &Context<'m>) -> HashMap<EntityId, Vec<Left<'m>>> {
    let model = context.model;
    let mut left: HashMap<EntityId, Vec<Left<'m>>> = HashMap::new();
    for (position, relationship) in model.relationships.iter().enumerate() {
        let many = relationship.kind.value == RelationshipKind::ManyToMany;
        let (child, parents) = match (many, &relationship.to, &relationship.through) {
            (true, to, Some(through)) => (through, vec![Some(&relationship.from), to.as_ref()]),
            (false, Some(to), _) => (to, vec![Some(&relationship.from)]),
            _ => continue,
        };
        if model.entity(child.id).ttl.is_some() {
            continue;
        }
        for parent in parents.into_iter().flatten() {
            let expires = model.entity(parent.id).ttl.is_some();
            let known = left.entry(parent.id).or_default();
            let once = known.iter().all(|own| own.child.id != child.id);
            if expires && once && parent.id != child.id {
                known.push(Left {
                    child,
                    relationship: position,
                });
            }
        }
    }
    left
}

/// Every line that gives an entity a TTL: its field, its `ttl`, and the table's where it has none.
pub(super) fn give_ttl(context: &Context<'_>, id: EntityId, parent: &Entity) -> String {
    let child = context.model.entity(id);
    let table = context.table_of(id);
    let of_parent = parent.ttl.as_ref().map(|(name, _)| name.as_str());
    let of_table = table.ttl.as_ref().map(|name| name.as_str());
    let name = of_table.or(of_parent).unwrap_or("ttl");
    let mut lines = Vec::new();
    if child.field_named(name).is_none() {
        lines.push(format!(
            "{name} = \"epoch_seconds\" to [entity.{}.fields]",
            child.name
        ));
    }
    lines.push(format!("ttl = \"{name}\" to [entity.{}]", child.name));
    if of_table.is_none() {
        lines.push(format!("ttl = \"{name}\" to [table.{}]", table.name));
    }
    format!("add {}", crate::key_space::listed(&lines))
}
