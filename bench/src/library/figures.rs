//! One figure each: what is prepared, and what is timed.

use std::hint::black_box;

use accounts::model::AccountKey;
use anyhow::Context;
use todo::model::Task;

use super::{Place, bare, same_work, samples};
use crate::interleaved::{Both, calls, medians};

const READS: usize = 1600;
const WRITES: usize = 800;
const QUERIES: usize = 500;

/// A user with a few pages of tasks.
async fn tasks(place: &Place) -> anyhow::Result<Vec<Task>> {
    let tasks: Vec<Task> = (0..120)
        .map(|number| samples::task("ada", number))
        .collect::<anyhow::Result<_>>()?;
    for task in &tasks {
        bare::create_task(&place.client, task.clone()).await?;
    }
    Ok(tasks)
}

pub(super) async fn get(place: &Place) -> anyhow::Result<Both> {
    let tasks = tasks(place).await?;
    same_work::of_get(place, &tasks[0]).await?;
    let (mut mine, mut theirs) = (tasks.iter().cycle(), tasks.iter().cycle());
    medians(
        READS,
        async || {
            let task = mine.next().context("a task")?;
            let found = place.todo.tasks.task(&task.user_id, task.task_id).await?;
            black_box(found.context("it is there")?);
            Ok(())
        },
        async || {
            let task = theirs.next().context("a task")?;
            let found = bare::task(&place.client, &task.user_id, task.task_id).await?;
            black_box(found.context("it is there")?);
            Ok(())
        },
    )
    .await
}

pub(super) async fn query(place: &Place) -> anyhow::Result<Both> {
    tasks(place).await?;
    same_work::of_query(place, "ada").await?;
    medians(
        QUERIES,
        async || {
            black_box(place.todo.tasks.tasks("ada").limit(50).page().await?);
            Ok(())
        },
        async || {
            black_box(bare::tasks(&place.client, "ada", 50).await?);
            Ok(())
        },
    )
    .await
}

pub(super) async fn create(place: &Place) -> anyhow::Result<Both> {
    same_work::of_create().await?;
    let named = |side: &str| -> Vec<_> {
        (0..calls(WRITES))
            .map(|number| samples::account(format!("{side}-{number:06}"), 100))
            .collect()
    };
    let (mut mine, mut theirs) = (named("mine").into_iter(), named("else").into_iter());
    medians(
        WRITES,
        async || {
            let account = mine.next().context("an account")?;
            black_box(place.accounts.accounts.insert(account, None).await?);
            Ok(())
        },
        async || {
            let account = theirs.next().context("an account")?;
            black_box(bare::create_account(&place.client, account).await?);
            Ok(())
        },
    )
    .await
}

pub(super) async fn transfer(place: &Place) -> anyhow::Result<Both> {
    same_work::of_transfer().await?;
    for pk in ["ada", "bob"] {
        let account = samples::account(pk.to_owned(), 1_000_000_000);
        bare::create_account(&place.client, account).await?;
    }
    let inputs = || -> anyhow::Result<Vec<_>> {
        (0..calls(WRITES))
            .map(|_| samples::transfer("ada", "bob"))
            .collect()
    };
    let (mut mine, mut theirs) = (inputs()?.into_iter(), inputs()?.into_iter());
    let (ada, bob) = (AccountKey::new("ada"), AccountKey::new("bob"));
    medians(
        WRITES,
        async || {
            let input = mine.next().context("a transfer")?;
            place.accounts.transfer(&ada, &bob, 1, &input).await?;
            Ok(())
        },
        async || {
            let input = theirs.next().context("a transfer")?;
            bare::transfer(&place.client, "ada", "bob", 1, &input).await
        },
    )
    .await
}

pub(super) async fn counted(place: &Place) -> anyhow::Result<Both> {
    same_work::of_counted().await?;
    let inputs = || -> anyhow::Result<Vec<_>> {
        (0..calls(WRITES))
            .map(|number| samples::task("ada", number))
            .collect()
    };
    let (mut mine, mut theirs) = (inputs()?.into_iter(), inputs()?.into_iter());
    medians(
        WRITES,
        async || {
            let task = mine.next().context("a task")?;
            black_box(place.todo.tasks.create_task(task, None).await?);
            Ok(())
        },
        async || {
            let task = theirs.next().context("a task")?;
            black_box(bare::create_task(&place.client, task).await?);
            Ok(())
        },
    )
    .await
}
