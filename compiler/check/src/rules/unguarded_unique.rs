//! A field called unique without a guard, or written past it.

use tablewright_model::field_type::FieldType;
use tablewright_model::model::ActionKind;

use crate::left_behind::writes_by_hand;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "unguarded-unique",
    code: "W02",
    severity: Error,
    group: Writes,
    summary: "a field called unique that nothing keeps unique, or that a request by hand writes without its guard",
    why: "DynamoDB enforces uniqueness of primary keys only. An index by e-mail finds two users as readily as one, and a look-up before
the write finds none while another request is about to write the same value.

Give it a guard: an item whose key is the value, put in the same transaction on condition that it is not there. Tablewright writes,
moves and frees it with the entity.

A request by hand writes what it names and no guard: PutItem lets a second item take a value, UpdateItem leaves the old value taken and the new one free,
DeleteItem leaves a value that nobody has and nobody can have. Leave `request` out.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    without_a_guard(context, found);
    past_the_guard(context, found);
}

fn without_a_guard(context: &Context<'_>, found: &mut Found) {
    for (id, entity) in context.model.entity_ids() {
        let sort = context.table_of(id).sort_key.is_some();
        for unique in &entity.unique {
            let Some(word) = &unique.unguarded else {
                continue;
            };
            let name = &unique.name.value;
            let prefix = name.to_uppercase();
            let field = entity.field_named(name);
            // Nobody has two addresses that differ in case only.
            let lower = match field.map(|field| entity.field(field).kind()) {
                Some(FieldType::Email) => ":lower",
                _ => "",
            };
            let sort = if sort { ", sort = \"METADATA\"" } else { "" };
            let guard = format!("{{ partition = \"{prefix}#{{{name}{lower}}}\"{sort} }}");
            let mut diagnostic = RULE
                .at(
                    word.span,
                    format!(
                        "`{name}` of {} is to be unique, and nothing keeps it so",
                        entity.name
                    ),
                )
                .label("two items can hold the same value")
                .help(format!("give it a guard item: {name} = {guard}"));
            if field.is_some() {
                diagnostic = diagnostic.fix("guard it", word.span, guard);
            }
            found.report(&[Subject::Entity(id.0)], diagnostic);
        }
    }
}

/// Writes by hand of what has a guard.
fn past_the_guard(context: &Context<'_>, found: &mut Found) {
    for write in writes_by_hand(context) {
        let entity = context.model.entity(write.entity);
        let does = |unique: &str| match write.kind {
            ActionKind::Create => format!(
                "creates {} without the guard of `{unique}`: two items can hold the same value",
                entity.name
            ),
            ActionKind::Delete => format!(
                "deletes {} and leaves the guard of `{unique}`: its value stays taken, and nobody has it",
                entity.name
            ),
            _ => format!(
                "changes {} and not the guard of `{unique}`: the old value stays taken, and two items can hold the new one",
                entity.name
            ),
        };
        for unique in &write.guards {
            let mut diagnostic = RULE
                .at(write.at, format!("`{}` {}", write.access.name, does(unique)))
                .label("writes no guard")
                .help("leave `request` and its expressions out: a planned write has the guard in the same transaction");
            let mut guarded = entity.unique.iter();
            if let Some(guarded) = guarded.find(|one| one.name.value == *unique) {
                diagnostic = diagnostic.related(guarded.name.content(), "the guard");
            }
            let subjects = [
                Subject::Access(write.position),
                Subject::Entity(write.entity.0),
            ];
            found.report(&subjects, diagnostic);
        }
    }
}
