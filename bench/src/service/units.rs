//! What each route is charged, as `/metrics` shows it, against the plan of its pattern.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use http::Method;
use serde_json::json;
use tablewright_plan::Answer;

use super::Place;
use super::http::Caller;

/// Tasks of the size the model says, as many as a search is planned for.
const TASKS: usize = 200;

/// Text that makes a task about as large as the model says.
const TEXT: usize = 40;

const MODEL: &str = include_str!("../../../models/todo.toml");

/// The patterns that answer a list, a search or the counts.
const READS: [(&str, &str); 14] = [
    ("tasks", "/tasks"),
    ("task_titles", "/tasks?fields=title"),
    ("tasks_by_status", "/tasks?status=pending"),
    ("tasks_grouped_by_status", "/tasks?sort=status"),
    ("tasks_with_due_date", "/tasks?sort=due_date"),
    ("tasks_due_on", "/tasks?due_on=2020-01-01"),
    ("tasks_due", "/tasks?due_from=2020-01-01&due_to=2020-02-01"),
    ("overdue_tasks", "/tasks?overdue=true"),
    ("tasks_by_urgency", "/tasks?sort=priority"),
    ("tasks_by_priority", "/tasks?priority=high"),
    ("tasks_grouped_by_category", "/tasks?sort=category"),
    ("tasks_by_category", "/tasks?category=home"),
    ("search_tasks", "/tasks/search?q=nowhere"),
    ("task_counts", "/stats/tasks"),
];

/// What a pattern is planned to cost; of a batch, for each item.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Units {
    /// Of the read, or of the write itself.
    own: f64,
    /// Of what a write reads before, an item of at most 4 KB.
    read_before: f64,
}

fn units_of(answer: Answer) -> Option<Units> {
    match answer {
        Answer::Read(read) => Some(Units {
            own: read.cost.units?,
            read_before: 0.0,
        }),
        Answer::Write(write) => Some(Units {
            own: write.cost.units?,
            read_before: if write.reads_first { 0.5 } else { 0.0 },
        }),
        _ => None,
    }
}

/// The units of every pattern by the plan.
fn planned() -> anyhow::Result<BTreeMap<String, Units>> {
    let model = tablewright_model::parse(MODEL)
        .map_err(|_| anyhow::anyhow!("models/todo.toml has faults"))?;
    let plans = tablewright_plan::plan(&model).into_iter();
    Ok(plans
        .filter_map(|plan| Some((plan.pattern, units_of(plan.answer)?)))
        .collect())
}

/// What a pattern was charged so far.
async fn charged(caller: &Caller, pattern: &str, writes: bool) -> anyhow::Result<Units> {
    let numbers = caller.numbers().await?;
    let named = format!("pattern=\"{pattern}\"");
    let lines = numbers
        .lines()
        .filter(|line| line.starts_with("tablewright_capacity_units_sum") && line.contains(&named));
    let mut charged = Units {
        own: 0.0,
        read_before: 0.0,
    };
    for line in lines {
        let (_, units) = line.rsplit_once(' ').context("a number has no value")?;
        let units: f64 = units.parse()?;
        // A write is told apart from what it reads by the operation.
        match writes && line.contains("GetItem") {
            true => charged.read_before += units,
            false => charged.own += units,
        }
    }
    Ok(charged)
}

pub(super) async fn run(place: &Place) -> anyhow::Result<()> {
    let ada = place.caller("ada");
    let planned = planned()?;
    let task = |number: usize| {
        json!({
            "title": format!("task {number:03}"), "description": "x".repeat(TEXT), "priority": "high", "category": "home", "due_date": "2020-01-01",
        })
        .to_string()
    };
    for number in 0..TASKS {
        ada.send(Method::POST, "/tasks", Some(task(number))).await?;
    }
    let page: serde_json::Value = serde_json::from_slice(&ada.get("/tasks?limit=20").await?)?;
    let items = page["items"].as_array().context("a list has no items")?;
    let ids: Vec<&str> = items
        .iter()
        .filter_map(|item| item["task_id"].as_str())
        .collect();
    ensure!(ids.len() == 20, "there are too few tasks");
    let one = format!("/tasks/{}", ids[0]);
    let named = format!("/tasks?ids={}", ids.join(","));
    let changed = json!({ "status": "in_progress", "priority": "low", "category": "work", "due_date": "2020-01-02" });
    let many = json!({ "status": "completed", "ids": &ids[1..] });
    let get = |(pattern, path)| (pattern, Method::GET, path, None, 1.0);
    let mut asked = vec![get(("task", one.as_str())), get(("tasks_by_ids", &named))];
    asked.extend(READS.map(get));
    let (changed, many) = (Some(changed.to_string()), Some(many.to_string()));
    let bulk = "/tasks/bulk/status";
    asked.extend([
        ("create_task", Method::POST, "/tasks", Some(task(0)), 1.0),
        ("update_task", Method::PATCH, &one, changed, 1.0),
        ("change_status_in_bulk", Method::POST, bulk, many, 19.0),
        ("delete_task", Method::DELETE, &one, None, 1.0),
    ]);
    println!(
        "  units of each route, as /metrics shows them, and of the plan of its pattern; and what a write reads before"
    );
    let mut differ = Vec::new();
    for (pattern, method, path, body, times) in asked {
        let writes = method != Method::GET;
        let before = charged(&ada, pattern, writes).await?;
        ada.send_keyed(method.clone(), path, body, pattern).await?;
        let after = charged(&ada, pattern, writes).await?;
        let units = Units {
            own: after.own - before.own,
            read_before: after.read_before - before.read_before,
        };
        let plan = planned
            .get(pattern)
            .context("the model has no such pattern")?;
        let plan = Units {
            own: plan.own * times,
            read_before: plan.read_before * times,
        };
        let path = if path == named {
            "/tasks?ids=…"
        } else {
            path
        };
        let verdict = if units == plan { "" } else { "   not equal" };
        if units != plan {
            differ.push(pattern);
        }
        let before = match writes {
            true => format!("{:>5} {:>5}", units.read_before, plan.read_before),
            false => " ".repeat(11),
        };
        println!(
            "    {pattern:<26} {:>6} {:>6} {before}   {method} {path}{verdict}",
            units.own, plan.own
        );
    }
    ensure!(
        differ.is_empty(),
        "not charged as planned: {}",
        differ.join(", ")
    );
    Ok(())
}
