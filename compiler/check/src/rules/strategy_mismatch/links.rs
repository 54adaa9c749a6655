//! `adjacency-list`: the linking entity's key holds the ids of both sides.

use tablewright_model::model::{Entity, Relationship};
use tablewright_model::{Diagnostic, Span};

use super::RULE;
use crate::Context;
use crate::sides::shared_id;

pub(super) fn check(
    context: &Context<'_>,
    relationship: &Relationship,
    span: Span,
) -> Option<Diagnostic> {
    let name = &relationship.name;
    // A model whose M:N relationship names no entity is none.
    let through = relationship.through.as_ref()?;
    let to = relationship.to.as_ref()?;
    let link = context.model.entity(through.id);
    let sides = [relationship.from.id, to.id].map(|side| context.model.entity(side));
    let missing = sides
        .iter()
        .find_map(|side| not_in_key(side, link))
        .or_else(|| no_place_for(sides, link))?;
    let field = match link.field_named(&missing) {
        Some(_) => String::new(),
        None => format!("give {} a field `{missing}`, and ", link.name),
    };
    Some(
        RULE.at(
            span,
            format!(
                "`{name}` is called an adjacency list, and the key of {} does not hold `{missing}`: a second link replaces the first, or lies elsewhere",
                link.name
            ),
        )
        .label("needs both ids in the key")
        .related(
            link.key.partition.written.content(),
            format!("the key of {}", link.name),
        )
        .help(format!(
            "{field}put `{missing}` into the key of {}, as in sort = \"{}#{{{missing}}}\"",
            link.name,
            link.name.value.to_uppercase()
        )),
    )
}

/// The id of a side that the link has, and its key has not.
fn not_in_key(side: &Entity, link: &Entity) -> Option<String> {
    let id = shared_id(side, link)?;
    let field = link.field_named(id)?;
    (!link.key.has(field)).then(|| id.to_owned())
}

/// The id of a side that the link does not have under its name, where no other field of its key could be it.
fn no_place_for(sides: [&Entity; 2], link: &Entity) -> Option<String> {
    let id_of = |side: &Entity| {
        let last = side.identity().last().copied()?;
        Some(side.field(last).name.value.clone())
    };
    let known: Vec<&str> = sides
        .iter()
        .filter_map(|side| shared_id(side, link))
        .collect();
    let unnamed: Vec<String> = sides
        .iter()
        .filter(|side| shared_id(side, link).is_none())
        .filter_map(|side| id_of(side))
        .collect();
    let ids = link.identity().into_iter();
    let others = ids.filter(|id| !known.contains(&link.field(*id).name.as_str()));
    (others.count() < unnamed.len())
        .then(|| unnamed.into_iter().next())
        .flatten()
}
