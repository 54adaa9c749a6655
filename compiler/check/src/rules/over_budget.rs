//! A plan whose cost exceeds its budget.

use tablewright_model::model::{Access, Budget, UnitKind};
use tablewright_model::{Diagnostic, Severity};
use tablewright_plan::{Answer, Cost, CostOf, Plan, cost_by_hand};

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
        if let Some(budget) = &access.finding_budget
            && let Some(diagnostic) = of_finding(access, budget, plan)
        {
            found.report(&[Subject::Access(position)], diagnostic);
        }
        let Some(budget) = &access.budget else {
            continue;
        };
        let cost = match &plan.answer {
            Answer::Read(read) => read.cost.clone(),
            Answer::Write(write) => write.cost.clone(),
            Answer::ByHand(by_hand) => match cost_by_hand(context.model, access, by_hand) {
                Some(cost) => cost,
                None => continue,
            },
            Answer::Nothing(_) => continue,
        };
        let diagnostic = if cost.kind == budget.kind {
            too_dear(access, budget, &cost, &of(access))
        } else {
            Some(of_the_other_kind(access, budget, &cost))
        };
        if let Some(diagnostic) = diagnostic {
            found.report(&[Subject::Access(position)], diagnostic);
        }
    }
}

fn of_the_other_kind(access: &Access, budget: &Budget, cost: &Cost) -> Diagnostic {
    let unit = word(cost.kind);
    let message = format!(
        "`{}` costs {unit}, and its budget is in {}: nothing holds it",
        access.name,
        word(budget.kind)
    );
    RULE.at(budget.written.content(), message)
        .label(format!("it costs {unit}: {}", cost.formula))
        .help(match cost.units {
            Some(units) => format!("budget = \"{units} {unit}\""),
            None => format!("give it in {unit}"),
        })
}

/// What is read to find the items of a batch, a page of them.
fn of_finding(access: &Access, budget: &Budget, plan: &Plan) -> Option<Diagnostic> {
    match &plan.answer {
        Answer::Write(write) => match &write.finds {
            Some(finds) => too_dear(access, budget, &finds.cost, " to find a page of its items"),
            None => Some(of_the_other_kind(access, budget, &write.cost)),
        },
        _ => None,
    }
}

/// What a cost is of, behind it.
fn of(access: &Access) -> String {
    match CostOf::of(access) {
        CostOf::Request | CostOf::Page => String::new(),
        CostOf::Item => " for each item".to_owned(),
        CostOf::Key => " for each key".to_owned(),
        other => format!(" for {other}"),
    }
}

fn too_dear(access: &Access, budget: &Budget, cost: &Cost, of: &str) -> Option<Diagnostic> {
    let unit = word(cost.kind);
    let at = budget.written.content();
    let name = &access.name;
    // What it costs at least is known without any fact.
    let (units, bound) = match cost.units {
        Some(units) if cost.kind == UnitKind::Write => (units, "up to "),
        Some(units) => (units, ""),
        None => (cost.at_least, "at least "),
    };
    if units > budget.units + 1e-9 {
        let less = match cost.kind {
            UnitKind::Read => {
                "read fewer or smaller items: a smaller `page`, an index that projects less"
            }
            UnitKind::Write => {
                "write less: fewer indexes, a smaller item, no transaction where one item does"
            }
        };
        let message = format!(
            "`{name}` costs {bound}{units} {unit}{of}, and its budget is {}",
            budget.written
        );
        let diagnostic = RULE
            .at(at, message)
            .label(format!("{} {unit}", cost.formula))
            .help(format!("{less}; or budget = \"{units} {unit}\""));
        return Some(diagnostic);
    }
    if cost.units.is_some() {
        return None;
    }
    let message = format!("whether `{name}` keeps its budget cannot be said: a fact is missing");
    let mut note = RULE
        .at(at, message)
        .label(format!("it costs {} {unit}", cost.formula))
        .help(format!("declare {}", cost.lacks.join(" and ")));
    note.severity = Severity::Note;
    Some(note)
}

fn word(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Read => "rcu",
        UnitKind::Write => "wcu",
    }
}
