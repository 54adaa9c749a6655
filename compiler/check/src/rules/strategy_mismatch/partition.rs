//! `item-collection`: a key of the children lets those of one parent lie together.

use tablewright_model::model::{Entity, Key, Relationship};
use tablewright_model::{Diagnostic, Span};

use super::RULE;
use crate::Context;
use crate::sides::{keys_of, reads_from, shared_id, whole_fields};

pub(super) fn check(
    context: &Context<'_>,
    relationship: &Relationship,
    span: Span,
) -> Option<Diagnostic> {
    let name = &relationship.name;
    let parent = context.model.entity(relationship.from.id);
    let Some(to) = &relationship.to else {
        return Some(
            RULE.at(span, format!("`{name}` is an item collection, and no entity is said to be in it"))
                .label("of which items?")
                .help("name the entity in `to`; or strategy = \"complex-attribute\" for what a field holds"),
        );
    };
    let child = context.model.entity(to.id);
    // An entity under itself names its parent in another field than its own id.
    let id = match relationship.from.id == to.id {
        true => None,
        false => shared_id(parent, child),
    };
    let of_parent: Vec<&str> = match relationship.from.id == to.id {
        true => Vec::new(),
        false => identity(parent),
    };
    let collects = |key: &Key| match id {
        Some(_) => reads_from(parent, None, child, key) && !is_alone(child, key, &of_parent),
        // The model does not say which field stands for the parent, but one must: of a parent that is alone itself, none.
        None => {
            let same = key.partition.to_string() == parent.key.partition.to_string();
            let parted = !whole_fields(child, &key.partition).is_empty();
            (parted || same || identity(parent).is_empty()) && !is_alone(child, key, &of_parent)
        }
    };
    if keys_of(child).any(collects) {
        return None;
    }
    let (children, parents) = (&child.name, &parent.name);
    let why = match id {
        Some(id) if keys_of(child).any(|key| reads_from(parent, None, child, key)) => format!(
            "every key of {children} with `{id}` in its partition has what tells one {children} from another there too: each lies alone"
        ),
        Some(id) => format!(
            "no key of {children} has `{id}` in its partition: the {children} items of one {parents} cannot be read"
        ),
        None => format!(
            "no key of {children} has anything in its partition that could stand for a {parents}: the {children} items of one cannot be read"
        ),
    };
    let wanted = id.map(str::to_owned).or_else(|| {
        let last = identity(parent).last().copied()?;
        Some(match relationship.from.id == to.id {
            true => format!("parent_{last}"),
            false => last.to_owned(),
        })
    });
    let help = match wanted {
        Some(wanted) => {
            let field = match child.field_named(&wanted) {
                Some(_) => String::new(),
                None => format!("give {children} a field `{wanted}`, and "),
            };
            format!(
                "{field}put it there: partition = \"{}{{{wanted}}}\" in the key of {children}, or in an index of it",
                parent.key.partition.prefix()
            )
        }
        None => format!(
            "let them share the partition: partition = \"{}\" in the key of {children}",
            parent.key.partition
        ),
    };
    Some(
        RULE.at(
            span,
            format!("`{name}` is called an item collection, and {why}"),
        )
        .label("not in one partition")
        .related(
            child.key.partition.written.content(),
            format!("where {children} lies"),
        )
        .help(help),
    )
}

/// Whether every item has a partition of its own under a key: it holds all that tells one child of a parent from another.
fn is_alone(child: &Entity, key: &Key, of_parent: &[&str]) -> bool {
    let own: Vec<&str> = identity(child)
        .into_iter()
        .filter(|name| !of_parent.contains(name))
        .collect();
    let partition = whole_fields(child, &key.partition);
    !own.is_empty() && own.iter().all(|name| partition.contains(name))
}

fn identity(entity: &Entity) -> Vec<&str> {
    let ids = entity.identity().into_iter();
    ids.map(|id| entity.field(id).name.as_str()).collect()
}
