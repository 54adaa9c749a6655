//! Every list of somebody with a hundred tasks, alone in the table and beside a hundred thousand tasks of others.

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::Place;
use super::http::Caller;
use crate::growing_table;
use crate::interleaved::medians;
use crate::library::{bare_create_task, samples};

const TASKS: usize = 100;

const OTHERS: usize = 100_000;

/// Every list there is; `ids=` is beside them, since each place has its own.
const LISTS: [&str; 18] = [
    "/tasks",
    "/tasks?fields=title,status",
    "/tasks?status=pending",
    "/tasks?status=pending,in_progress",
    "/tasks?status=pending&priority=high",
    "/tasks?sort=status",
    "/tasks?sort=due_date",
    "/tasks?due_on=2024-07-03",
    "/tasks?due_from=2024-07-03&due_to=2024-07-09",
    "/tasks?overdue=true",
    "/tasks?overdue=false",
    "/tasks?has_due_date=false",
    "/tasks?sort=priority",
    "/tasks?priority=high",
    "/tasks?category=home",
    "/tasks?sort=category",
    "/tasks/search?q=task",
    "/stats/tasks",
];

/// How much longer a list may take beside the tasks of others.
const MOST_RATIO: f64 = 1.2;

/// Batches of timed requests.
const BATCHES: usize = 60;

async fn filled(place: &Place) -> anyhow::Result<Caller> {
    for number in 0..TASKS {
        bare_create_task(&place.client, samples::task("ada", number)?).await?;
    }
    Ok(place.caller("ada"))
}

/// The tasks of a page, by their ids.
async fn ids(caller: &Caller) -> anyhow::Result<String> {
    let page: Value = serde_json::from_slice(&caller.get("/tasks").await?)?;
    let tasks = page["items"].as_array().context("items")?;
    let ids: Option<Vec<&str>> = tasks.iter().map(|task| task["task_id"].as_str()).collect();
    Ok(format!("/tasks?ids={}", ids.context("ids")?.join(",")))
}

pub(super) async fn run(alone: &Place) -> anyhow::Result<()> {
    let among = Place::new().await?;
    let (first, second) = (filled(&among).await?, filled(alone).await?);
    growing_table::write_others(&among.client, OTHERS).await?;
    println!("  lists of {TASKS} tasks: beside {OTHERS} tasks of others, and alone");
    let mut lists = LISTS
        .map(|list| [list.to_owned(), list.to_owned()])
        .to_vec();
    lists.push([ids(&first).await?, ids(&second).await?]);
    let mut slow = Vec::new();
    for [among, alone] in &lists {
        let both = medians(
            BATCHES,
            async || first.get(among).await.map(drop),
            async || second.get(alone).await.map(drop),
        )
        .await?;
        let list = match among.split_once("ids=") {
            Some((before, _)) => format!("{before}ids=… (20)"),
            None => among.clone(),
        };
        println!(
            "    {list:<46} {:>7.0} µs, {:>7.0} µs, ratio {:.2}",
            both.first.as_secs_f64() * 1e6,
            both.second.as_secs_f64() * 1e6,
            both.ratio()
        );
        if both.ratio() > MOST_RATIO {
            slow.push(list);
        }
    }
    println!("    (target: a ratio of at most {MOST_RATIO})");
    match slow.is_empty() {
        true => Ok(()),
        false => bail!(
            "beside the tasks of others these take longer: {}",
            slow.join(", ")
        ),
    }
}
