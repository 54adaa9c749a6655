//! Handlers that take many records at once.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tablewright_stream::{Failure, Handler, Record, Shard, Takes};

use crate::support::{World, quick, title, until};

/// Writes down what it takes, and fails as often as it is told.
#[derive(Clone, Default)]
struct Taker {
    taken: Arc<Mutex<Vec<Vec<String>>>>,
    shards: Arc<Mutex<Vec<Shard>>>,
    fails: Arc<AtomicU32>,
}

impl Taker {
    fn titles(&self) -> Vec<String> {
        self.taken.lock().unwrap().concat()
    }
}

impl Handler for Taker {
    async fn handle(&self, _: Arc<Record>) -> Result<(), Failure> {
        panic!("records do not come one by one");
    }

    fn takes(&self) -> Option<Takes> {
        Some(Takes {
            many: 4,
            bytes: usize::MAX,
            wait: Duration::from_millis(20),
        })
    }

    async fn handle_all(&self, shard: &Shard, records: &[Arc<Record>]) -> Result<(), Failure> {
        let left = self.fails.load(Ordering::Relaxed);
        if left > 0 {
            self.fails.store(left - 1, Ordering::Relaxed);
            return Err(Failure::World(String::from("not yet")));
        }
        self.shards.lock().unwrap().push(shard.clone());
        let titles = records.iter().filter_map(|record| title(record));
        self.taken.lock().unwrap().push(titles.collect());
        assert!(records.len() <= 4);
        Ok(())
    }
}

#[tokio::test]
async fn records_of_a_shard_come_together_in_their_order() {
    let world = World::new().await;
    let task = world.write("ada", "0").await;
    for number in 1..20 {
        world.rename(&task, &number.to_string()).await;
    }
    let taker = Taker::default();
    taker.fails.store(3, Ordering::Relaxed);
    let running = world.start("taker", quick(), taker.clone());
    until(|| taker.titles().len() >= 20).await;
    running.stop().await;
    let expected: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    assert_eq!(taker.titles(), expected);
    // Several at once, though all are of one item.
    assert!(
        taker
            .taken
            .lock()
            .unwrap()
            .iter()
            .any(|taken| taken.len() > 1)
    );
    let shards = taker.shards.lock().unwrap();
    assert!(shards[0].stream.contains(shards[0].label()));
    assert!(!shards[0].label().contains('/'));
}

#[tokio::test]
async fn whoever_comes_next_goes_on_where_the_last_one_stopped() {
    let world = World::new().await;
    world.write("ada", "first").await;
    let taker = Taker::default();
    let running = world.start("taker", quick(), taker.clone());
    until(|| taker.titles().len() == 1).await;
    running.stop().await;
    world.write("ada", "second").await;
    let next = Taker::default();
    let running = world.start("taker", quick(), next.clone());
    until(|| next.titles().len() == 1).await;
    running.stop().await;
    assert_eq!(next.titles(), ["second"]);
}

#[tokio::test]
async fn what_was_not_handled_comes_again_to_whoever_is_next() {
    let world = World::new().await;
    world.write("ada", "first").await;
    let failing = Taker::default();
    failing.fails.store(u32::MAX, Ordering::Relaxed);
    let running = world.start("taker", quick(), failing.clone());
    until(|| failing.fails.load(Ordering::Relaxed) < u32::MAX - 1).await;
    running.kill().await;
    let next = Taker::default();
    let running = world.start("taker", quick(), next.clone());
    until(|| next.titles().len() == 1).await;
    running.stop().await;
}
