//! A pattern that no key answers.

use tablewright_model::model::{Access, Entity};
use tablewright_plan::{Answer, SuggestedKey};

use crate::rule::rule;
use crate::unanswered::{Unanswered, unanswered};
use crate::{Context, Found, Subject};

rule! {
    name: "no-answer",
    code: "R01",
    severity: Error,
    group: Reads,
    summary: "an access pattern that no key or index answers",
    why: "DynamoDB answers a question only through a key. Without one the code ends in a Scan with a filter, which reads and bills the
whole table for every request, and is slower with every item that is stored.

Give the entity a key in an index that begins with what the caller knows. The finding shows the entry that would do;
`tablewright plan` shows why each existing key does not.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.accesses() {
        let Answer::Nothing(nothing) = &plan.answer else {
            continue;
        };
        // A part that is skipped and a moment nobody knows have rules of their own, which say more.
        let Unanswered::NoKey = unanswered(context.model, access, nothing) else {
            continue;
        };
        let entity = context.model.entity(nothing.entity);
        let because: Vec<String> = nothing
            .misfits
            .iter()
            .map(|misfit| misfit.to_text(context.model, nothing.entity))
            .collect();
        let mut diagnostic = RULE
            .at(
                access.name.span,
                format!("no key answers `{}`: {}", access.name, because.join("; ")),
            )
            .label("asks for what no key gives")
            .help(help(access, entity, nothing.suggestion.as_ref()));
        if let Some(by) = access.by.first() {
            diagnostic = diagnostic.related(by.written.content(), "the caller knows this");
        }
        found.report(&[Subject::Access(position)], diagnostic);
    }
}

fn help(access: &Access, entity: &Entity, suggestion: Option<&SuggestedKey>) -> String {
    match suggestion {
        Some(key) => key.to_string(),
        None if access.verb.entities().len() > 1 => {
            "list each entity by itself, or give them all what the caller knows".to_owned()
        }
        None => {
            let identity = entity.identity().into_iter();
            let names: Vec<String> = identity
                .map(|field| format!("\"{}\"", entity.field(field).name))
                .collect();
            format!("name it by its whole key: by = [{}]", names.join(", "))
        }
    }
}
