//! The reads that follow a relationship, and from where.

use tablewright_model::model::{Access, Entity, EntityId, Relationship, RelationshipKind};
use tablewright_plan::{Answer, KeyPiece, Operation, Origin, Plan};

use crate::design::Design;
use crate::markdown::{and, code};

/// The reads that follow the relationship: from the one side to what stands for the other, and of M:N also back.
pub(super) fn queries<'d>(
    design: &'d Design<'_>,
    one: &Relationship,
) -> Vec<(&'d Access, &'d Plan)> {
    let model = design.model;
    let link = link_of(one);
    let sides = sides(design, one);
    let single = one.kind.value == RelationshipKind::OneToOne;
    design
        .patterns()
        .filter(|(access, plan)| {
            let Answer::Read(read) = &plan.answer else {
                return false;
            };
            let gives = read.entities.contains(&link);
            // Of what a field holds, every read of the item is one.
            if one.field.is_some() || !gives {
                return gives;
            }
            let known: Vec<&str> = access.by.iter().map(|by| by.written.as_str()).collect();
            let many = read.operation == Operation::Query;
            (many || single)
                && sides
                    .iter()
                    .any(|side| starts_from(side, model.entity(link), &known))
        })
        .collect()
}

/// The entities the relationship can be read from.
pub(super) fn sides<'d>(design: &Design<'d>, one: &Relationship) -> Vec<&'d Entity> {
    let model = design.model;
    let to = one.to.as_ref().filter(|_| one.through.is_some());
    let sides = std::iter::once(&one.from).chain(to);
    sides.map(|side| model.entity(side.id)).collect()
}

/// That no read knows the id of a side alone, where it is so: the partition of each is made of more.
pub(super) fn wants_more(
    design: &Design<'_>,
    one: &Relationship,
    side: &Entity,
    queries: &[(&Access, &Plan)],
) -> Option<String> {
    let link = design.model.entity(link_of(one));
    let identity = side.identity().into_iter();
    let identity: Vec<&str> = identity
        .map(|field| side.field(field).name.as_str())
        .collect();
    // What a field holds is read with its item; and where the link calls the id otherwise, nothing says which of its fields it is.
    if one.field.is_some() || !identity.iter().any(|name| link.field_named(name).is_some()) {
        return None;
    }
    let mut wanted: Vec<String> = Vec::new();
    for (access, plan) in queries {
        let known: Vec<&str> = access.by.iter().map(|by| by.written.as_str()).collect();
        let Answer::Read(read) = &plan.answer else {
            continue;
        };
        if !starts_from(side, link, &known) {
            continue;
        }
        let given = read
            .partition
            .pieces
            .iter()
            .filter_map(|piece| match piece {
                KeyPiece::Value {
                    origin: Origin::Given(name),
                    ..
                } => Some(name.as_str()),
                _ => None,
            });
        let more: Vec<String> = given
            .filter(|name| !identity.contains(name))
            .map(code)
            .collect();
        if more.is_empty() {
            return None;
        }
        wanted.extend(more);
    }
    wanted.sort();
    wanted.dedup();
    (!wanted.is_empty()).then(|| {
        format!(
            "Nothing reads it from {} alone: the partition is made of {} as well.",
            side.name,
            and(&wanted)
        )
    })
}

/// What stands for the other side.
fn link_of(one: &Relationship) -> EntityId {
    let link = one.through.as_ref().or(one.to.as_ref());
    link.map_or(one.from.id, |link| link.id)
}

/// Whether what the caller knows begins at a side: with the field that identifies it, or, where the link calls that otherwise, with any.
fn starts_from(side: &Entity, link: &Entity, known: &[&str]) -> bool {
    let identity = side.identity();
    let names: Vec<&str> = identity
        .iter()
        .map(|field| side.field(*field).name.as_str())
        .collect();
    match names.iter().any(|name| link.field_named(name).is_some()) {
        true => known.iter().any(|name| names.contains(name)),
        false => !known.is_empty(),
    }
}
