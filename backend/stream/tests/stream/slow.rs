//! Machines that have little time.

use tablewright::Entity as _;
use tablewright_stream::Consumer;
use todo::model::Task;

use crate::stand_in::StandIn;
use crate::support::{Notebook, World, quick, until};

/// Reading takes longer than a lease lasts, and nothing else is done meanwhile. Who gave up the lease whenever it has run out would read the same records for ever.
#[tokio::test(flavor = "multi_thread")]
async fn who_reads_for_longer_than_a_lease_comes_through_all_the_same() {
    let world = World::new().await;
    let stand_in = StandIn::new();
    stand_in.shard("a", None);
    for number in 0..100 {
        stand_in.put("a", &number.to_string());
    }
    let options = quick();
    stand_in.takes(options.lease / 32);
    let (book, store, streams) = (Notebook::default(), world.store.clone(), stand_in.client());
    let handler = book.handler();
    let (stop, stopped) = tokio::sync::oneshot::channel();
    // A machine with one thread.
    let busy = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let table = &Task::descriptor().table;
        let consumer = Consumer::new("reader", &store, streams, table, options, handler);
        let stop = async { stopped.await.unwrap_or(()) };
        runtime.block_on(consumer.run(stop)).unwrap();
    });
    until(|| book.records().len() >= 100).await;
    stop.send(()).unwrap();
    tokio::task::spawn_blocking(|| busy.join().unwrap())
        .await
        .unwrap();
    assert_eq!(book.records().len(), 100, "each once");
}

/// What was read is read again when the lease is lost: so it begins with a little.
#[tokio::test(flavor = "multi_thread")]
async fn more_is_read_at_once_the_longer_it_goes_well() {
    let world = World::new().await;
    let stand_in = StandIn::new();
    stand_in.shard("a", None);
    for number in 0..3000 {
        stand_in.put("a", &number.to_string());
    }
    let book = Notebook::default();
    let running = world.start_on("reader", quick(), stand_in.client(), book.handler());
    until(|| book.records().len() >= 3000).await;
    running.stop().await;
    let asked_for = stand_in.asked_for();
    let first: Vec<usize> = asked_for.into_iter().take(6).collect();
    assert_eq!(first, [64, 128, 256, 512, 1000, 1000]);
}
