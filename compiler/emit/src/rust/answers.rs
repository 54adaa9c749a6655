//! The documentation of a pattern's method: the question, and how it is answered.

use proc_macro2::TokenStream;
use tablewright_model::Model;
use tablewright_model::model::{Access, Verb};
use tablewright_plan::Plan;

use super::format::{docs, prose};

/// The question, then the plan as `tablewright plan` tells it, then the budget.
pub(super) fn documentation(
    model: &Model,
    access: &Access,
    plan: &Plan,
    more: &[&str],
) -> TokenStream {
    let mut lines = match &access.ask {
        Some(ask) => prose(ask.as_str()),
        None => vec![in_short(access)],
    };
    if !more.is_empty() {
        lines.push(String::new());
        lines.extend(more.iter().map(|line| (*line).to_owned()));
    }
    lines.push(String::new());
    lines.push("```text".to_owned());
    let told = plan.to_text(model);
    // Behind the pattern's name and its question.
    let told = told.lines().skip(1 + usize::from(access.ask.is_some()));
    lines.extend(told.map(|line| line.strip_prefix("  ").unwrap_or(line).to_owned()));
    if let Some(budget) = &access.budget {
        lines.push(format!("{:<9} {}", "budget", budget.written));
    }
    lines.push("```".to_owned());
    docs(lines)
}

/// What a pattern does, where nobody says what is asked.
fn in_short(access: &Access) -> String {
    let entity = format!("[`{}`]", access.verb.entity().written);
    match &access.verb {
        Verb::Get(_) => format!("The {entity} of these values, if it is there."),
        Verb::List(entities) if entities.len() > 1 => {
            let entities = entities.iter();
            let entities: Vec<String> = entities
                .map(|entity| format!("[`{}`]", entity.written))
                .collect();
            format!("The items of one collection: {}.", entities.join(", "))
        }
        Verb::List(_) => format!("The {entity} items of these values."),
        Verb::Count(_) => format!("How many {entity} items have these values."),
        Verb::Search { .. } => format!("The {entity} items that have these words."),
        Verb::Create(_) => format!("A new {entity}."),
        Verb::Update { .. } => format!("A change of one {entity}."),
        Verb::Delete(_) => format!("The end of one {entity}."),
        Verb::Transact(_) => "Several actions, all or none.".to_owned(),
        Verb::Batch(_) => format!("Many {entity} items, each for itself."),
    }
}
