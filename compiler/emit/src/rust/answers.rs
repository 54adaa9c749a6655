//! The documentation of a pattern's method: the question, and how it is answered.

use proc_macro2::TokenStream;
use tablewright_model::Model;
use tablewright_model::model::Access;
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
        None => {
            let entities: Vec<String> = access
                .verb
                .entities()
                .iter()
                .map(|entity| format!("[`{}`]", entity.written))
                .collect();
            vec![format!("{} {}.", access.verb.as_str(), entities.join(", "))]
        }
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
