//! An order the key cannot give.

use tablewright_keys::algebra::{self, WhyUnordered};
use tablewright_model::model::{EntityId, FieldId};
use tablewright_plan::{Answer, OrderGiven, suggested_key};

use crate::asked::{Asked, Origin};
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "order-not-given",
    code: "R10",
    severity: Error,
    group: Reads,
    summary: "an order the key cannot give",
    why: "DynamoDB sorts by the sort key, forwards or backwards, and by nothing else. Code that sorts a page after reading it sorts
that page only: the newest item may be on page seven.

Give the field the place right behind what the caller knows, in the sort key of an index. Numbers need a width, ordered enums `:rank`,
and a field that runs the other way than the rest `:desc`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for asked in context.queries() {
        let (OrderGiven::No(field), Some(entity)) = (asked.order, asked.entities.first()) else {
            continue;
        };
        let Some(order) = &asked.access.order else {
            continue;
        };
        let term = order.by.iter().find(|term| term.id == *field);
        let name = &context.field(*entity, *field).name;
        let Some(reason) = reason(context, &asked, *entity, *field) else {
            continue;
        };
        let place = context.name_of_place(asked.place);
        let mut diagnostic = RULE
            .at(
                term.map_or(order.written.content(), |term| term.span),
                format!(
                    "`{}` asks for the order of `{name}`, and {place} does not give it: {reason}",
                    asked.access.name
                ),
            )
            .label("not sorted by this");
        if let Some(sort) = asked.sort_of(context, *entity) {
            diagnostic = diagnostic.related(sort.written.content(), "the sort key that is asked");
        }
        let help = help(context, &asked, *entity, *field);
        found.report(&[Subject::Access(asked.position)], diagnostic.help(help));
    }
}

/// Why the key does not give the order; none where a rule on the encoding of the field says it better.
fn reason(
    context: &Context<'_>,
    asked: &Asked<'_>,
    id: EntityId,
    field: FieldId,
) -> Option<String> {
    if asked.entities.len() > 1 {
        return Some("several entities sort by their keys, whatever fields they have".to_owned());
    }
    let Some(sort) = asked.sort_of(context, id) else {
        return Some("it has no sort key".to_owned());
    };
    if !sort.has(field) {
        return Some("its sort key does not hold it".to_owned());
    }
    let terms = asked.access.order.iter().flat_map(|order| &order.by);
    let asked_fields: Vec<FieldId> = terms.map(|term| term.id).collect();
    let before = sort.field_parts().map(|(_, id, part)| (id, part));
    let mut before = before.take_while(|(id, _)| *id != field);
    let first = before
        .find(|(other, _)| !asked.fixes(context, id, *other) && !asked_fields.contains(other));
    if let Some((_, part)) = first {
        return Some(format!("in its sort key `{}` comes first", part.name));
    }
    let position = sort.parts.iter().position(|part| *part == Some(field))?;
    match algebra::order_upto(&sort.typed, position + 1).map_err(|broken| broken.why) {
        Err(
            WhyUnordered::UnpaddedNumber | WhyUnordered::UnevenTimestamp | WhyUnordered::Decimal,
        ) if context.sorts_text(asked.place) => None,
        Err(WhyUnordered::Hash) => Some("a shard scatters it".to_owned()),
        Err(WhyUnordered::Case) => Some("it holds it in lower case".to_owned()),
        Err(_) => Some("its text does not sort like its values".to_owned()),
        Ok(()) if inverse(context, asked, id, field).is_some() => {
            Some("its sort key runs one way, and the order asks for both".to_owned())
        }
        Ok(()) => Some("its sort key has the fields in another order".to_owned()),
    }
}

fn help(context: &Context<'_>, asked: &Asked<'_>, id: EntityId, field: FieldId) -> String {
    if asked.entities.len() > 1 {
        return "ask for `order = \"asc\"` or \"desc\", or list each entity by itself".to_owned();
    }
    if let Origin::ByHand(_) = asked.origin
        && let Answer::Read(plan) = context.planned_instead(asked.access)
        && plan.order.is_given()
    {
        return format!("another key gives it: {}", context.read_in_words(&plan));
    }
    if let Some(inverse) = inverse(context, asked, id, field) {
        return format!("let the key run the other way there: {inverse}");
    }
    suggested_key(context.model, asked.access).map_or_else(
        || "ask for an order that a key gives".to_owned(),
        |suggestion| suggestion.to_string(),
    )
}

/// The part of the template that would have to run the other way, where only the direction is wrong.
fn inverse(
    context: &Context<'_>,
    asked: &Asked<'_>,
    id: EntityId,
    field: FieldId,
) -> Option<String> {
    let order = asked.access.order.as_ref()?;
    let directions: Vec<bool> = order.by.iter().map(|term| term.descending).collect();
    let sort = asked.sort_of(context, id)?;
    let (_, _, part) = sort.field_parts().find(|(_, own, _)| *own == field)?;
    let follows = sort
        .field_parts()
        .map(|(_, own, _)| own)
        .filter(|own| !asked.fixes(context, id, *own))
        .take(order.by.len())
        .eq(order.by.iter().map(|term| term.id));
    let mixed = directions.iter().any(|one| *one != directions[0]);
    (follows && mixed && !part.encodings.desc)
        .then(|| format!("{{{}{}:desc}}", part.name, part.encodings))
}
