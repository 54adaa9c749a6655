//! A plan that costs more than its budget.

use tablewright_model::Severity;
use tablewright_model::model::UnitKind;
use tablewright_plan::Answer;

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "over-budget",
    code: "O12",
    severity: Error,
    group: Operation,
    summary: "a pattern that costs more than its budget",
    why: "Capacity is billed by the sizes that are read and written, not by the answer: a query reads whole items in blocks of 4 KB, a write is
billed for the item and again for each index, a transaction twice. What looks like one unit in a design is often six.

Read fewer or smaller items, drop an index, shorten the page; or correct the budget. The formula shows where the units come from.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.accesses() {
        let Some(budget) = &access.budget else {
            continue;
        };
        let (cost, of) = match &plan.answer {
            Answer::Read(read) => (&read.cost, ""),
            Answer::Write(write) if write.each => (&write.cost, " for each item"),
            Answer::Write(write) => (&write.cost, ""),
            // Of a request by hand the planner knows no cost.
            Answer::ByHand(_) | Answer::Nothing(_) => continue,
        };
        let unit = word(cost.kind);
        let at = budget.written.content();
        let diagnostic = match cost.units {
            _ if cost.kind != budget.kind => RULE
                .at(
                    at,
                    format!(
                        "`{}` costs {unit}, and its budget is in {}: nothing holds it",
                        access.name,
                        word(budget.kind)
                    ),
                )
                .label(format!("it costs {unit}: {}", cost.formula))
                .help(match cost.units {
                    Some(units) => format!("budget = \"{units} {unit}\""),
                    None => format!("give it in {unit}"),
                }),
            Some(units) if units > budget.units + 1e-9 => RULE
                .at(
                    at,
                    format!("`{}` costs {units} {unit}{of}, and its budget is {}", access.name, budget.written),
                )
                .label(format!("{} = {units} {unit}", cost.formula))
                .help(format!(
                    "{}; or budget = \"{units} {unit}\"",
                    match cost.kind {
                        UnitKind::Read => "read fewer or smaller items: a smaller `page`, an index that projects less",
                        UnitKind::Write => "write less: fewer indexes, a smaller item, no transaction where one item does",
                    }
                )),
            Some(_) => continue,
            None => {
                let mut note = RULE
                    .at(
                        at,
                        format!("whether `{}` keeps its budget cannot be said: a fact is missing", access.name),
                    )
                    .label(format!("it costs {} {unit}", cost.formula))
                    .help(format!("declare {}", cost.lacks.join(" and ")));
                note.severity = Severity::Note;
                note
            }
        };
        found.report(&[Subject::Access(position)], diagnostic);
    }
}

fn word(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Read => "rcu",
        UnitKind::Write => "wcu",
    }
}
