//! A Scan as an access pattern.

use tablewright_model::model::{Access, Entity, EntityId, Request, Verb};
use tablewright_plan::{Answer, NoAnswer};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "scan",
    code: "R02",
    severity: Error,
    group: Reads,
    summary: "a Scan as an access pattern of the application",
    why: "A Scan reads and bills every item of the table, of every entity and every customer, and filters afterwards. It answers in
milliseconds on a laptop and in minutes in production; it grows with the table, takes the capacity of all other requests, and passes
other people's data through code that was meant for one.

Ask a key. A number is kept in a counter, a selection in an index, a search in one partition or in a search engine fed from the
change stream. Exports read a backup, not the table.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        if plan.request != Request::Scan {
            continue;
        }
        let of = match plan.place.index {
            None => "of every entity and every partition",
            Some(_) => "whatever its partition",
        };
        let mut diagnostic = RULE
            .at(
                plan.request_span.unwrap_or(access.name.span),
                format!(
                    "`{}` reads and bills every item of {}, {of}, for each request",
                    access.name,
                    context.name_of_place(plan.place)
                ),
            )
            .label("reads everything")
            .help(help(context, access, plan.entities.first().copied()));
        if let Some(by) = access.by.first() {
            diagnostic = diagnostic.related(by.written.content(), "the caller knows this");
        }
        found.report(&[Subject::Access(position)], diagnostic);
    }
}

fn help(context: &Context<'_>, access: &Access, id: Option<EntityId>) -> String {
    let answer = context.planned_instead(access);
    let Some(entity) = id.map(|id| context.model.entity(id)) else {
        return "ask a key instead".to_owned();
    };
    match (answer, &access.verb) {
        (Answer::Read(plan), _) => {
            format!("leave `request` out: {}", context.read_in_words(&plan))
        }
        (_, Verb::Count(_)) => count(context, access, entity),
        (_, Verb::Search { .. }) => format!(
            "search one partition: by = [{}]; or feed a search engine from the change stream",
            quoted(&partition_fields(entity))
        ),
        (
            Answer::Nothing(NoAnswer {
                suggestion: Some(key),
                ..
            }),
            _,
        ) => {
            format!("{key}, and leave `request` out")
        }
        _ => "ask a key instead".to_owned(),
    }
}

/// A counter on an entity that has what the caller knows, or else on one for each partition of what is counted.
fn count(context: &Context<'_>, access: &Access, entity: &Entity) -> String {
    let per = access.by.iter().map(|by| by.written.as_str()).find(|by| {
        let field = entity.field_named(by);
        field.is_some_and(|field| entity.field(field).kind().words().is_some())
    });
    let counter = match per {
        None => format!("total = {{ counts = \"{}\" }}", entity.name),
        Some(per) => format!(
            "by_{per} = {{ counts = \"{}\", per = \"{per}\" }}",
            entity.name
        ),
    };
    let partition = partition_fields(entity);
    let asked: Vec<&str> = partition.iter().copied().chain(per).collect();
    let keeper = context.model.entities.iter().find(|keeper| {
        let names = keeper
            .identity()
            .into_iter()
            .map(|field| keeper.field(field).name.as_str());
        keeper.name.value != entity.name.value && names.eq(partition.iter().copied())
    });
    match keeper {
        Some(keeper) => format!(
            "keep the number where it changes: [entity.{}.counters] {counter}, and ask by = [{}]",
            keeper.name,
            quoted(&asked)
        ),
        None => format!(
            "keep the number in the transaction that writes `{}`: {counter} in [entity.….counters]",
            entity.name
        ),
    }
}

fn partition_fields(entity: &Entity) -> Vec<&str> {
    let fields = entity.key.partition.parts.iter().flatten();
    fields
        .map(|field| entity.field(*field).name.as_str())
        .collect()
}

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    quoted.join(", ")
}
