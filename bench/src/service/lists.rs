//! Every list of somebody with a hundred tasks, alone in the table and beside a hundred thousand tasks of others.

use super::Place;
use super::http::Caller;
use crate::growing_table;
use crate::interleaved::medians;
use crate::library::{bare_create_task, samples};

const TASKS: usize = 100;

const OTHERS: usize = 100_000;

const LISTS: [&str; 10] = [
    "/tasks",
    "/tasks?status=pending",
    "/tasks?sort=status",
    "/tasks?sort=due_date",
    "/tasks?due_on=2024-07-03",
    "/tasks?due_from=2024-07-03&due_to=2024-07-09",
    "/tasks?overdue=true",
    "/tasks?sort=priority",
    "/tasks?category=home",
    "/stats/tasks",
];

/// Batches of timed requests.
const BATCHES: usize = 60;

async fn filled(place: &Place) -> anyhow::Result<Caller> {
    for number in 0..TASKS {
        bare_create_task(&place.client, samples::task("ada", number)?).await?;
    }
    Ok(place.caller("ada"))
}

pub(super) async fn run(alone: &Place) -> anyhow::Result<()> {
    let among = Place::new().await?;
    let (first, second) = (filled(&among).await?, filled(alone).await?);
    growing_table::write_others(&among.client, OTHERS).await?;
    println!("  lists of {TASKS} tasks: beside {OTHERS} tasks of others, and alone");
    for list in LISTS {
        let both = medians(
            BATCHES,
            async || first.get(list).await.map(drop),
            async || second.get(list).await.map(drop),
        )
        .await?;
        println!(
            "    {list:<46} {:>7.0} µs, {:>7.0} µs, ratio {:.2}",
            both.first.as_secs_f64() * 1e6,
            both.second.as_secs_f64() * 1e6,
            both.ratio()
        );
    }
    println!("    (target: a ratio of at most 1.2)");
    Ok(())
}
