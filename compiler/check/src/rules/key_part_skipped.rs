//! Parts of a key used out of order.

use tablewright_model::model::{EntityId, FieldId, IndexId};
use tablewright_model::{Diagnostic, Span};
use tablewright_plan::Answer;
use tablewright_plan::hand::{Alignment, HandTest};

use crate::key_space::field_span;
use crate::rule::rule;
use crate::unanswered::{Unanswered, unanswered};
use crate::{Context, Found, Subject};

rule! {
    name: "key-part-skipped",
    code: "K03",
    severity: Error,
    group: Keys,
    summary: "a part of a key used without the parts before it",
    why: "A sort key is one text, compared from its first character. `begins_with` and ranges therefore reach a part only
when every part before it is given: with keys `STATUS#open#2024-01-31` there is no asking for a day in all
statuses. Such a query finds nothing, or the code reads the partition and filters.

Give the parts before it too, or keep an index whose sort key begins with what the caller knows.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        for test in plan.partition.iter().chain(&plan.sort) {
            if let Some(diagnostic) = by_hand(context, &plan.entities, access.name.as_str(), test) {
                found.report(&[Subject::Access(position)], diagnostic);
            }
        }
    }
    for (position, access, plan) in context.accesses() {
        let Answer::Nothing(nothing) = &plan.answer else {
            continue;
        };
        let Unanswered::PartSkipped {
            index,
            known,
            before,
        } = unanswered(context.model, access, nothing)
        else {
            continue;
        };
        let entity = context.model.entity(nothing.entity);
        let (known_name, before_name) = (&entity.field(known).name, &entity.field(before).name);
        let asked = access
            .by
            .iter()
            .map(|by| (by.id, &by.written))
            .chain(access.range.iter().map(|range| (range.id, &range.written)))
            .find(|(id, _)| *id == known);
        let span = asked.map_or(access.name.span, |(_, written)| written.content());
        let mut diagnostic = RULE
            .at(
                span,
                format!(
                    "`{}` gives `{known_name}` without `{before_name}`, which comes first in the sort key: \
                     no query can skip it",
                    access.name
                ),
            )
            .label(format!("stands behind `{before_name}`"))
            .help(match &nothing.suggestion {
                Some(key) => format!("give `{before_name}` too, or {key}"),
                None => format!("give `{before_name}` too"),
            });
        if let Some(span) = skipped_part(context, nothing.entity, index, known, before) {
            diagnostic = diagnostic.related(span, "the part that is left out");
        }
        found.report(&[Subject::Access(position)], diagnostic);
    }
}

fn by_hand(
    context: &Context<'_>,
    entities: &[EntityId],
    pattern: &str,
    test: &HandTest,
) -> Option<Diagnostic> {
    let entity = context.model.entity(*entities.first()?);
    let (operand, known, before) =
        test.values
            .iter()
            .find_map(|operand| match operand.alignment {
                Alignment::Skips { known, before } => Some((operand, known, before)),
                _ => None,
            })?;
    let before_name = &entity.field(before).name;
    let mut diagnostic = RULE
        .at(
            field_span(&operand.value, known).unwrap_or_else(|| operand.value.written.content()),
            format!(
                "`{pattern}` gives `{}` to `{}` without `{before_name}`, which comes first in it: it finds nothing",
                entity.field(known).name,
                test.attribute
            ),
        )
        .label(format!("stands behind `{before_name}`"))
        .help(format!(
            "the key is \"{}\": give it from the left, `{before_name}` included, or ask an index whose key begins \
             with `{}`",
            operand.stored,
            entity.field(known).name
        ));
    if let Some(span) = field_span(&operand.stored, before) {
        diagnostic = diagnostic.related(span, "the part that is left out");
    }
    Some(diagnostic)
}

/// Where the part that is left out stands in the key of the table or the index.
fn skipped_part(
    context: &Context<'_>,
    entity: EntityId,
    index: Option<IndexId>,
    known: FieldId,
    before: FieldId,
) -> Option<Span> {
    let entity = context.model.entity(entity);
    let table = index.is_none().then_some(&entity.key);
    let indexes = entity.index_keys.iter();
    let of_index = indexes.filter(|key| Some(key.index) == index);
    let mut sorts = table
        .into_iter()
        .chain(of_index.map(|key| &key.key))
        .filter_map(|key| key.sort.as_ref());
    let sort = sorts.find(|sort| sort.has(known) && sort.has(before))?;
    field_span(sort, before)
}
