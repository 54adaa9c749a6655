//! Memory over many requests: reads of all kinds, and changes that leave as much stored as there was, by several callers.

use anyhow::{Context as _, ensure};
use http::Method;
use serde_json::Value;
use tablewright::Ulid;

use super::Place;
use crate::library::{bare_create_task, samples};

const WORKERS: usize = 8;
const TASKS: usize = 50;

/// What may be added after the first quarter, in megabytes: what the allocator and the engine's caches still take, and not what requests leave.
const MOST_GROWTH: u64 = 16;

pub(super) async fn run(place: &Place, requests: usize) -> anyhow::Result<()> {
    let mut known: Vec<Ulid> = Vec::new();
    for number in 0..TASKS {
        let task = samples::task("ada", number)?;
        known.push(task.task_id);
        bare_create_task(&place.client, task).await?;
    }
    println!("  memory of the process over {requests} requests, reads and some changes");
    let (mut first, mut last) = (0, 0);
    for quarter in 1..=4 {
        let share = requests / 4 / WORKERS;
        let running: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let (caller, known) = (place.caller("ada"), known.clone());
                let writer = place.caller(&format!("writer-{worker}"));
                tokio::spawn(async move {
                    for number in 0..share {
                        let path = format!("/tasks/{}", known[(worker + number) % TASKS]);
                        match number % 20 {
                            0 => drop(
                                caller
                                    .send(
                                        Method::PATCH,
                                        &path,
                                        Some(format!("{{\"title\":\"{number}\"}}")),
                                    )
                                    .await?,
                            ),
                            // Written and deleted: as much is stored as before.
                            1 => {
                                let made = writer
                                    .send(
                                        Method::POST,
                                        "/tasks",
                                        Some(String::from("{\"title\":\"for a moment\"}")),
                                    )
                                    .await?;
                                let made: Value = serde_json::from_slice(&made)?;
                                let id = made["task_id"].as_str().context("task_id")?;
                                let path = format!("/tasks/{id}");
                                drop(writer.send(Method::DELETE, &path, None).await?);
                            }
                            3 => drop(caller.get("/tasks").await?),
                            4 => drop(caller.get("/tasks?status=pending&priority=high").await?),
                            5 => drop(caller.get("/tasks/search?q=task").await?),
                            6 => drop(caller.get("/stats/tasks").await?),
                            _ => drop(caller.get(&path).await?),
                        }
                    }
                    anyhow::Ok(())
                })
            })
            .collect();
        for worker in running {
            worker.await??;
        }
        last = megabytes();
        if quarter == 1 {
            first = last;
        }
        println!(
            "    after {:>7} requests: {last} MB",
            requests / 4 * quarter
        );
    }
    let growth = last.saturating_sub(first);
    println!("    growth after the first quarter: {growth} MB (target: at most {MOST_GROWTH} MB)");
    ensure!(growth <= MOST_GROWTH, "the memory grows with the requests");
    Ok(())
}

/// What the process holds now, where the system tells.
fn megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1024
}
