//! An index that leaves out items a pattern asks for.

use tablewright_model::condition::{Condition, ValueSets};
use tablewright_model::model::{Access, Entity, EntityId, FieldId, IndexId, IndexKey};
use tablewright_plan::Answer;
use tablewright_plan::hand::HandPlan;

use crate::key_space::field_span;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "accidental-sparse",
    code: "K19",
    severity: Warning,
    group: Keys,
    summary: "an optional field in an index key, and a pattern that misses the items without it",
    why: "An item is in an index only when it has every attribute of the index key. A pattern that reads the index
without asking for the optional field gives a list that looks whole and is not: a new subscription that was never
notified is never found, and so never notified.

Make the field required and give it a first value. Where leaving items out is meant, say so: `where = \"due exists\"`
on the pattern, or `sparse = true` on the entity's entry of the index.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.accesses() {
        let (index, entities, by_hand) = match &plan.answer {
            Answer::Read(plan) => (plan.place.index, &plan.entities, None),
            Answer::ByHand(plan) if access.verb.is_read() => {
                (plan.place.index, &plan.entities, Some(plan))
            }
            _ => continue,
        };
        let Some(index) = index else {
            continue;
        };
        for id in entities {
            let entity = context.model.entity(*id);
            let missed = entity
                .keys_in(index)
                .filter(|key| key.when.is_none() && !key.sparse)
                .find_map(|key| Some((key, left_out(access, entity, key, by_hand)?)));
            if let Some((key, field)) = missed {
                report(
                    context,
                    (position, access),
                    (*id, index),
                    (key, field),
                    found,
                );
            }
        }
    }
}

/// An optional field of the key that the pattern does not ask for.
fn left_out(
    access: &Access,
    entity: &Entity,
    key: &IndexKey,
    by_hand: Option<&HandPlan>,
) -> Option<FieldId> {
    let optional = |field: &FieldId| entity.field(*field).is_optional();
    key.key
        .field_ids()
        .into_iter()
        .filter(optional)
        .find(|field| {
            let name = entity.field(*field).name.as_str();
            let known = access.by.iter().any(|by| by.written.value == name);
            let bounded = access.range.iter().any(|range| range.id == *field);
            !known
                && !bounded
                && !is_in_where(access, name)
                && !by_hand.is_some_and(|plan| gives(plan, *field))
        })
}

fn is_in_where(access: &Access, name: &str) -> bool {
    let parts = access
        .condition
        .iter()
        .flat_map(|condition| condition.condition.conjuncts());
    parts
        .filter_map(|part: &Condition| ValueSets::of(part))
        .any(|sets| sets.0.contains_key(name))
}

/// Whether a request written by hand tests the field itself.
fn gives(plan: &HandPlan, field: FieldId) -> bool {
    let tests = plan.partition.iter().chain(&plan.sort);
    tests
        .flat_map(|test| &test.values)
        .any(|operand| operand.value.has(field))
}

fn report(
    context: &Context<'_>,
    (position, access): (usize, &Access),
    (id, index): (EntityId, IndexId),
    (key, field): (&IndexKey, FieldId),
    found: &mut Found,
) {
    let entity = context.model.entity(id);
    let name = &entity.field(field).name;
    let mut templates = key.key.templates();
    let part = templates.find_map(|template| field_span(template, field));
    let diagnostic = RULE
        .at(
            access.name.span,
            format!(
                "`{}` reads {} and misses every {} without `{name}`",
                access.name, key.name, entity.name
            ),
        )
        .label(format!("does not ask for `{name}`"))
        .related(part.unwrap_or(key.span), "an item without it is not in the index")
        .related(entity.field(field).written.content(), "optional")
        .help(format!(
            "make `{name}` required with a first value; or say that it is meant: where = \"{name} exists\" here, or \
             sparse = true on {} in [entity.{}.index]",
            key.name, entity.name
        ));
    let table = entity.table;
    let subjects = [
        Subject::Access(position),
        Subject::Entity(id.0),
        Subject::Index(table.0, index.0),
    ];
    found.report(&subjects, diagnostic);
}
