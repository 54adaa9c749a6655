//! Under AWS Lambda, a handler that takes many records of a shard at once.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tablewright::Entity as _;
use tablewright_stream::{DeadLetters, Failure, Handler, LambdaConsumer, Record, Shard, Takes};
use todo::model::Task;

use crate::support::{World, quick};

const ARN: &str =
    "arn:aws:dynamodb:eu-west-1:123456789012:table/todo-app-data/stream/2026-01-01T00:00:00.000";

/// What came together: the shard, and the events in their order.
type Portions = Arc<Mutex<Vec<(String, Vec<String>)>>>;

#[derive(Clone, Default)]
struct Portioned {
    portions: Portions,
    fails: Arc<Mutex<Option<Failure>>>,
}

impl Handler for Portioned {
    async fn handle(&self, _: Arc<Record>) -> Result<(), Failure> {
        Err(Failure::Record(String::from("they come together")))
    }

    fn takes(&self) -> Option<Takes> {
        Some(Takes {
            many: 10,
            bytes: 1 << 20,
            wait: Duration::ZERO,
        })
    }

    async fn handle_all(&self, shard: &Shard, records: &[Arc<Record>]) -> Result<(), Failure> {
        if let Some(failure) = self.fails.lock().unwrap().clone() {
            return Err(failure);
        }
        let events = records.iter().map(|record| record.event_id.clone());
        let mut portions = self.portions.lock().unwrap();
        portions.push((shard.shard.clone(), events.collect()));
        Ok(())
    }
}

fn event(ids: &[&str], now: i64) -> Value {
    let records = ids.iter().enumerate().map(|(number, id)| {
        json!({
            "eventID": id, "eventName": "INSERT", "eventSourceARN": ARN,
            "dynamodb": {
                "ApproximateCreationDateTime": now, "SequenceNumber": (number + 1).to_string(),
                "Keys": { "PK": { "S": id }, "SK": { "S": "x" } }, "NewImage": { "PK": { "S": id }, "SK": { "S": "x" } },
            },
        })
    });
    json!({
        "Records": records.collect::<Vec<_>>(), "shardId": "shard-7", "eventSourceARN": ARN,
        "window": { "start": "2026-11-16T05:00:00Z", "end": "2026-11-16T05:01:00Z" }, "state": {},
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_taken_together_comes_together_or_again() {
    let world = World::new().await;
    let handler = Portioned::default();
    let (table, store) = (&Task::descriptor().table, &world.store);
    let consumer = LambdaConsumer::new("writer", store, table, quick(), handler.clone());
    let now = world.store.now_millis() / 1000;
    let (all, nobody) = (event(&["a", "b", "c"], now), event(&[], now));
    let handled = json!({ "batchItemFailures": [], "state": {} });
    for event in [&all, &nobody] {
        assert_eq!(consumer.handle(event).await.unwrap(), handled);
    }
    let together = [(
        String::from("shard-7"),
        ["a", "b", "c"].map(String::from).to_vec(),
    )];
    assert_eq!(*handler.portions.lock().unwrap(), together);

    // The world is against it: all of it comes again.
    *handler.fails.lock().unwrap() = Some(Failure::World(String::from("down")));
    let failed = consumer.handle(&all).await.unwrap();
    assert_eq!(
        failed["batchItemFailures"],
        json!([{ "itemIdentifier": "1" }])
    );
    // It is the records: they are laid aside.
    *handler.fails.lock().unwrap() = Some(Failure::Record(String::from("bitter")));
    assert_eq!(consumer.handle(&all).await.unwrap(), handled);
    let dead = DeadLetters::new(store).of("writer").all().collect().await;
    assert_eq!(dead.unwrap().len(), 3);

    let mut unknown = all;
    unknown["shardId"] = Value::Null;
    let why = consumer.handle(&unknown).await.unwrap_err().to_string();
    assert!(why.contains("tumbling window"), "{why}");
}
