//! A field that changes, in a primary key.

use std::collections::HashSet;

use tablewright_model::model::{Access, ActionKind, Changes, EntityId, Verb};

use crate::key_space::field_span;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "mutable-key",
    code: "K17",
    severity: Error,
    group: Keys,
    summary: "a field that changes in a primary key",
    why: "The primary key of an item cannot be changed. When the e-mail address is the key, a person who gets a new address becomes a new item:
the old one must be deleted, everything stored under it must be copied, and every reference to it points at nothing. Sooner or later
somebody writes the new item and forgets the rest.

Make the key of something that stays, such as an id, and let the other field be found by a guard (`unique`) or an index. Where the
field does not change after all, say so: `changes = { email = \"never\" }`. Where it is right to move the item, write the pattern that
does: a `transact` that deletes the old and creates the new.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let moved = moved(context);
    for (id, entity) in context.model.entity_ids() {
        if moved.contains(&id) {
            continue;
        }
        for (field, changes) in &entity.facts.changes {
            if *changes == Changes::Never {
                continue;
            }
            let mut templates = entity.key.templates();
            let Some(span) = templates.find_map(|template| field_span(template, *field)) else {
                continue;
            };
            let field = entity.field(*field);
            let diagnostic = RULE
                .at(
                    span,
                    format!(
                        "the key of {} holds `{}`, which {}, and a key cannot be changed",
                        entity.name,
                        field.name,
                        often(*changes)
                    ),
                )
                .label("changes")
                .related(field.written.content(), "the field")
                .help(format!(
                    "make the key of an id that stays, and find the item by `{0}` through a guard in [entity.{1}.unique] or an index; \
                     or declare changes = {{ {0} = \"never\" }} if that is so",
                    field.name, entity.name
                ));
            found.report(&[Subject::Entity(id.0)], diagnostic);
        }
    }
}

/// The entities some transaction moves: it deletes the old item and creates the new one.
fn moved(context: &Context<'_>) -> HashSet<EntityId> {
    let accesses = context.model.accesses.iter();
    accesses.flat_map(moved_by).collect()
}

fn moved_by(access: &Access) -> Vec<EntityId> {
    let Verb::Transact(actions) = &access.verb else {
        return Vec::new();
    };
    let of = |kind| {
        let actions = actions.iter().filter(move |action| action.kind == kind);
        actions.map(|action| action.entity.id)
    };
    let created: HashSet<EntityId> = of(ActionKind::Create).collect();
    of(ActionKind::Delete)
        .filter(|deleted| created.contains(deleted))
        .collect()
}

fn often(changes: Changes) -> &'static str {
    match changes {
        Changes::Never => "never changes",
        Changes::Rarely => "changes, if rarely",
        Changes::Sometimes => "changes now and then",
        Changes::Often => "changes often",
    }
}
