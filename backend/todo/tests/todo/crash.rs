//! The program itself, killed under load: nothing it acknowledged is lost, and tasks, counts and index entries agree.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use crate::support::{Caller, Program, Reply, todo_in};

/// What a task may be: as it was acknowledged last, or as a request asked for that was never answered.
#[derive(Debug, Clone, Default)]
struct Known {
    acknowledged: Option<Value>,
    under_way: Option<Asked>,
}

#[derive(Debug, Clone)]
struct Asked {
    method: Method,
    path: String,
    body: Option<Value>,
    key: String,
}

const WORKERS: usize = 6;

/// Writes until the program is gone: each worker makes tasks, changes some, deletes some, one request after the other.
async fn work(caller: Caller, worker: usize, round: usize, told: Arc<AtomicUsize>) -> Vec<Known> {
    let known = Mutex::new(Vec::new());
    for number in 0.. {
        let mut task = Known::default();
        let priority = ["low", "medium", "high", "urgent"][number % 4];
        let mut asked = Asked {
            method: Method::POST,
            path: "/tasks".into(),
            body: Some(
                json!({ "title": format!("{round}-{worker}-{number}"), "priority": priority, "category": format!("c{}", number % 3), "due_date": "2030-01-01" }),
            ),
            key: format!("{round}-{worker}-{number}-0"),
        };
        for step in 1..4 {
            task.under_way = Some(asked.clone());
            let Some(reply) = ask(&caller, &asked).await else {
                known.lock().unwrap().push(task);
                return known.into_inner().unwrap();
            };
            told.fetch_add(1, Ordering::SeqCst);
            task.under_way = None;
            task.acknowledged = Some(if reply.status == 204 {
                Value::Null
            } else {
                reply.body.clone()
            });
            let Some(id) = reply.body["task_id"].as_str() else {
                break;
            };
            let path = format!("/tasks/{id}");
            let (method, body) = match (step, number % 5) {
                (1, _) => (
                    Method::PATCH,
                    Some(json!({ "status": "completed", "priority": null })),
                ),
                (2, 0) => (Method::DELETE, None),
                (2, _) => (
                    Method::PATCH,
                    Some(json!({ "status": "pending", "category": "moved", "due_date": null })),
                ),
                _ => break,
            };
            asked = Asked {
                method,
                path,
                body,
                key: format!("{round}-{worker}-{number}-{step}"),
            };
        }
        known.lock().unwrap().push(task);
    }
    Vec::new()
}

async fn ask(caller: &Caller, asked: &Asked) -> Option<Reply> {
    let body = asked.body.as_ref().map(ToString::to_string);
    let reply = caller
        .try_send(
            asked.method.clone(),
            &asked.path,
            body.as_deref(),
            &[("idempotency-key", &asked.key)],
        )
        .await
        .ok()?;
    assert!(reply.status < 300, "{}", reply.text);
    Some(reply)
}

/// S0-38, S0-44, C0-10, C0-15
#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_outlives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut all: BTreeMap<usize, Vec<Known>> = BTreeMap::new();
    for (round, enough) in [(0, 5), (1, 120), (2, 200)] {
        let program = Program::start(todo_in(folder));
        let told = Arc::new(AtomicUsize::new(0));
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                tokio::spawn(work(
                    program.caller(folder, &format!("worker-{worker}")),
                    worker,
                    round,
                    Arc::clone(&told),
                ))
            })
            .collect();
        while told.load(Ordering::SeqCst) < enough {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        program.kill();
        for (worker, known) in workers.into_iter().enumerate() {
            all.entry(worker).or_default().extend(known.await.unwrap());
        }
        agree(folder);
        verify(folder, &mut all).await;
    }
}

/// `todo check`, on what a killed process left.
fn agree(folder: &Path) {
    let checked = todo_in(folder).arg("check").output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&checked.stdout),
        String::from_utf8_lossy(&checked.stderr),
    );
    assert!(checked.status.success(), "{out}{err}");
    assert!(
        out.contains("agree with their counts and their indexes"),
        "{out}"
    );
}

/// Every task is as it was acknowledged; what was under way was done or was not, and sent again it is done once.
async fn verify(folder: &Path, all: &mut BTreeMap<usize, Vec<Known>>) {
    let program = Program::start(todo_in(folder));
    for (worker, tasks) in all {
        let caller = program.caller(folder, &format!("worker-{worker}"));
        for task in tasks.iter_mut() {
            if let Some(asked) = task.under_way.take() {
                let reply = ask(&caller, &asked).await.unwrap();
                let again = ask(&caller, &asked).await.unwrap();
                assert_eq!((again.status, &again.text), (reply.status, &reply.text));
                let before = task.acknowledged.take().unwrap_or_default();
                // What a deletion leaves is known by what was there.
                task.acknowledged = Some(if reply.status == 204 {
                    json!({ "gone": before["task_id"] })
                } else {
                    reply.body
                });
            }
        }
        let pages = caller.pages("/tasks", 100).await;
        let stored: BTreeMap<String, Value> = pages
            .into_iter()
            .flatten()
            .map(|task| (task["task_id"].as_str().unwrap().to_owned(), task))
            .collect();
        let mut expected = 0;
        for task in tasks.iter() {
            let known = task.acknowledged.as_ref().unwrap();
            let Some(id) = known["task_id"].as_str() else {
                continue;
            };
            expected += 1;
            assert_eq!(stored.get(id), Some(known), "worker {worker}");
        }
        assert_eq!(
            stored.len(),
            expected,
            "worker {worker}: nothing that was deleted is back, and nothing was made twice"
        );
    }
    drop(program);
    agree(folder);
}
