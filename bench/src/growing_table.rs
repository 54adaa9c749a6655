//! A page of a small table and of a large one: what a query takes must not depend on what else is stored.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, ensure};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use tablewright::{Page, Store, Versioned};
use tablewright_local::Engine;
use todo::model::{Task, Todo};

use crate::fresh;
use crate::interleaved::{Both, medians};
use crate::library::{micros, samples, task_item};

/// The argument by which the benchmark calls itself.
pub(crate) const WORD: &str = "table-once";

const SMALL: usize = 1_000;

/// Soon written.
pub(crate) const LARGE: usize = 100_000;

/// Takes minutes, and three gigabytes of the temporary folder.
pub(crate) const FULL: usize = 1_000_000;

/// Of a partition: as many as one user has.
const TASKS_OF_ONE: usize = 50;

/// As many as BatchWriteItem takes.
const BATCH: usize = 25;

const PAGE: u32 = 20;

/// Batches of timed queries.
const BATCHES: usize = 600;

/// A table of so many tasks, and whom to ask for next.
struct Filled {
    todo: Todo,
    users: usize,
    next: usize,
}

impl Filled {
    async fn with(items: usize) -> anyhow::Result<Filled> {
        let store = Store::new(Engine::temporary()?.dynamodb());
        let todo = Todo::new(&store);
        todo.create_tables().await?;
        let start = Instant::now();
        let client = store.client();
        write_others(client, items).await?;
        let took = start.elapsed().as_secs_f64();
        println!("  {items:>8} items written in {took:.1} s");
        Ok(Filled {
            todo,
            users: items / TASKS_OF_ONE,
            next: 0,
        })
    }

    /// Another user every time, from all over the table.
    fn user(&mut self) -> String {
        // A step without a factor in common with any number of users here.
        self.next = (self.next + 7_919) % self.users;
        format!("user-{:06}", self.next)
    }

    async fn by_prefix(&mut self) -> anyhow::Result<()> {
        let user = self.user();
        let page = self.todo.tasks.tasks(&user).limit(PAGE).page().await?;
        full(page, PAGE)
    }

    async fn by_index(&mut self) -> anyhow::Result<()> {
        let user = self.user();
        let tasks = &self.todo.tasks;
        let page = tasks.tasks_grouped_by_status(&user).limit(PAGE);
        full(page.page().await?, PAGE)
    }
}

fn full(page: Page<Versioned<Task>>, limit: u32) -> anyhow::Result<()> {
    ensure!(page.items.len() == limit as usize, "the page is not full");
    black_box(page);
    Ok(())
}

/// So many tasks, of many users.
pub(crate) async fn write_others(client: &Client, items: usize) -> anyhow::Result<()> {
    // The next request is made while the engine is busy with one.
    for first in (0..items).step_by(4 * BATCH) {
        tokio::try_join!(
            write(client, first),
            write(client, first + BATCH),
            write(client, first + 2 * BATCH),
            write(client, first + 3 * BATCH),
        )?;
    }
    Ok(())
}

/// One request's worth of tasks, of one user.
async fn write(client: &Client, first: usize) -> anyhow::Result<()> {
    let user = format!("user-{:06}", first / TASKS_OF_ONE);
    let puts = (first..first + BATCH)
        .map(|number| {
            let task = Task {
                // In one index besides the table.
                priority: None,
                category: None,
                due_date: None,
                ..samples::task(&user, number)?
            };
            let put = PutRequest::builder().set_item(Some(task_item(&task, 1)));
            Ok(WriteRequest::builder().put_request(put.build()?).build())
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let written = client
        .batch_write_item()
        .request_items("todo-app-data", puts)
        .send()
        .await?;
    let left = written.unprocessed_items.context("what was left")?;
    ensure!(left.is_empty(), "{} items were left", left.len());
    Ok(())
}

/// In a process of its own.
pub(crate) fn run(items: usize) -> anyhow::Result<()> {
    println!("a page of {PAGE} tasks by generated code, on the embedded engine");
    fresh::figure(WORD, &items.to_string())?;
    println!("  (target: a ratio of at most 1.5)\n");
    Ok(())
}

/// Both tables in one process, asked in turns.
pub(crate) fn run_one(items: &str) -> anyhow::Result<()> {
    let items: usize = items.parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut small = Filled::with(SMALL).await?;
        let mut large = Filled::with(items).await?;
        let prefix = medians(
            BATCHES,
            async || large.by_prefix().await,
            async || small.by_prefix().await,
        );
        print("by key prefix", items, prefix.await?);
        let index = medians(
            BATCHES,
            async || large.by_index().await,
            async || small.by_index().await,
        );
        print("by an index", items, index.await?);
        Ok(())
    })
}

fn print(title: &str, items: usize, both: Both) {
    println!(
        "  {title:<14} {SMALL:>8} items {:>7.1} µs, {items:>8} items {:>7.1} µs, ratio {:.2}",
        micros(both.second),
        micros(both.first),
        both.ratio()
    );
}
