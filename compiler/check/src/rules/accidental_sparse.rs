//! An index that leaves out items a pattern asks for.

use tablewright_model::condition::{Condition, Operator};
use tablewright_model::model::{Access, Entity, EntityId, FieldId, IndexId, IndexKey, Where};
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
            let asked = match &plan.answer {
                Answer::Read(plan) => plan.key_of(context.model, *id),
                _ => by_hand.and_then(|plan| plan.key_of(context.model, *id)),
            };
            let missed = entity
                .keys_in(index)
                .filter(|key| {
                    !key.sparse && asked.is_none_or(|asked| std::ptr::eq(asked, &key.key))
                })
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

/// An optional field of the key that neither the pattern nor the index's own condition speaks of.
fn left_out(
    access: &Access,
    entity: &Entity,
    key: &IndexKey,
    by_hand: Option<&HandPlan>,
) -> Option<FieldId> {
    let mut fields = key.key.field_ids().into_iter();
    fields.find(|field| {
        let name = entity.field(*field).name.as_str();
        let known = access.by.iter().any(|by| by.written.value == name)
            || access
                .range
                .iter()
                .any(|range| range.written.value.split_whitespace().next() == Some(name))
            || [&access.condition, &key.when]
                .into_iter()
                .flatten()
                .any(|part| needs(part, name))
            || by_hand.is_some_and(|plan| gives(plan, *field));
        entity.field(*field).is_optional() && !known
    })
}

/// Whether a condition holds only of items that have the field.
fn needs(condition: &Where, name: &str) -> bool {
    let mut parts = condition.condition.conjuncts().iter();
    parts.any(|part| match part {
        // An attribute that is not there differs from every value.
        Condition::Compare {
            operator: Operator::NotEqual,
            ..
        } => false,
        Condition::Compare { field, .. }
        | Condition::In { field, .. }
        | Condition::Exists {
            field,
            present: true,
        } => field.name == name,
        _ => false,
    })
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
