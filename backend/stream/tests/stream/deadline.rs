//! Under AWS Lambda a call has an end: what cannot end before it is not begun, and what was handled is told all the same.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tablewright::Entity as _;
use tablewright_stream::model::Stream;
use tablewright_stream::{DeadLetters, Failure, Handler, LambdaConsumer, Options, Record};
use todo::model::Task;

use crate::lambda::record;
use crate::support::{Notebook, World, quick};

fn consumer<H: Handler>(world: &World, options: Options, handler: H) -> LambdaConsumer<H> {
    let table = &Task::descriptor().table;
    LambdaConsumer::new("reader", &world.store, table, options, handler)
}

fn event(names: &[&str]) -> Value {
    let records = (1..).zip(names).map(|(number, name)| record(number, name));
    json!({ "Records": records.collect::<Vec<_>>() })
}

/// Writes down what it gets; of `endless` it never comes back.
fn endless(book: &Notebook) -> impl Handler + use<> {
    let book = book.clone();
    move |record: Arc<Record>| {
        let book = book.clone();
        async move {
            if record.event_id == "endless" {
                std::future::pending::<()>().await;
            }
            book.note(record);
            Ok::<(), Failure>(())
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_end_in_time_is_not_begun() {
    let world = World::new().await;
    let notebook = Notebook::default();
    let mut options = quick();
    options.attempt = Duration::from_secs(3600);
    let consumer = consumer(&world, options, notebook.handler());
    let half = || Instant::now() + Duration::from_secs(1800);
    let second = json!({ "batchItemFailures": [{ "itemIdentifier": "2" }] });
    let all = event(&["a", "b", "c"]);
    assert_eq!(consumer.handle_by(&all, half()).await.unwrap(), second);
    assert_eq!(notebook.titles(), ["a"], "the first is begun in any case");
    let twice = Instant::now() + Duration::from_secs(7200);
    let handled = json!({ "batchItemFailures": [] });
    assert_eq!(consumer.handle_by(&all, twice).await.unwrap(), handled);
    assert_eq!(notebook.titles(), ["a", "a", "b", "c"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_end_is_broken_off_and_the_rest_is_told() {
    let world = World::new().await;
    let notebook = Notebook::default();
    let mut options = quick();
    options.attempt = Duration::ZERO;
    let consumer = consumer(&world, options, endless(&notebook));
    let all = event(&["a", "endless", "b"]);
    let soon = Instant::now() + Duration::from_secs(6);
    let second = json!({ "batchItemFailures": [{ "itemIdentifier": "2" }] });
    assert_eq!(consumer.handle_by(&all, soon).await.unwrap(), second);
    assert_eq!(notebook.titles(), ["a"]);
}

/// A wish whose record never ends does not take the batch with it that was handled.
#[tokio::test(flavor = "multi_thread")]
async fn a_wish_that_does_not_end_stays_and_the_batch_is_handled() {
    let world = World::new().await;
    let refuses = |_: Arc<Record>| async { Err(Failure::Record(String::from("bitter"))) };
    let handled = json!({ "batchItemFailures": [] });
    let dies = consumer(&world, quick(), refuses);
    let answer = dies.handle(&event(&["endless"])).await.unwrap();
    assert_eq!(answer, handled);
    let dead = DeadLetters::new(&world.store);
    dead.ask_again("reader", "endless").await.unwrap();

    let notebook = Notebook::default();
    for attempt in [Duration::ZERO, Duration::from_secs(3600)] {
        let mut options = quick();
        options.attempt = attempt;
        let consumer = consumer(&world, options, endless(&notebook));
        let soon = Instant::now() + Duration::from_secs(6);
        let answer = consumer.handle_by(&event(&["a"]), soon).await.unwrap();
        assert_eq!(answer, handled);
    }
    assert_eq!(notebook.titles(), ["a", "a"]);
    let wishes = Stream::new(&world.store).replays.replays("reader");
    assert_eq!(wishes.all().collect().await.unwrap().len(), 1);
}
