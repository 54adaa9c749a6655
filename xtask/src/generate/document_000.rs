//! The 25 access patterns of document 000: what it says each costs, what the plan says, and what was measured.

mod claims;

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, anyhow};
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
engine. It is made from the model and the kept proof by `cargo xtask generate`.

* **Planned** is for one request: a page of 20 tasks of 600 bytes, and of a batch one item. For a write it is the most it can be, with every index, the counts, and the record of
  the request where the pattern has one.
";

const TABLE: &str = "
| | Pattern of the document | Stated | Answered by | Request | Planned | Measured |
|---|---|---|---|---|---|---|
";

/// The page.
pub(crate) fn page() -> anyhow::Result<String> {
    let text = fs::read_to_string(MODEL).context(MODEL)?;
    let model = tablewright_model::parse(&text).map_err(|_| anyhow!("{MODEL} has faults"))?;
    let proof = match fs::read_to_string(PROOF) {
        Ok(text) => KeptProof::parse(&text).with_context(|| PROOF)?,
        Err(_) => KeptProof::default(),
    };
    written(&model, &proof)
}

/// The page, saying of measured costs what the proof says and no more.
fn written(model: &Model, proof: &KeptProof) -> anyhow::Result<String> {
    let mut page = HEAD.to_owned();
    page.push_str(&format!(
        "* **Measured** {}\n",
        claims::measured(&ROWS, proof)
    ));
    page.push_str(TABLE);
    let mut requests = Vec::new();
    for row in &ROWS {
        if row.answered_by.is_empty() {
            let _ = writeln!(
                page,
                "| {} | {} | {} | the table's TTL | none | 0 | 0 |",
                row.demand, row.pattern, row.stated
            );
        }
        for pattern in row.answered_by {
            let (request, planned) = planned(model, pattern)?;
            requests.push(request);
            let _ = writeln!(
                page,
                "| {} | {} | {} | `{pattern}` | {request} | {planned} | {} |",
                row.demand,
                row.pattern,
                row.stated,
                proof
                    .patterns
                    .get(*pattern)
                    .map_or_else(not_measured, shown),
            );
        }
    }
    page.push_str(&claims::differences(model, &requests));
    Ok(page)
}

fn not_measured() -> String {
    String::from("not measured")
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
    let units = match (measured.rcu_small, measured.rcu_large, measured.wcu) {
        (_, _, Some(writes)) => format!("{writes} WCU"),
        (Some(small), Some(large), None) => format!("{small} → {large} RCU"),
        _ => not_measured(),
    };
    match measured.pass {
        true => units,
        false => format!("**failed**: {units}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn todo() -> Model {
        let text = include_str!("../../../models/todo.toml");
        tablewright_model::parse(text).unwrap()
    }

    /// A proof of every pattern, with other words for one of them.
    fn proof(pattern: &str, says: &str) -> KeptProof {
        let entries = ROWS.iter().flat_map(|row| row.answered_by).map(|name| {
            let says = match *name == pattern {
                true => says,
                false => r#""rcu_small": 0.5, "rcu_large": 0.5, "pass": true"#,
            };
            format!(r#"{{"pattern": "{name}", "items_small": 1000, "items_large": 10000, "returned": 1, {says}}}"#)
        });
        let entries: Vec<String> = entries.collect();
        KeptProof::parse(&format!(r#"{{"patterns": [{}]}}"#, entries.join(","))).unwrap()
    }

    // S0-15 … S0-39
    #[test]
    fn every_row_of_the_document_is_there_once() {
        let mut demands: Vec<&str> = ROWS.iter().map(|row| row.demand).collect();
        demands.dedup();
        assert_eq!(demands.len(), 25);
        let wanted: Vec<String> = (15..=39).map(|number| format!("S0-{number}")).collect();
        assert_eq!(demands, wanted);
    }

    // S0-51
    #[test]
    fn the_page_claims_what_was_measured_and_no_more() {
        const FLAT: &str = "No cost grows with the table.";
        let good = written(&todo(), &proof("", "")).unwrap();
        assert!(
            good.contains("in tables of 1,000 and 10,000 items"),
            "{good}"
        );
        assert!(
            good.contains(FLAT) && good.contains("the counts cost at most 0.5 RCU"),
            "{good}"
        );
        let nothing = written(&todo(), &KeptProof::default()).unwrap();
        assert!(
            !nothing.contains(FLAT)
                && nothing.contains("waits for `tablewright prove todo --keep`"),
            "{nothing}"
        );
        let grows = proof(
            "tasks",
            r#""rcu_small": 1.5, "rcu_large": 15, "pass": true"#,
        );
        let grows = written(&todo(), &grows).unwrap();
        assert!(
            !grows.contains(FLAT)
                && grows.contains("These cost more in the larger table: `tasks`."),
            "{grows}"
        );
        let failed = proof(
            "tasks",
            r#""rcu_small": 1.5, "rcu_large": 1.5, "pass": false, "why": "short""#,
        );
        let failed = written(&todo(), &failed).unwrap();
        assert!(
            !failed.contains(FLAT) && failed.contains("The proof failed for `tasks`."),
            "{failed}"
        );
        assert!(failed.contains("| **failed**: 1.5 → 1.5 RCU |"), "{failed}");
        let mut partly = proof("", "");
        partly.patterns.remove("tasks");
        let partly = written(&todo(), &partly).unwrap();
        assert!(
            !partly.contains(FLAT) && partly.contains("Not measured yet: `tasks`."),
            "{partly}"
        );
    }
}
