//! Changes that are gone before they are read: the handler is told, before anything that came after them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tablewright_stream::model::Stream;
use tablewright_stream::{DeadLetters, Failure, Handler, Record, Shard, Takes};

use crate::stand_in::StandIn;
use crate::support::{World, quick, until};

/// Writes down what it is told. Of losses it does while it can.
#[derive(Debug, Clone, Default)]
struct Notes {
    all: Arc<Mutex<Vec<String>>>,
    cannot: Arc<AtomicBool>,
    takes: Option<Takes>,
}

impl Notes {
    fn has(&self, what: &str) -> bool {
        self.all.lock().unwrap().iter().any(|note| note == what)
    }

    fn note(&self, what: &str) {
        self.all.lock().unwrap().push(what.to_owned());
    }

    /// What was noted, with what was refused more than once as once.
    fn read(&self) -> Vec<String> {
        let mut all = self.all.lock().unwrap().clone();
        all.dedup_by(|a, b| a == b && a.starts_with("refused"));
        all
    }
}

impl Handler for Notes {
    async fn handle(&self, record: Arc<Record>) -> Result<(), Failure> {
        if record.event_id == "bad" {
            return Err(Failure::Record(String::from("it is bad")));
        }
        self.note(&record.event_id);
        Ok(())
    }

    fn takes(&self) -> Option<Takes> {
        self.takes
    }

    async fn lost(&self, shard: &Shard) -> Result<(), Failure> {
        assert_eq!(shard.stream, StandIn::STREAM);
        match self.cannot.load(Ordering::Acquire) {
            true => {
                self.note(&format!("refused {}", shard.shard));
                Err(Failure::World(String::from("not now")))
            }
            false => {
                self.note(&format!("lost {}", shard.shard));
                Ok(())
            }
        }
    }
}

/// Takes records one by one, or together.
fn both() -> [Notes; 2] {
    let together = Takes {
        many: 10,
        bytes: 1 << 20,
        wait: Duration::from_millis(5),
    };
    let takes = [None, Some(together)];
    takes.map(|takes| Notes {
        takes,
        ..Notes::default()
    })
}

/// Whether the shard is written down as read to its end; none where it has no lease any more.
async fn is_ended(world: &World, shard: &str) -> Option<bool> {
    let leases = Stream::new(&world.store).leases.leases("reader");
    let leases = leases.all().collect().await.unwrap();
    let mut leases = leases.into_iter().map(|lease| lease.data);
    let lease = leases.find(|lease| lease.shard == shard)?;
    Some(lease.ended)
}

#[tokio::test(flavor = "multi_thread")]
async fn of_what_was_trimmed_a_handler_is_told_before_what_came_after_it() {
    for notes in both() {
        let world = World::new().await;
        let stand_in = StandIn::new();
        stand_in.shard("a", None);
        stand_in.put_of("a", "1", "item");
        let start = || world.start_on("reader", quick(), stand_in.client(), notes.clone());
        let running = start();
        until(|| notes.has("1")).await;
        running.stop().await;
        for event in ["2", "3", "4"] {
            stand_in.put_of("a", event, "item");
        }
        stand_in.trim("a", 2);
        notes.cannot.store(true, Ordering::Release);
        // Whoever dies before it is noted tells it again.
        for _ in 0..2 {
            let running = start();
            until(|| notes.has("refused a")).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
            running.kill().await;
        }
        assert_eq!(notes.read(), ["1", "refused a"]);
        notes.cannot.store(false, Ordering::Release);
        let running = start();
        until(|| notes.has("4")).await;
        running.stop().await;
        assert_eq!(notes.read(), ["1", "refused a", "lost a", "3", "4"]);
        // And never again.
        stand_in.put_of("a", "5", "item");
        let running = start();
        until(|| notes.has("5")).await;
        running.stop().await;
        assert_eq!(notes.read(), ["1", "refused a", "lost a", "3", "4", "5"]);
    }
}

// Nothing comes after it, so that nothing else says from where to read on.
#[tokio::test(flavor = "multi_thread")]
async fn of_a_loss_a_handler_is_told_once_although_nothing_happens_any_more() {
    for notes in both() {
        let (world, stand_in) = (World::new().await, StandIn::new());
        stand_in.shard("a", None);
        stand_in.put("a", "1");
        let start = || world.start_on("reader", quick(), stand_in.client(), notes.clone());
        let running = start();
        until(|| notes.has("1")).await;
        running.stop().await;
        stand_in.put("a", "2");
        stand_in.trim("a", 2);
        for _ in 0..3 {
            let running = start();
            until(|| running.progress.reached().is_some() && notes.has("lost a")).await;
            running.stop().await;
        }
        assert_eq!(notes.read(), ["1", "lost a"]);
    }
}

// The oldest record went between being found and being read: whoever begins has lost nothing.
#[tokio::test(flavor = "multi_thread")]
async fn of_what_went_before_it_began_a_handler_is_not_told() {
    for notes in both() {
        let (world, stand_in) = (World::new().await, StandIn::new());
        stand_in.shard("a", None);
        stand_in.put("a", "1");
        stand_in.put("a", "2");
        stand_in.trim("a", 1);
        stand_in.fail("GetRecords", "TrimmedDataAccessException");
        let running = world.start_on("reader", quick(), stand_in.client(), notes.clone());
        until(|| notes.has("2")).await;
        running.stop().await;
        assert_eq!(notes.read(), ["2"]);
    }
}

// An answer goes on by a part of a shard, and the next part may have what this one has not.
#[tokio::test(flavor = "multi_thread")]
async fn one_answer_without_a_record_does_not_say_that_there_are_none() {
    let (world, stand_in) = (World::new().await, StandIn::new());
    let [notes, _] = both();
    stand_in.shard("a", None);
    stand_in.put("a", "1");
    stand_in.is_empty_for(4);
    let began = world.store.now_millis();
    let running = world.start_on("reader", quick(), stand_in.client(), notes.clone());
    let progress = running.progress.clone();
    until(|| {
        let reached = progress.reached();
        let is_read = notes.has("1");
        assert!(is_read || reached < Some(began), "not all is read");
        is_read
    })
    .await;
    until(|| progress.reached() >= Some(began)).await;
    running.stop().await;
}

// The position it has read up to is trimmed under its eyes.
#[tokio::test(flavor = "multi_thread")]
async fn of_what_is_trimmed_while_it_reads_a_handler_is_told_too() {
    let (world, stand_in) = (World::new().await, StandIn::new());
    let [notes, _] = both();
    stand_in.shard("a", None);
    stand_in.put_of("a", "1", "item");
    let running = world.start_on("reader", quick(), stand_in.client(), notes.clone());
    until(|| notes.has("1")).await;
    let progress = running.progress.clone();
    until(|| progress.reached().is_some() && progress.waits_since().is_none()).await;
    stand_in.fails_for_long("GetRecords", "InternalServerError");
    until(|| progress.waits_since().is_some()).await;
    let reached = progress.reached();
    for event in ["2", "3"] {
        stand_in.put_of("a", event, "item");
    }
    stand_in.trim("a", 2);
    tokio::time::sleep(quick().lease).await;
    assert_eq!(progress.reached(), reached, "nothing could be read");
    stand_in.recover();
    until(|| notes.has("3")).await;
    assert_eq!(notes.read(), ["1", "lost a", "3"]);
    until(|| progress.waits_since().is_none() && progress.reached() > reached).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shard_that_goes_while_it_is_read_ends_when_that_is_noted() {
    for notes in both() {
        let (world, stand_in) = (World::new().await, StandIn::new());
        stand_in.shard("a", None);
        stand_in.shard("after", Some("a"));
        stand_in.put("a", "1");
        stand_in.put("after", "2");
        let running = world.start_on("reader", quick(), stand_in.client(), notes.clone());
        until(|| notes.has("1")).await;
        notes.cannot.store(true, Ordering::Release);
        stand_in.fail("GetRecords", "ResourceNotFoundException");
        until(|| notes.has("refused a")).await;
        tokio::time::sleep(quick().lease).await;
        assert_eq!(is_ended(&world, "a").await, Some(false));
        notes.cannot.store(false, Ordering::Release);
        until(|| notes.has("2")).await;
        running.stop().await;
        assert_eq!(notes.read(), ["1", "refused a", "lost a", "2"]);
        assert_eq!(is_ended(&world, "a").await, Some(true));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shard_that_went_while_nobody_read_it_is_forgotten_when_that_is_noted() {
    let (world, stand_in) = (World::new().await, StandIn::new());
    let [notes, _] = both();
    stand_in.shard("a", None);
    stand_in.shard("other", None);
    stand_in.put("a", "1");
    let start = || world.start_on("reader", quick(), stand_in.client(), notes.clone());
    let running = start();
    until(|| notes.has("1")).await;
    running.stop().await;
    stand_in.put("a", "2");
    stand_in.remove("a");
    notes.cannot.store(true, Ordering::Release);
    let running = start();
    until(|| notes.has("refused a")).await;
    assert_eq!(running.progress.reached(), None, "a shard is missing");
    running.stop().await;
    assert_eq!(is_ended(&world, "a").await, Some(false));
    notes.cannot.store(false, Ordering::Release);
    let running = start();
    until(|| notes.has("lost a")).await;
    until(|| running.progress.reached().is_some()).await;
    running.stop().await;
    assert_eq!(is_ended(&world, "a").await, None);
    assert_eq!(notes.read(), ["1", "refused a", "lost a"]);
}

// One that comes by itself can be tried again by itself.
#[tokio::test(flavor = "multi_thread")]
async fn who_takes_many_is_told_before_some_become_dead_letters() {
    for notes in both() {
        let (world, stand_in) = (World::new().await, StandIn::new());
        stand_in.shard("a", None);
        stand_in.put("a", "1");
        let running = world.start_on("reader", quick(), stand_in.client(), notes.clone());
        until(|| notes.has("1")).await;
        let dead = async |many: usize| {
            let letters = DeadLetters::new(&world.store);
            let waited = tokio::time::timeout(Duration::from_secs(60), async {
                while letters.of("reader").all().collect().await.unwrap().len() < many {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            });
            waited.await.expect("they are kept");
        };
        stand_in.put("a", "bad");
        dead(1).await;
        stand_in.put_strange("a", "strange");
        dead(2).await;
        stand_in.put("a", "3");
        until(|| notes.has("3")).await;
        running.stop().await;
        match notes.takes {
            Some(_) => assert_eq!(notes.read(), ["1", "lost a", "lost a", "3"]),
            None => assert_eq!(notes.read(), ["1", "3"]),
        }
    }
}
