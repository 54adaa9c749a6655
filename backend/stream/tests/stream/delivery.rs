//! What is written is delivered: all of it, in order, with what happened.

use std::sync::Arc;
use std::time::Duration;

use tablewright::Changed;
use tablewright_stream::{Cause, Failure, Order, Record, Start};
use tablewright_testing::{Fault, Wire};
use todo::model::TodoChange;

use crate::support::{Notebook, World, quick, task, title, until};

/// In an account consumers may neither create nor describe their table: it was deployed.
#[tokio::test(flavor = "multi_thread")]
async fn a_consumer_that_may_not_look_at_its_table_uses_it() {
    let wire = Wire::new();
    let mut world = World::on(wire.engine.clone()).await;
    world.store = tablewright::Store::new(wire.client());
    world.write("ada", "one").await;
    wire.plan("DescribeTable", [Fault::Deny]);
    let notebook = Notebook::default();
    let running = world.start("reader", quick(), notebook.handler());
    notebook.has(1).await;
    running.stop().await;
    let sent = wire.take_sent();
    assert!(sent.iter().all(|one| one.operation != "CreateTable"));
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_an_item_come_in_order_and_as_types() {
    let world = World::new().await;
    let written = world.write("ada", "one").await;
    world.rename(&written, "two").await;
    world
        .todo
        .tasks
        .items()
        .delete_now(&tablewright::Entity::key(&written))
        .await
        .unwrap();
    let notebook = Notebook::default();
    let running = world.start("reader", quick(), notebook.handler());
    notebook.has(3).await;
    running.stop().await;
    let told: Vec<String> = notebook
        .records()
        .iter()
        .map(|record| {
            let change =
                TodoChange::decode(&record.table, record.before.as_ref(), record.after.as_ref());
            match change.unwrap().unwrap() {
                TodoChange::Task(Changed::Inserted(after)) => format!("new {}", after.title),
                TodoChange::Task(Changed::Changed { before, after }) => {
                    format!("{} to {}", before.title, after.title)
                }
                TodoChange::Task(Changed::Removed(before)) => format!("no {}", before.title),
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert_eq!(told, ["new one", "one to two", "no two"]);
    let ids: std::collections::HashSet<String> = notebook
        .records()
        .iter()
        .map(|record| record.event_id.clone())
        .collect();
    assert_eq!(ids.len(), 3);
}

/// Many writers, slow and fast handlers: of each item the order holds, and nothing is missing.
#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_is_delivered_whole_and_in_order() {
    let world = World::new().await;
    let notebook = Notebook::default();
    let book = notebook.clone();
    let running = world.start("reader", quick(), move |record: Arc<Record>| {
        let book = book.clone();
        async move {
            // Some take long: the order of others must not depend on it.
            let millis = record.event_id.bytes().map(u64::from).sum::<u64>() % 7;
            tokio::time::sleep(Duration::from_millis(millis)).await;
            book.note(record);
            Ok::<(), Failure>(())
        }
    });
    let mut writers = Vec::new();
    for user in 0..8 {
        let todo = world.todo.clone();
        writers.push(tokio::spawn(async move {
            let one = task(&format!("user{user}"), "0");
            todo.tasks.items().insert(one.clone()).await.unwrap();
            for number in 1..15 {
                let change = |task: &mut todo::model::Task| task.title = number.to_string();
                todo.tasks
                    .items()
                    .update(&tablewright::Entity::key(&one), change)
                    .await
                    .unwrap();
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    notebook.has(8 * 15).await;
    running.stop().await;
    let mut by_item: std::collections::BTreeMap<String, Vec<usize>> = Default::default();
    for record in notebook.records() {
        let item = format!("{:?}", record.keys["PK"]);
        by_item
            .entry(item)
            .or_default()
            .push(title(&record).unwrap().parse().unwrap());
    }
    assert_eq!(by_item.len(), 8);
    for (item, numbers) in by_item {
        assert_eq!(numbers, (0..15).collect::<Vec<_>>(), "{item}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_stops_goes_on_where_it_was_and_each_name_gets_all() {
    let world = World::new().await;
    let first = Notebook::default();
    world.write("ada", "a").await;
    let running = world.start("reader", quick(), first.handler());
    first.has(1).await;
    running.stop().await;
    world.write("ada", "b").await;
    let second = Notebook::default();
    let running = world.start("reader", quick(), second.handler());
    second.has(1).await;
    running.stop().await;
    assert_eq!(first.titles(), ["a"]);
    assert_eq!(
        second.titles(),
        ["b"],
        "what was handled does not come again"
    );
    let other = Notebook::default();
    let running = world.start("other", quick(), other.handler());
    other.has(2).await;
    running.stop().await;
    // They are of different items, in no order.
    let mut all = other.titles();
    all.sort();
    assert_eq!(all, ["a", "b"]);
}

/// Also when it ends before anything new has happened.
#[tokio::test(flavor = "multi_thread")]
async fn a_consumer_may_begin_now() {
    let world = World::new().await;
    world.write("ada", "before").await;
    // A stream tells seconds.
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let notebook = Notebook::default();
    let mut options = quick();
    options.start = Start::Now;
    let running = world.start("reader", options, notebook.handler());
    let leases = tablewright_stream::model::Stream::new(&world.store).leases;
    while leases
        .leases("reader")
        .all()
        .collect()
        .await
        .unwrap_or_default()
        .is_empty()
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    running.stop().await;
    world.write("ada", "after").await;
    let running = world.start("reader", options, notebook.handler());
    notebook.has(1).await;
    running.stop().await;
    assert_eq!(notebook.titles(), ["after"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_time_deletes_is_told_apart() {
    let world = World::new().await;
    let mut old = task("ada", "old");
    old.ttl = Some(1_600_000_000);
    world.todo.tasks.items().insert(old).await.unwrap();
    let young = world.write("ada", "young").await;
    let engine = world.engine.clone();
    tokio::task::spawn_blocking(move || engine.sweep_ttl().unwrap())
        .await
        .unwrap();
    world
        .todo
        .tasks
        .items()
        .delete_now(&tablewright::Entity::key(&young))
        .await
        .unwrap();
    let notebook = Notebook::default();
    let running = world.start("reader", quick(), notebook.handler());
    until(|| {
        notebook
            .records()
            .iter()
            .filter(|record| record.after.is_none())
            .count()
            == 2
    })
    .await;
    running.stop().await;
    for record in notebook
        .records()
        .iter()
        .filter(|record| record.after.is_none())
    {
        let by_time = title(record).unwrap() == "old";
        assert_eq!(record.cause == Cause::TimeToLive, by_time, "{record:?}");
    }
}

/// Of one user, whose tasks are in one partition: also changes of different tasks come one after another, where that is asked for.
#[tokio::test(flavor = "multi_thread")]
async fn changes_of_a_partition_come_in_order_where_that_is_asked_for() {
    let world = World::new().await;
    for number in 0..40 {
        world.write("ada", &format!("{number:02}")).await;
        world.write("bob", &format!("{number:02}")).await;
    }
    let notebook = Notebook::default();
    let book = notebook.clone();
    let mut options = quick();
    options.order = Order::Partition;
    let running = world.start("reader", options, move |record: Arc<Record>| {
        let book = book.clone();
        async move {
            // The sooner ones take longer.
            let number = title(&record).and_then(|title| title.parse::<u64>().ok());
            let longer = 41 - number.unwrap_or_default();
            tokio::time::sleep(Duration::from_micros(longer * 100)).await;
            book.note(record);
            Ok::<(), Failure>(())
        }
    });
    notebook.has(80).await;
    running.stop().await;
    for user in ["ada", "bob"] {
        let of_user = |record: &Arc<Record>| {
            let user_id = record.after.as_ref()?.get("user_id")?.as_s().ok()?;
            (user_id == user).then(|| title(record))?
        };
        let titles: Vec<String> = notebook.records().iter().filter_map(of_user).collect();
        let in_order: Vec<String> = (0..40).map(|number| format!("{number:02}")).collect();
        assert_eq!(titles, in_order);
    }
}
