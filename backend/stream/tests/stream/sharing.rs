//! Several processes of one name: they share, they take over, and they do not get in each other's way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tablewright_stream::{Failure, Record};

use crate::stand_in::StandIn;
use crate::support::{Notebook, World, quick, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_process_is_succeeded() {
    let world = World::new().await;
    let (first, second) = (Notebook::default(), Notebook::default());
    world.write("ada", "a").await;
    let dying = world.start("reader", quick(), first.handler());
    first.has(1).await;
    let heir = world.start("reader", quick(), second.handler());
    world.write("ada", "b").await;
    // On a machine that has no time for it, its lease may have passed on already.
    let seen = |title: &str| {
        [&first, &second]
            .iter()
            .any(|book| book.titles().contains(&title.to_owned()))
    };
    until(|| seen("b")).await;
    dying.kill().await;
    world.write("ada", "c").await;
    until(|| second.titles().contains(&String::from("c"))).await;
    heir.stop().await;
    // What came after the last checkpoint comes again, be it all; nothing is missing, and nobody is told of a change before the one before it.
    let written = ["a", "b", "c"];
    assert!(written.iter().all(|title| seen(title)));
    let begin = first.titles().first().cloned();
    assert_eq!(begin.as_deref(), Some("a"));
    for book in [&first, &second] {
        let titles = book.titles();
        let places = titles
            .iter()
            .map(|title| written.iter().position(|known| known == title).unwrap());
        let places: Vec<usize> = places.collect();
        assert!(
            places.windows(2).all(|two| two[1] <= two[0] + 1),
            "{titles:?}"
        );
    }
}

/// Its lease passed on while it slept: what it held in its hands it lets go.
#[tokio::test(flavor = "multi_thread")]
async fn who_slept_too_long_does_nothing_more() {
    let world = World::new().await;
    let (asleep, awake) = (Arc::new(AtomicBool::new(true)), Notebook::default());
    let sleeper = Notebook::default();
    world.write("ada", "a").await;
    let first = world.write("bob", "b").await;
    world.rename(&first, "c").await;
    let (sleeps, book) = (Arc::clone(&asleep), sleeper.clone());
    // A process that is frozen neither handles nor renews: here, the whole thread of its only worker.
    let frozen = std::thread::spawn({
        let (store, engine) = (world.store.clone(), world.engine.clone());
        move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async move {
                let handler = move |record: Arc<Record>| {
                    let (sleeps, book) = (Arc::clone(&sleeps), book.clone());
                    async move {
                        book.note(record);
                        while sleeps.load(Ordering::SeqCst) {
                            std::thread::sleep(Duration::from_millis(10));
                        }
                        Ok::<(), Failure>(())
                    }
                };
                let table = &<todo::model::Task as tablewright::Entity>::descriptor().table;
                let mut options = quick();
                options.lanes = 1;
                let consumer = tablewright_stream::Consumer::new(
                    "reader",
                    &store,
                    engine.streams(),
                    table,
                    options,
                    handler,
                );
                let woke = async {
                    tokio::time::sleep(Duration::from_secs(3)).await;
                };
                consumer.run(woke).await.unwrap();
            });
        }
    });
    sleeper.has(1).await;
    let running = world.start("reader", quick(), awake.handler());
    awake.has(3).await;
    asleep.store(false, Ordering::SeqCst);
    tokio::task::spawn_blocking(|| frozen.join().unwrap())
        .await
        .unwrap();
    running.stop().await;
    assert_eq!(
        sleeper.records().len(),
        1,
        "it did not go on with the rest of its batch"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_share_the_shards() {
    let world = World::new().await;
    // Nobody loses a shard while the machine is busy with something else.
    let mut unhurried = quick();
    unhurried.lease = Duration::from_secs(6);
    let stand_in = StandIn::new();
    for shard in ["a", "b", "c", "d"] {
        stand_in.shard(shard, None);
    }
    let (first, second) = (Notebook::default(), Notebook::default());
    let one = world.start_on("reader", unhurried, stand_in.client(), first.handler());
    for shard in ["a", "b", "c", "d"] {
        stand_in.put(shard, &format!("{shard}1"));
    }
    first.has(4).await;
    let two = world.start_on("reader", unhurried, stand_in.client(), second.handler());
    let leases = tablewright_stream::model::Stream::new(&world.store).leases;
    let mut shares = Vec::new();
    while shares != [2, 2] {
        let held = leases.leases("reader").all().collect().await.unwrap();
        let mut owners: std::collections::BTreeMap<String, usize> = Default::default();
        for owner in held.iter().filter_map(|lease| lease.owner.clone()) {
            *owners.entry(owner).or_default() += 1;
        }
        shares = owners.into_values().collect();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for shard in ["a", "b", "c", "d"] {
        stand_in.put(shard, &format!("{shard}2"));
    }
    until(|| first.records().len() + second.records().len() == 8).await;
    assert_eq!(
        second.records().len(),
        2,
        "what passed on orderly was not handled twice"
    );
    one.stop().await;
    two.stop().await;
}
