//! What routes cost: the units DynamoDB charged, as `/metrics` shows them, are those of the model's plan.

use std::collections::BTreeMap;

use http::Method;
use serde_json::{Value, json};
use tablewright_plan::Answer;

use crate::support::{Asks as _, Caller, Program, todo_in};

/// The units of every pattern of the model, by the plan.
fn planned() -> BTreeMap<String, f64> {
    let text = std::fs::read_to_string("../../models/todo.toml").unwrap();
    let model = tablewright_model::parse(&text).unwrap();
    let plans = tablewright_plan::plan(&model).into_iter();
    let units = |answer| match answer {
        Answer::Read(read) => read.cost.units.unwrap(),
        Answer::Write(write) => write.cost.units.unwrap(),
        other => panic!("{other:?}"),
    };
    plans
        .map(|plan| (plan.pattern, units(plan.answer)))
        .collect()
}

/// What each pattern was charged so far, by operation.
async fn charged(ada: &Caller) -> BTreeMap<(String, String), f64> {
    let numbers = ada.get("~/metrics").await.expect(200).text;
    let label = |line: &str, name: &str| {
        let rest = line.split_once(&format!("{name}=\""))?.1;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let lines = numbers
        .lines()
        .filter(|line| line.starts_with("tablewright_capacity_units_sum"));
    lines
        .map(|line| {
            let place = (
                label(line, "pattern").unwrap(),
                label(line, "operation").unwrap(),
            );
            (place, line.rsplit_once(' ').unwrap().1.parse().unwrap())
        })
        .collect()
}

/// What one request was charged, by pattern and operation.
async fn cost_of(ada: &Caller, asked: &Asked) -> BTreeMap<(String, String), f64> {
    let before = charged(ada).await;
    let mut headers = asked.headers.clone();
    if asked.keyed {
        headers.push(("idempotency-key", asked.pattern));
    }
    let sent = ada.send(
        asked.method.clone(),
        &asked.path,
        asked.body.clone(),
        &headers,
    );
    let reply = sent.await;
    assert!(reply.status < 300, "{}: {}", asked.path, reply.text);
    let mut after = charged(ada).await;
    for (place, units) in &mut after {
        *units -= before.get(place).unwrap_or(&0.0);
    }
    after.retain(|_, units| *units > 0.0);
    after
}

struct Asked {
    /// What answers it,
    pattern: &'static str,
    /// so often.
    times: f64,
    method: Method,
    path: String,
    body: Option<Value>,
    keyed: bool,
    headers: Vec<(&'static str, &'static str)>,
}

fn read(pattern: &'static str, path: impl Into<String>) -> Asked {
    Asked {
        pattern,
        times: 1.0,
        method: Method::GET,
        path: path.into(),
        body: None,
        keyed: false,
        headers: Vec::new(),
    }
}

fn write(pattern: &'static str, method: Method, path: &str, body: Option<Value>) -> Asked {
    Asked {
        method,
        body,
        keyed: true,
        ..read(pattern, path)
    }
}

/// As large as the model says: about 600 bytes, of which the most are names and the keys of the indexes.
fn task(number: usize) -> Value {
    json!({
        "title": format!("task {number:03}"), "description": "x".repeat(DESCRIPTION), "priority": "high", "category": "home", "due_date": "2020-01-01",
    })
}

const DESCRIPTION: usize = 40;

/// S0-51, C0-14: each route costs what the plan of its pattern says, at the sizes the model says.
#[tokio::test(flavor = "multi_thread")]
async fn every_route_costs_what_its_pattern_is_planned_to() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(todo_in(folder.path()));
    let ada = program.caller(folder.path(), "ada");
    let planned = planned();
    let me = |name: &str| Some(json!({ "email": format!("{name}@example.org"), "name": name }));
    let mut ids = Vec::new();
    for number in 0..200 {
        ids.push(ada.task(task(number)).await);
    }
    let one = format!("/tasks/{}", ids[0]);
    let two = format!("/tasks/{}", ids[1]);
    let three = format!("/tasks/{}", ids[40]);
    let changed = json!({ "title": "other", "status": "in_progress", "priority": "low", "category": "work", "due_date": "2020-01-02" });
    let status = |status: &str, ids: &[String]| Some(json!({ "status": status, "ids": ids }));
    let reads = [
        read("task", &one),
        read("tasks", "/tasks"),
        read("task_titles", "/tasks?fields=title,status"),
        read("tasks_by_status", "/tasks?status=pending"),
        read("tasks_grouped_by_status", "/tasks?sort=status"),
        read("tasks_with_due_date", "/tasks?sort=due_date"),
        read("tasks_due_on", "/tasks?due_on=2020-01-01"),
        read("tasks_due", "/tasks?due_from=2020-01-01&due_to=2020-01-31"),
        read("overdue_tasks", "/tasks?overdue=true"),
        read("tasks_by_urgency", "/tasks?sort=priority"),
        read("tasks_by_priority", "/tasks?priority=high"),
        read("tasks_grouped_by_category", "/tasks?sort=category"),
        read("tasks_by_category", "/tasks?category=home"),
        read(
            "tasks_refined",
            "/tasks?status=pending,in_progress&sort=created",
        ),
        read(
            "tasks_by_ids",
            format!("/tasks?ids={}", ids[..20].join(",")),
        ),
        read("search_tasks", "/tasks/search?q=nowhere"),
        read("task_counts", "/stats/tasks"),
    ];
    let writes = [
        write("create_user", Method::PUT, "/users/me", me("ada")),
        read("user", "/users/me"),
        write("update_user", Method::PUT, "/users/me", me("ada2")),
        write("create_task", Method::POST, "/tasks", Some(task(0))),
        write("update_task", Method::PATCH, &one, Some(changed)),
        write("delete_task", Method::DELETE, &two, None),
        Asked {
            headers: vec![("if-match", "*")],
            ..write("delete_seen_task", Method::DELETE, &three, None)
        },
        Asked {
            times: 20.0,
            keyed: false,
            ..write(
                "change_status_in_bulk",
                Method::POST,
                "/tasks/bulk/status",
                status("completed", &ids[2..22]),
            )
        },
        // With a key, a request of many steps claims it first and keeps the answer last.
        write(
            "begin_request",
            Method::POST,
            "/tasks/bulk/status",
            status("in_progress", &ids[30..31]),
        ),
        write(
            "answer_request",
            Method::POST,
            "/tasks/bulk/status",
            status("in_progress", &ids[31..32]),
        ),
        Asked {
            times: 20.0,
            keyed: false,
            ..write(
                "delete_completed_in_bulk",
                Method::POST,
                "/tasks/bulk/delete-completed",
                None,
            )
        },
        write("delete_user", Method::DELETE, "/users/me", None),
    ];
    let mut wrong = Vec::new();
    for asked in reads.iter().chain(&writes) {
        let cost = cost_of(&ada, asked).await;
        let expected = planned[asked.pattern] * asked.times;
        let of_pattern = cost.iter().filter(|((pattern, operation), _)| {
            // A write reads before, for the version: that is told apart by the operation.
            let writes = ["Write", "Update", "Put"];
            let is_write = writes.iter().any(|word| operation.contains(word));
            pattern == asked.pattern && (asked.method == Method::GET || is_write)
        });
        let found: f64 = of_pattern.map(|(_, units)| units).sum();
        // What else the request did is told under patterns too, and not under the names of entities.
        let entities = ["User", "Task", "TaskCounts", "Idempotency"];
        let strange = cost
            .keys()
            .find(|(pattern, _)| entities.contains(&pattern.as_str()));
        if let Some(strange) = strange {
            wrong.push(format!("{}: {strange:?} is no pattern", asked.pattern));
        }
        let looked_up: f64 = cost
            .iter()
            .filter(|((pattern, _), _)| pattern == "idempotent_answer")
            .map(|(_, units)| units)
            .sum();
        let expected_of_key = match asked.keyed {
            true => planned["idempotent_answer"],
            false => 0.0,
        };
        if looked_up != expected_of_key {
            wrong.push(format!(
                "{}: the key costs {looked_up}: {cost:?}",
                asked.pattern
            ));
        }
        if found != expected {
            wrong.push(format!(
                "{}: {found} and not {expected}: {cost:?}",
                asked.pattern
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
