//! Generated code against the bare SDK: the same requests on the same tables of one embedded engine.
//!
//! The bare side is what one writes by hand when one knows the table: keys and expressions as literals, items taken apart into the
//! same types. It checks none of the values it writes and gives out DynamoDB's own last key where the library seals a cursor, so that
//! the ratio includes what those cost.

mod bare;
mod figures;
mod same_work;
pub(crate) mod samples;

use accounts::model::Accounts;
use anyhow::bail;
use aws_sdk_dynamodb::Client;
use tablewright::Store;
use tablewright_local::Engine;
use todo::model::Todo;

use crate::fresh;
use crate::interleaved::Both;

pub(crate) use bare::{
    account as bare_account, create_account as bare_create_account,
    create_task as bare_create_task, paid as bare_paid, task as bare_task, task_item,
    tasks as bare_tasks, transfer as bare_transfer,
};

/// The argument by which the benchmark calls itself.
pub(crate) const WORD: &str = "library-once";

const FIGURES: [&str; 5] = ["get", "create", "query", "transfer", "counted"];

/// Both sides of the comparison, on an engine of their own.
struct Place {
    /// The very client the library uses: neither side has other settings.
    client: Client,
    accounts: Accounts,
    todo: Todo,
}

impl Place {
    async fn new() -> anyhow::Result<Place> {
        let store = Store::new(Engine::temporary()?.dynamodb());
        let place = Place {
            client: store.client().clone(),
            accounts: Accounts::new(&store),
            todo: Todo::new(&store),
        };
        place.accounts.create_tables().await?;
        place.todo.create_tables().await?;
        Ok(place)
    }
}

/// Every figure in a process of its own.
pub(crate) fn run() -> anyhow::Result<()> {
    println!(
        "generated code against calls of aws-sdk-dynamodb {} written by hand, on the embedded engine",
        aws_sdk_dynamodb::meta::PKG_VERSION
    );
    for figure in FIGURES {
        fresh::figure(WORD, figure)?;
    }
    println!("  (target: a ratio of at most 1.15 for each)\n");
    Ok(())
}

/// One figure, in this process.
pub(crate) fn run_one(figure: &str) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (title, both) = runtime.block_on(async {
        let place = Place::new().await?;
        anyhow::Ok(match figure {
            "get" => ("a task by its key", figures::get(&place).await?),
            "create" => ("an account created", figures::create(&place).await?),
            "query" => ("a page of 50 tasks", figures::query(&place).await?),
            "transfer" => (
                "a transfer: 2 updates, 1 put",
                figures::transfer(&place).await?,
            ),
            "counted" => (
                "a task created and counted",
                figures::counted(&place).await?,
            ),
            other => bail!("there is no figure {other}"),
        })
    })?;
    let Both { first, second } = both;
    println!(
        "  {title:<28} library {:>7.1} µs, bare {:>7.1} µs, ratio {:.2}",
        micros(first),
        micros(second),
        both.ratio()
    );
    Ok(())
}

pub(crate) fn micros(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
