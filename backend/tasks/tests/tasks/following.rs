//! Those who follow the changes, whoever they tell.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tablewright_stream::events::{Event, Publisher, Sink};
use tablewright_stream::{DeadLetters, Failure};
use tablewright_testing::Program;
use tasks::Consumers;
use tasks::model::TasksEvent;

use crate::support::{Api, Asks as _};

/// Somebody who takes all events but those of one kind.
#[derive(Clone, Default)]
struct Picky {
    taken: Arc<Mutex<Vec<String>>>,
    takes_all: Arc<AtomicBool>,
}

impl Sink for Picky {
    async fn deliver(&self, event: &Event) -> Result<(), Failure> {
        if event.detail_type == "TaskDescribed" && !self.takes_all.load(Ordering::SeqCst) {
            return Err(Failure::Record(String::from("not of this kind")));
        }
        self.taken.lock().unwrap().push(event.detail_type.clone());
        Ok(())
    }
}

/// Of the events of one change, the one that is refused takes no other with it, neither at first nor when its letter is tried again; and those that were taken do not come with every attempt.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_is_refused_keeps_no_other_of_its_change() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let task = admin.task("Fix bug").await;
    let change = json!({ "title": "Mend", "description": "All of it", "priority": "HIGH" });
    admin
        .put(&format!("/tasks/{task}"), change)
        .await
        .expect(200);
    let picky = Picky::default();
    let mut consumers = Consumers::none();
    let publisher = Publisher::<TasksEvent, _>::new(picky.clone());
    consumers.follow("picky", &api.app, &api.following(), publisher);
    let dead = DeadLetters::new(api.tasks.store());
    let letters = async || {
        let letters = dead.of("picky").all().collect().await;
        letters.unwrap_or_default()
    };
    let event_id = loop {
        if let Some(letter) = letters().await.pop() {
            break letter.event_id.clone();
        }
    };
    let taken = || {
        let taken = picky.taken.lock().unwrap().clone();
        let of_change = |kind: &String| !["UserJoined", "TaskCreated"].contains(&kind.as_str());
        taken.into_iter().filter(of_change).collect::<Vec<_>>()
    };
    assert_eq!(taken(), ["TaskRenamed", "TaskPriorityChanged"]);
    picky.takes_all.store(true, Ordering::SeqCst);
    dead.ask_again("picky", &event_id).await.unwrap();
    while !letters().await.is_empty() {}
    consumers.stop().await;
    assert_eq!(
        taken(),
        ["TaskRenamed", "TaskPriorityChanged", "TaskDescribed"]
    );
}

/// Whoever watches a number that comes to be with its first count sees no increase: all are there from the beginning.
#[tokio::test]
async fn numbers_of_consumers_begin_with_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let command = Program::command(env!("CARGO_BIN_EXE_tasks"), folder.path());
    let service = Program::start(command);
    let caller = service.caller(folder.path(), "ada");
    let numbers = caller.get("~/metrics").await.expect(200).text;
    for name in [
        "stream_records_total{consumer=\"tasks-historian\",outcome=\"dead\"} 0",
        "stream_failures_total{consumer=\"tasks-historian\"} 0",
        "stream_trimmed_total{consumer=\"tasks-historian\"} 0",
    ] {
        assert!(numbers.contains(name), "{name}\n{numbers}");
    }
}
