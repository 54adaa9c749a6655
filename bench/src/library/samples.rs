//! Items as services store them.

use accounts::model::{AccountData, Transfer, TransferInput, TransferPayee, TransferPayer};
use anyhow::Context;
use tablewright::{Timestamp, Ulid};
use todo::model::{Task, TaskPriority, TaskStatus};

/// 2024-07-01, as good as any.
const THEN: i64 = 1_719_792_000;

/// A task of some 600 bytes, in every index.
pub(crate) fn task(user_id: &str, number: usize) -> anyhow::Result<Task> {
    let day = format!("2024-07-{:02}", number % 28 + 1);
    let millis = THEN * 1000 + i64::try_from(number)?;
    Ok(Task {
        user_id: user_id.to_owned(),
        task_id: Ulid::at(millis),
        title: format!("Task {number}: call the plumber about the kitchen"),
        description: Some("The tap drips, and the cupboard below it is wet. ".repeat(4)),
        status: TaskStatus::ALL[number % 4],
        priority: Some(TaskPriority::ALL[number % 4]),
        category: Some(String::from("home")),
        due_date: Some(day.parse().context("a day of July")?),
        created_at: THEN,
        updated_at: THEN,
        completed_at: None,
        ttl: None,
        revision: 1,
    })
}

pub(crate) fn account(pk: String, balance: i64) -> AccountData {
    AccountData {
        name: String::from("Lovelace"),
        pk,
        balance,
    }
}

/// One unit from one account to another.
pub(crate) fn transfer(source: &str, target: &str) -> anyhow::Result<TransferInput> {
    Ok(TransferInput {
        payer: TransferPayer { add_balance: -1 },
        payee: TransferPayee { add_balance: 1 },
        transfer: Transfer {
            transfer_id: Ulid::new(),
            source: source.to_owned(),
            target: target.to_owned(),
            amount: 1,
            note: Some(String::from("for the plumber")),
            at: Timestamp::from_millis(THEN * 1000).context("a moment")?,
        },
    })
}
