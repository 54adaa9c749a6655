//! The 25 access patterns of document 000: what it says each costs, what the plan says, and what was measured.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, anyhow, bail};
use tablewright_emit::proof::{KeptProof, Measured};
use tablewright_model::Model;
use tablewright_plan::{Answer, Cost, plan_one};

pub(crate) const PAGE: &str = "docs/document-000-patterns.md";
const MODEL: &str = "models/todo.toml";
const PROOF: &str = "docs/specs/jobs/todo/proof.json";

/// A row of the document's table of access patterns.
struct Row {
    demand: &'static str,
    /// The document's words.
    pattern: &'static str,
    stated: &'static str,
    /// The patterns of the model that answer it.
    answered_by: &'static [&'static str],
}

#[rustfmt::skip]
const ROWS: [Row; 25] = [
    Row { demand: "S0-15", pattern: "Fetch user by user_id", stated: "0.5 RCU", answered_by: &["user"] },
    Row { demand: "S0-16", pattern: "Fetch task by task_id", stated: "0.5 RCU", answered_by: &["task"] },
    Row { demand: "S0-17", pattern: "Fetch all tasks for user", stated: "~1-5 RCU", answered_by: &["tasks"] },
    Row { demand: "S0-18", pattern: "Fetch tasks by status for user", stated: "~1-5 RCU", answered_by: &["tasks_grouped_by_status"] },
    Row { demand: "S0-19", pattern: "Fetch tasks by specific status for user", stated: "~1-5 RCU", answered_by: &["tasks_by_status"] },
    Row { demand: "S0-20", pattern: "Fetch tasks by due date for user", stated: "~1-5 RCU", answered_by: &["tasks_with_due_date"] },
    Row { demand: "S0-21", pattern: "Fetch tasks by specific due date for user", stated: "~1-5 RCU", answered_by: &["tasks_due_on"] },
    Row { demand: "S0-22", pattern: "Fetch tasks by date range for user", stated: "~1-5 RCU", answered_by: &["tasks_due"] },
    Row { demand: "S0-23", pattern: "Pagination support", stated: "No additional cost", answered_by: &["tasks"] },
    Row { demand: "S0-24", pattern: "Fetch tasks by priority for user", stated: "~1-5 RCU", answered_by: &["tasks_by_urgency"] },
    Row { demand: "S0-25", pattern: "Fetch tasks by specific priority for user", stated: "~1-5 RCU", answered_by: &["tasks_by_priority"] },
    Row { demand: "S0-26", pattern: "Fetch tasks by category for user", stated: "~1-5 RCU", answered_by: &["tasks_grouped_by_category"] },
    Row { demand: "S0-27", pattern: "Fetch tasks by specific category for user", stated: "~1-5 RCU", answered_by: &["tasks_by_category"] },
    Row { demand: "S0-28", pattern: "Fetch completed tasks by user", stated: "~1-5 RCU", answered_by: &["completed_tasks"] },
    Row { demand: "S0-29", pattern: "Fetch overdue tasks for user", stated: "~1-5 RCU", answered_by: &["overdue_tasks"] },
    Row { demand: "S0-30", pattern: "Fetch all tasks with due dates for user", stated: "~1-5 RCU", answered_by: &["tasks_with_due_date"] },
    Row { demand: "S0-31", pattern: "Task analytics: Count by status", stated: "~50-200 RCU", answered_by: &["count_by_status"] },
    Row { demand: "S0-32", pattern: "Task analytics: Count by priority", stated: "~50-200 RCU", answered_by: &["count_by_priority"] },
    Row { demand: "S0-33", pattern: "Bulk update task status", stated: "1.5 WCU per item", answered_by: &["change_status_in_bulk"] },
    Row { demand: "S0-34", pattern: "Bulk delete completed tasks", stated: "0.5 WCU per item", answered_by: &["delete_completed_in_bulk"] },
    Row { demand: "S0-35", pattern: "Search tasks by title/description", stated: "~50-500 RCU", answered_by: &["search_tasks"] },
    Row { demand: "S0-36", pattern: "Create/Update task", stated: "1 WCU", answered_by: &["create_task", "update_task"] },
    Row { demand: "S0-37", pattern: "Delete task", stated: "0.5 WCU", answered_by: &["delete_task"] },
    Row { demand: "S0-38", pattern: "Idempotency check", stated: "0.5 RCU", answered_by: &["idempotent_answer"] },
    Row { demand: "S0-39", pattern: "Idempotency cleanup", stated: "0 RCU", answered_by: &[] },
];

const HEAD: &str = "\
# The 25 access patterns of document 000

The To-Do document lists 25 access patterns with a cost for each (S0-51). This page holds each against what `models/todo.toml` plans and what `tablewright prove` measured on the
engine, at two sizes of the table ten-fold apart. It is made from the model and the kept proof by `cargo xtask generate`.

* **Planned** is for one request: a page of 20 tasks of 600 bytes, and of a batch one item. For a write it is the most it can be, with every index, the counts, and the record of
  the request where the pattern has one.
* **Measured** is what the engine reported, for the smaller and for the larger table. No cost grows with the table.

";

const TAIL: &str = "
Where the document differs:

* A delete takes at least one unit and one for each index that holds the task, never half a unit; a task of four indexes costs five to create, not one (C0-14). Ours has five, keeps the counts in the same
  transaction, and remembers the answer to the request.
* The counts and the search are no scans: counts are kept with the tasks (C0-11), and a search reads one user's tasks (C0-12). What the scans would cost is in [costs.md](costs.md).
* The check for a repeated request reads strongly, because one that has just been answered must be found; that is a whole unit (C0-15).
* Bulk changes are one conditional transaction a task, since `BatchWriteItem` can neither change an item nor keep a condition (C0-13).
";

/// The page.
pub(crate) fn page() -> anyhow::Result<String> {
    let text = fs::read_to_string(MODEL).context(MODEL)?;
    let model = tablewright_model::parse(&text).map_err(|_| anyhow!("{MODEL} has faults"))?;
    let proof = match fs::read_to_string(PROOF) {
        Ok(text) => KeptProof::parse(&text).with_context(|| PROOF)?,
        Err(_) => KeptProof::default(),
    };
    let mut page = HEAD.to_owned();
    page.push_str(
        "| | Pattern of the document | Stated | Answered by | Request | Planned | Measured |\n",
    );
    page.push_str("|---|---|---|---|---|---|---|\n");
    for row in &ROWS {
        if row.answered_by.is_empty() {
            let _ = writeln!(
                page,
                "| {} | {} | {} | the table's TTL | none | 0 | 0 |",
                row.demand, row.pattern, row.stated
            );
        }
        for pattern in row.answered_by {
            let (request, planned) = planned(&model, pattern)?;
            let measured = proof.patterns.get(*pattern);
            if let Some(measured) = measured
                && (!measured.pass || measured.rcu_large > measured.rcu_small)
            {
                bail!("the kept proof of {pattern} is no proof: {measured:?}");
            }
            let _ = writeln!(
                page,
                "| {} | {} | {} | `{pattern}` | {request} | {planned} | {} |",
                row.demand,
                row.pattern,
                row.stated,
                measured.map_or_else(|| String::from("not measured"), shown),
            );
        }
    }
    page.push_str(TAIL);
    Ok(page)
}

/// The request and its cost.
fn planned(model: &Model, pattern: &str) -> anyhow::Result<(&'static str, String)> {
    let access = model.access(pattern);
    let access = access.with_context(|| format!("{MODEL} has no pattern {pattern}"))?;
    let units = |cost: &Cost, unit: &str| match cost.units {
        Some(units) => format!("{units} {unit}"),
        None => String::from("unknown"),
    };
    match plan_one(model, access).answer {
        Answer::Read(plan) => Ok((plan.operation.as_str(), units(&plan.cost, "RCU"))),
        Answer::Write(plan) => Ok((plan.operation.as_str(), units(&plan.cost, "WCU"))),
        _ => Err(anyhow!("{pattern} is not planned")),
    }
}

/// `1.5 → 1.5 RCU`, or the units of a write.
fn shown(measured: &Measured) -> String {
    match (measured.rcu_small, measured.rcu_large, measured.wcu) {
        (_, _, Some(writes)) => format!("{writes} WCU"),
        (Some(small), Some(large), None) => format!("{small} → {large} RCU"),
        _ => String::from("not measured"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // S0-15 … S0-39
    #[test]
    fn every_row_of_the_document_is_there_once() {
        let mut demands: Vec<&str> = ROWS.iter().map(|row| row.demand).collect();
        demands.dedup();
        assert_eq!(demands.len(), 25);
        let wanted: Vec<String> = (15..=39).map(|number| format!("S0-{number}")).collect();
        assert_eq!(demands, wanted);
    }
}
