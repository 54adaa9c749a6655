//! A key part the caller cannot know when it reads.

use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Entity, FieldId, Request};
use tablewright_plan::Answer;
use tablewright_plan::hand::HandPlan;

use crate::key_space::field_span;
use crate::rule::rule;
use crate::unanswered::{Unanswered, asks_for_one, unanswered, unknown_moment};
use crate::{Context, Found, Subject};

rule! {
    name: "unknown-at-read",
    code: "K24",
    severity: Error,
    group: Keys,
    summary: "a moment in the key of an item that is read by its id",
    why: "GetItem, UpdateItem and DeleteItem take the whole key, to the last character. A caller that holds an id does not
know the millisecond at which the item was written, so code ends up querying the partition and filtering, or
storing the time beside every reference.

Keep the time out of the key of what is read by id: key it by the id, and put the time into an index for lists in
order of time. A ULID as the id is both: known to the caller and ordered by time.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.accesses() {
        if !asks_for_one(&access.verb) {
            continue;
        }
        let id = access.verb.entity().id;
        let entity = context.model.entity(id);
        let moment = match &plan.answer {
            Answer::Nothing(nothing) => match unanswered(context.model, access, nothing) {
                Unanswered::MomentUnknown(field) => Some(field),
                _ => None,
            },
            Answer::ByHand(plan) => unknown_by_hand(entity, access, plan),
            Answer::Read(_) | Answer::Write(_) => None,
        };
        let Some(moment) = moment else {
            continue;
        };
        let name = &entity.field(moment).name;
        let mut templates = entity.key.templates();
        let part = templates.find_map(|template| field_span(template, moment));
        let diagnostic = RULE
            .at(
                part.unwrap_or(access.name.span),
                format!(
                    "`{}` is to find one {} and does not know its `{name}`, which is in the key",
                    access.name, entity.name
                ),
            )
            .label("known only to whoever wrote the item")
            .related(access.name.span, format!("asks without `{name}`"))
            .help(help(entity, name.as_str()));
        found.report(
            &[Subject::Access(position), Subject::Entity(id.0)],
            diagnostic,
        );
    }
}

fn help(entity: &Entity, moment: &str) -> String {
    let ids = entity.identity().into_iter().map(|id| entity.field(id));
    let ulid = ids
        .into_iter()
        .find(|field| *field.kind() == FieldType::Ulid);
    match ulid {
        Some(ulid) => format!(
            "take `{moment}` out of the key: `{}` is a ULID and sorts by time itself",
            ulid.name
        ),
        None => format!(
            "take `{moment}` out of the key of {} and put it into an index for lists in its order; or let the id be \
             a `ulid`, which sorts by time itself",
            entity.name
        ),
    }
}

/// The moment a point request written by hand needs and its caller does not have.
fn unknown_by_hand(entity: &Entity, access: &Access, plan: &HandPlan) -> Option<FieldId> {
    let whole_key = matches!(
        plan.request,
        Request::GetItem | Request::BatchGetItem | Request::UpdateItem | Request::DeleteItem
    );
    if !whole_key || plan.place.index.is_some() {
        return None;
    }
    let is_moment = |field: FieldId| entity.field(field).kind().is_moment();
    let mut tests = plan.partition.iter().chain(&plan.sort).peekable();
    if tests.peek().is_none() {
        return unknown_moment(access, entity.key.field_ids(), is_moment);
    }
    // A parameter has a name of its own, and the caller gives it.
    let named = tests
        .flat_map(|test| &test.values)
        .flat_map(|operand| operand.value.field_parts())
        .filter(|(_, id, part)| entity.field(*id).name.value == part.name)
        .map(|(_, id, _)| id);
    unknown_moment(access, named, is_moment)
}
