//! A many-to-many relationship that can be read from one side only.

use tablewright_model::model::{Entity, RelationshipKind};
use tablewright_plan::SuggestedKey;

use crate::rule::rule;
use crate::sides::{keys_of, reads_from, shared_id};
use crate::{Context, Found, Subject};

rule! {
    name: "one-way-relation",
    code: "I10",
    severity: Error,
    group: Indexes,
    summary: "a many-to-many relationship that can be read from one side only",
    why: "An item that links a user to an organisation lies in one partition. Under the user's key it tells the organisations of a user;
the users of an organisation are spread over all partitions, and only a Scan finds them. The first screen that
lists the members needs an index over every link there is.

Give the linking entity a key for the way back: an index whose partition is the other side.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, relationship) in context.model.relationships.iter().enumerate() {
        let (RelationshipKind::ManyToMany, Some(through), Some(to)) = (
            relationship.kind.value,
            &relationship.through,
            &relationship.to,
        ) else {
            continue;
        };
        let model = context.model;
        let (from, to, link) = (
            model.entity(relationship.from.id),
            model.entity(to.id),
            model.entity(through.id),
        );
        for (side, other) in [(from, to), (to, from)] {
            // Two sides of one kind, or ids of another name: the model does not say which field stands for which.
            let (Some(id), Some(_)) = (shared_id(side, link), shared_id(other, link)) else {
                continue;
            };
            if side.name == other.name
                || keys_of(link).any(|key| reads_from(side, Some(other), link, key))
            {
                continue;
            }
            let way_back =
                SuggestedKey::new(model, through.id, &part(side, link), &part(other, link));
            let diagnostic = RULE
                .at(
                    through.written.content(),
                    format!(
                        "`{}` cannot be read from {}: no key of {} begins with `{id}`, so what belongs to one {} is found by a Scan only",
                        relationship.name, side.name, link.name, side.name
                    ),
                )
                .label(format!("no way from {}", side.name))
                .related(link.key.partition.written.content(), "what it can be found by")
                .help(format!("{way_back}, and list {} by `{id}`", link.name));
            found.report(
                &[
                    Subject::Relationship(position),
                    Subject::Entity(through.id.0),
                ],
                diagnostic,
            );
        }
    }
}

fn part(side: &Entity, link: &Entity) -> String {
    let id = shared_id(side, link).unwrap_or_default();
    format!("{}{{{id}}}", side.key.partition.prefix())
}
