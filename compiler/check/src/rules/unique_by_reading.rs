//! Uniqueness checked by reading first.

use tablewright_model::condition::{Condition, Operator};
use tablewright_model::model::{Access, Entity, EntityId};

use crate::relied_reads::{Danger, ReliedRead, relied_reads};
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "unique-by-reading",
    code: "W01",
    severity: Error,
    group: Writes,
    summary: "a create that relies on having found no such item through an index or a filter",
    why: "Two requests look at the same moment, both find nothing, and both create: the value is there twice. An index makes it worse, as it
follows the table with a delay and cannot be read strongly. A test with one caller never shows it.

Let the key do it: make what must be unique the key of the entity, so that the condition of the create refuses the second.
Or declare it under `unique`: a guard item with the value as its key is put in the same transaction.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.accesses() {
        for relied in relied_reads(context, access, plan) {
            let Danger::CreatesTwice(id) = relied.danger else {
                continue;
            };
            let entity = context.model.entity(id);
            let diagnostic = RULE
                .at(
                    relied.written.content(),
                    format!(
                        "`{}` creates {} because `{}` found none: two requests at once both find none, and both create",
                        access.name, entity.name, relied.read.name
                    ),
                )
                .label("reads first")
                .related(relied.read.name.span, "looks elsewhere than at the key")
                .help(help(context, id, entity, &relied));
            found.report(
                &[Subject::Access(position), Subject::Entity(id.0)],
                diagnostic,
            );
        }
    }
}

/// The guard for the fields the read looks by.
fn help(context: &Context<'_>, id: EntityId, entity: &Entity, relied: &ReliedRead<'_>) -> String {
    let names = names_of(relied.read);
    let Some(first) = names.first() else {
        return format!(
            "make what must be unique the key of {}, or guard it under [entity.{}.unique]",
            entity.name, entity.name
        );
    };
    let parts: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
    let partition = format!("{}#{}", first.to_uppercase(), parts.join("#"));
    let sort = match context.table_of(id).sort_key {
        Some(_) => ", sort = \"METADATA\"",
        None => "",
    };
    format!(
        "guard it, in [entity.{}.unique]: {} = {{ partition = \"{partition}\"{sort} }}; or make {} the key of {}",
        entity.name,
        names.join("_"),
        names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(" and "),
        entity.name
    )
}

/// The fields the read looks by: given by the caller, or equal to a value.
fn names_of(read: &Access) -> Vec<&str> {
    let mut names: Vec<&str> = read.by.iter().map(|by| by.written.as_str()).collect();
    let conjuncts = read
        .condition
        .iter()
        .flat_map(|condition| condition.condition.conjuncts());
    names.extend(conjuncts.filter_map(|part| match part {
        Condition::Compare {
            field,
            operator: Operator::Equal,
            ..
        } => Some(field.name.as_str()),
        _ => None,
    }));
    names
}
