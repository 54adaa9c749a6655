//! What routes cost: the units DynamoDB charged, as `/metrics` shows them, are those of the model's plan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use http::Method;
use serde_json::{Value, json};
use tablewright_plan::Answer;

use crate::support::{Asks as _, Caller, Program, todo_in};

/// What a pattern is planned to cost.
struct Planned {
    units: f64,
    writes: bool,
    /// What a write reads before, for its version and what belongs to it: an item of at most 4 KB, eventually consistent.
    reads: f64,
}

/// Every pattern of the model, by the plan.
fn planned() -> BTreeMap<String, Planned> {
    let text = std::fs::read_to_string("../../models/todo.toml").unwrap();
    let model = tablewright_model::parse(&text).unwrap();
    let plans = tablewright_plan::plan(&model).into_iter();
    let units = |answer| match answer {
        Answer::Read(read) => Planned {
            units: read.cost.units.unwrap(),
            writes: false,
            reads: 0.0,
        },
        Answer::Write(write) => Planned {
            units: write.cost.units.unwrap(),
            writes: true,
            reads: if write.reads_first { 0.5 } else { 0.0 },
        },
        other => panic!("{other:?}"),
    };
    plans
        .map(|plan| (plan.pattern, units(plan.answer)))
        .collect()
}

/// What each pattern was charged so far, by operation.
async fn charged(ada: &Caller) -> Cost {
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

/// What was charged, by pattern and operation.
type Cost = BTreeMap<(String, String), f64>;

/// What one request was charged.
async fn cost_of(caller: &Caller, asked: &Asked) -> Cost {
    let before = charged(caller).await;
    let mut headers = asked.headers.clone();
    if asked.keyed {
        headers.push(("idempotency-key", asked.expected[0].0));
    }
    let sent = caller.send(
        asked.method.clone(),
        &asked.path,
        asked.body.clone(),
        &headers,
    );
    let reply = sent.await;
    assert_eq!(
        reply.status < 300,
        asked.succeeds,
        "{}: {}",
        asked.path,
        reply.text
    );
    let mut after = charged(caller).await;
    for (place, units) in &mut after {
        *units -= before.get(place).unwrap_or(&0.0);
    }
    after.retain(|_, units| *units > 0.0);
    after
}

struct Asked {
    /// What answers it, and how often.
    expected: Vec<(&'static str, f64)>,
    method: Method,
    path: String,
    body: Option<Value>,
    keyed: bool,
    headers: Vec<(&'static str, &'static str)>,
    succeeds: bool,
}

fn read(pattern: &'static str, path: impl Into<String>) -> Asked {
    Asked {
        expected: vec![(pattern, 1.0)],
        method: Method::GET,
        path: path.into(),
        body: None,
        keyed: false,
        headers: Vec::new(),
        succeeds: true,
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

impl Asked {
    /// Without a key, and answered by these patterns.
    fn without_key(self, expected: &[(&'static str, f64)]) -> Self {
        Asked {
            keyed: false,
            expected: expected.to_vec(),
            ..self
        }
    }
}

/// Asks, compares with the plan, and remembers which patterns were compared.
struct Comparison {
    planned: BTreeMap<String, Planned>,
    held: BTreeSet<&'static str>,
    wrong: Vec<String>,
}

impl Comparison {
    async fn ask(&mut self, caller: &Caller, asked: &Asked) {
        let cost = cost_of(caller, asked).await;
        for (pattern, times) in &asked.expected {
            self.compare(pattern, *times, &cost);
        }
        // What else the request did is told under patterns too, and not under the names of entities.
        let entities = ["User", "Task", "TaskCounts", "Idempotency"];
        let mut places = cost.keys();
        let strange = places.find(|(pattern, _)| entities.contains(&pattern.as_str()));
        if let Some(strange) = strange {
            self.wrong.push(format!("{strange:?} is no pattern"));
        }
        if asked.keyed {
            self.compare("idempotent_answer", 1.0, &cost);
        }
    }

    fn compare(&mut self, pattern: &'static str, times: f64, cost: &Cost) {
        let Planned {
            units,
            writes,
            reads,
        } = self.planned[pattern];
        let found: f64 = cost
            .iter()
            .filter(|((of, operation), _)| {
                // A write reads before, for the version: that is told apart by the operation.
                let is_write = WRITES.iter().any(|word| operation.contains(word));
                of == pattern && is_write == writes
            })
            .map(|(_, units)| units)
            .sum();
        let read_before = ("GetItem", reads * times);
        let read = cost.get(&(pattern.to_owned(), read_before.0.to_owned()));
        if writes && read.copied().unwrap_or_default() != read_before.1 {
            self.wrong
                .push(format!("{pattern}: {read:?} read and not {read_before:?}"));
        }
        self.held.insert(pattern);
        if found != units * times {
            let expected = units * times;
            self.wrong
                .push(format!("{pattern}: {found} and not {expected}: {cost:?}"));
        }
    }
}

/// How operations are called that write.
const WRITES: [&str; 4] = ["Write", "Update", "Put", "Delete"];

/// The patterns of the model that the service calls, by its source: all of them are compared. What the command `todo check` reads is no route's.
fn used(planned: &BTreeMap<String, Planned>) -> BTreeSet<String> {
    let mut folders = vec![PathBuf::from("src")];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.file_stem().and_then(|name| name.to_str()) {
                Some("model" | "check") => {}
                _ if path.is_dir() => folders.push(path),
                _ => texts.push(std::fs::read_to_string(path).unwrap()),
            }
        }
    }
    let is_called = |pattern: &&String| {
        let call = format!(".{pattern}(");
        texts.iter().any(|text| text.contains(&call))
    };
    planned.keys().filter(is_called).cloned().collect()
}

/// As large as the model says: about 600 bytes, of which the most are names and the keys of the indexes.
fn task(number: usize) -> Value {
    json!({
        "title": format!("task {number:03}"), "description": "x".repeat(DESCRIPTION), "priority": "high", "category": "home", "due_date": "2020-01-01",
    })
}

const DESCRIPTION: usize = 40;

/// S0-51, C0-14: each route costs what the plan of its patterns says, at the sizes the model says; and no pattern the service uses is left out.
#[tokio::test(flavor = "multi_thread")]
async fn every_route_costs_what_its_pattern_is_planned_to() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(todo_in(folder.path()));
    let mut comparison = Comparison {
        planned: planned(),
        held: BTreeSet::new(),
        wrong: Vec::new(),
    };
    let named = |name: &str| program.caller(folder.path(), name);
    one_persons_tasks(&mut comparison, &named("ada")).await;
    leaving(&mut comparison, named).await;
    let Comparison {
        planned,
        held,
        wrong,
    } = comparison;
    assert!(wrong.is_empty(), "{wrong:#?}");
    let used = used(&planned);
    assert!(used.len() > 30, "{used:?}");
    let left_out: Vec<&String> = used
        .iter()
        .filter(|pattern| !held.contains(pattern.as_str()))
        .collect();
    assert!(left_out.is_empty(), "nobody compared {left_out:?}");
}

fn me(name: &str) -> Option<Value> {
    Some(json!({ "email": format!("{name}@example.org"), "name": name }))
}

async fn one_persons_tasks(comparison: &mut Comparison, ada: &Caller) {
    let mut ids = Vec::new();
    for number in 0..200 {
        ids.push(ada.task(task(number)).await);
    }
    let one = format!("/tasks/{}", ids[0]);
    let two = format!("/tasks/{}", ids[1]);
    let three = format!("/tasks/{}", ids[40]);
    let changed = json!({ "title": "other", "status": "in_progress", "priority": "low", "category": "work", "due_date": "2020-01-02" });
    let same = Some(json!({ "title": "other" }));
    let status = |status: &str, ids: &[String]| Some(json!({ "status": status, "ids": ids }));
    let (bulk, clear) = ("/tasks/bulk/status", "/tasks/bulk/delete-completed");
    let asked = [
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
        write("create_user", Method::PUT, "/users/me", me("ada")),
        read("user", "/users/me"),
        write("update_user", Method::PUT, "/users/me", me("ada2")),
        write("create_task", Method::POST, "/tasks", Some(task(0))),
        write("update_task", Method::PATCH, &one, Some(changed)),
        // What changes nothing writes the record of its key, and no task.
        write("begin_request", Method::PATCH, &one, same),
        write("delete_task", Method::DELETE, &two, None),
        Asked {
            headers: vec![("if-match", "*")],
            ..write("delete_seen_task", Method::DELETE, &three, None)
        },
        write("-", Method::POST, bulk, status("completed", &ids[2..22]))
            .without_key(&[("tasks_as_of_now", 1.0), ("change_status_in_bulk", 20.0)]),
        // What has its status is read, and that is all.
        write("-", Method::POST, bulk, status("completed", &ids[2..22]))
            .without_key(&[("tasks_as_of_now", 1.0), ("change_status_in_bulk", 0.0)]),
        // With a key, a request of many steps claims it first and keeps the answer last.
        Asked {
            expected: vec![("begin_request", 1.0), ("answer_request", 1.0)],
            ..write("-", Method::POST, bulk, status("in_progress", &ids[30..31]))
        },
        // What it is about is kept as well, where it says so itself.
        Asked {
            expected: vec![
                ("hold_request", 1.0),
                ("completed_tasks", 1.0),
                ("delete_completed_in_bulk", 20.0),
            ],
            ..write("-", Method::POST, clear, None)
        },
    ];
    for asked in &asked {
        comparison.ask(ada, asked).await;
    }
}

/// How many records a page of them has.
const RECORDS: usize = 100;

/// How long a title makes the record of the answer a little less than a kilobyte.
const TITLE: usize = 150;

/// How long a description does the rest.
const REST: usize = 120;

/// What it costs to ask for records where there are none, as a part of a page: twice, for the page after the last and once all are gone.
const EMPTY: f64 = 2.0 / 25.0;

/// Those who leave: with everything, without a task, without a profile, and without anything.
async fn leaving(comparison: &mut Comparison, named: impl Fn(&str) -> Caller) {
    let leave = |expected: &[(&'static str, f64)]| {
        write("-", Method::DELETE, "/users/me", None).without_key(expected)
    };
    let all = named("all");
    all.put("/users/me", me("all").unwrap()).await.expect(201);
    let mut ids = Vec::new();
    for number in 0..20 {
        ids.push(all.task(task(number)).await);
    }
    for number in 0..RECORDS {
        let key = format!("{number:036}");
        let said = json!({ "title": format!("{number:0TITLE$}"), "description": "x".repeat(REST) });
        let path = format!("/tasks/{}", ids[0]);
        all.send(
            Method::PATCH,
            &path,
            Some(said),
            &[("idempotency-key", &key)],
        )
        .await
        .expect(200);
    }
    // Twice, since tasks were found the first time; and once more after the records are gone, whose end is not known before.
    let expected = [
        ("counts_that_go", 2.0),
        ("delete_user_tasks", 20.0),
        ("user_records", 1.0 + EMPTY),
        ("forget_records", RECORDS as f64),
        ("delete_user", 1.0),
    ];
    comparison.ask(&all, &leave(&expected)).await;

    let alone = named("alone");
    let made = alone.put("/users/me", me("alone").unwrap()).await;
    made.expect(201);
    comparison
        .ask(&alone, &leave(&[("delete_user_alone", 1.0)]))
        .await;

    let unknown = named("unknown");
    unknown.task(task(0)).await;
    comparison
        .ask(&unknown, &leave(&[("delete_counts_alone", 1.0)]))
        .await;

    // Whoever is not there is refused: the key they gave is free again.
    let nobody = Asked {
        headers: vec![("idempotency-key", "nobody")],
        succeeds: false,
        ..leave(&[("begin_request", 1.0), ("drop_request", 1.0)])
    };
    comparison.ask(&named("nobody"), &nobody).await;
}
