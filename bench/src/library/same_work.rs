//! Both sides read and store the same; otherwise a ratio of them says nothing.

use std::collections::HashMap;

use accounts::model::AccountKey;
use anyhow::{Context, ensure};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use todo::model::Task;

use super::{Place, bare, samples};

pub(super) async fn of_get(place: &Place, task: &Task) -> anyhow::Result<()> {
    let mine = place.todo.tasks.task(&task.user_id, task.task_id).await?;
    let theirs = bare::task(&place.client, &task.user_id, task.task_id).await?;
    ensure!(mine.is_some() && mine == theirs, "{mine:?}\n{theirs:?}");
    Ok(())
}

pub(super) async fn of_query(place: &Place, user_id: &str) -> anyhow::Result<()> {
    let mine = place.todo.tasks.tasks(user_id).limit(50).page().await?;
    let (theirs, last) = bare::tasks(&place.client, user_id, 50).await?;
    ensure!(mine.items.len() == 50 && mine.items == theirs);
    ensure!(mine.next.is_some() && last.is_some());
    Ok(())
}

pub(super) async fn of_create() -> anyhow::Result<()> {
    let (mine, theirs) = (Place::new().await?, Place::new().await?);
    let account = samples::account(String::from("ada"), 100);
    mine.accounts.accounts.insert(account.clone(), None).await?;
    bare::create_account(&theirs.client, account).await?;
    same_items(&mine, &theirs, "accounts").await
}

pub(super) async fn of_transfer() -> anyhow::Result<()> {
    let (mine, theirs) = (Place::new().await?, Place::new().await?);
    for place in [&mine, &theirs] {
        for pk in ["ada", "bob"] {
            let account = samples::account(pk.to_owned(), 100);
            bare::create_account(&place.client, account).await?;
        }
    }
    let input = samples::transfer("ada", "bob")?;
    let (ada, bob) = (AccountKey::new("ada"), AccountKey::new("bob"));
    mine.accounts.transfer(&ada, &bob, 1, &input).await?;
    bare::transfer(&theirs.client, "ada", "bob", 1, &input).await?;
    same_items(&mine, &theirs, "accounts").await?;
    same_items(&mine, &theirs, "transfers").await
}

pub(super) async fn of_counted() -> anyhow::Result<()> {
    let (mine, theirs) = (Place::new().await?, Place::new().await?);
    for number in 0..3 {
        let task = samples::task("ada", number)?;
        mine.todo.tasks.create_task(task.clone(), None).await?;
        bare::create_task(&theirs.client, task).await?;
    }
    same_items(&mine, &theirs, "todo-app-data").await
}

async fn same_items(mine: &Place, theirs: &Place, table: &str) -> anyhow::Result<()> {
    let (mine, theirs) = (
        items(&mine.client, table).await?,
        items(&theirs.client, table).await?,
    );
    ensure!(!mine.is_empty() && mine == theirs, "{mine:#?}\n{theirs:#?}");
    Ok(())
}

/// All items of a small table, but for the moment they were written.
async fn items(
    client: &Client,
    table: &str,
) -> anyhow::Result<Vec<HashMap<String, AttributeValue>>> {
    let found = client.scan().table_name(table).send().await?;
    let mut items = found.items.context("items")?;
    for item in &mut items {
        item.remove("last_write");
        item.remove("counting_since");
    }
    Ok(items)
}
