//! Shards that split, end, expire and are trimmed, as those of AWS do.

use tablewright_stream::model::Stream;

use crate::stand_in::StandIn;
use crate::support::{Notebook, World, quick, until};

/// The events, as they came.
fn events(notebook: &Notebook) -> Vec<String> {
    notebook
        .records()
        .iter()
        .map(|record| record.event_id.clone())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn parents_are_read_before_their_children() {
    let world = World::new().await;
    let stand_in = StandIn::new();
    stand_in.shard("parent", None);
    for number in 0..2500 {
        stand_in.put("parent", &format!("p{number}"));
    }
    stand_in.end("parent");
    stand_in.shard("left", Some("parent"));
    stand_in.shard("right", Some("parent"));
    stand_in.shard("grandchild", Some("left"));
    stand_in.put("left", "l");
    stand_in.end("left");
    stand_in.put("right", "r");
    stand_in.put("grandchild", "g");
    let notebook = Notebook::default();
    let running = world.start_on("reader", quick(), stand_in.client(), notebook.handler());
    notebook.has(2503).await;
    running.stop().await;
    let came = events(&notebook);
    let place = |event: &str| came.iter().position(|came| came == event).unwrap();
    assert_eq!(
        came.iter().filter(|event| event.starts_with('p')).count(),
        2500
    );
    assert!((0..2500).all(|number| place(&format!("p{number}")) < place("l").min(place("r"))));
    assert!(place("l") < place("g"));
    let leases = Stream::new(&world.store).leases.leases("reader");
    let ended: Vec<(String, bool)> = leases
        .all()
        .collect()
        .await
        .unwrap()
        .into_iter()
        .map(|lease| (lease.shard.clone(), lease.ended))
        .collect();
    for (shard, ended) in ended {
        assert_eq!(
            ended,
            ["parent", "left"].contains(&shard.as_str()),
            "{shard}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn iterators_expire_and_the_endpoint_stumbles() {
    let world = World::new().await;
    let stand_in = StandIn::new();
    stand_in.shard("a", None);
    stand_in.put("a", "1");
    let notebook = Notebook::default();
    let running = world.start_on("reader", quick(), stand_in.client(), notebook.handler());
    notebook.has(1).await;
    for (number, error) in [
        "ExpiredIteratorException",
        "LimitExceededException",
        "InternalServerError",
    ]
    .iter()
    .enumerate()
    {
        stand_in.fail("GetRecords", error);
        stand_in.put("a", &format!("{}", number + 2));
        notebook.has(number + 2).await;
    }
    running.stop().await;
    assert_eq!(events(&notebook), ["1", "2", "3", "4"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_trimmed_is_passed_over_and_the_rest_comes() {
    let world = World::new().await;
    let stand_in = StandIn::new();
    stand_in.shard("a", None);
    stand_in.put("a", "1");
    let notebook = Notebook::default();
    let running = world.start_on("reader", quick(), stand_in.client(), notebook.handler());
    notebook.has(1).await;
    running.stop().await;
    // It was away for more than a day.
    for event in ["2", "3", "4"] {
        stand_in.put("a", event);
    }
    stand_in.trim("a", 2);
    let running = world.start_on("reader", quick(), stand_in.client(), notebook.handler());
    notebook.has(3).await;
    running.stop().await;
    // They are of different items, in no order.
    let mut came = events(&notebook);
    came.sort();
    assert_eq!(came, ["1", "3", "4"]);
}

/// A table that is made again has another stream; what is left of the first is read first.
#[tokio::test(flavor = "multi_thread")]
async fn streams_that_were_turned_off_are_read_to_their_ends() {
    let world = World::new().await;
    let stand_in = StandIn::new();
    stand_in.shard_of(StandIn::EARLIER, "old", None);
    stand_in.put("old", "1");
    stand_in.end("old");
    stand_in.shard("new", None);
    stand_in.put("new", "2");
    let notebook = Notebook::default();
    let running = world.start_on("reader", quick(), stand_in.client(), notebook.handler());
    until(|| notebook.records().len() == 2).await;
    running.stop().await;
    assert_eq!(events(&notebook), ["1", "2"]);
}
