//! The numbers of consumers, as Prometheus reads them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tablewright_stream::model::Stream;
use tablewright_stream::{Failure, Record};

use crate::stand_in::StandIn;
use crate::support::{Notebook, World, quick, title, until};

static NUMBERS: OnceLock<PrometheusHandle> = OnceLock::new();

/// One number of a consumer, with what else it is told apart by.
fn number(name: &str, labels: &str) -> Option<f64> {
    let begin = || PrometheusBuilder::new().install_recorder().unwrap();
    let text = NUMBERS.get_or_init(begin).render();
    let line = format!("{name}{{{labels}}} ");
    let found = text.lines().find_map(|found| found.strip_prefix(&line))?;
    found.parse().ok()
}

/// Behind is who has not handled something, however idle it is: the age of the oldest record counts, and grows while the world is against it, though others come through.
#[tokio::test(flavor = "multi_thread")]
async fn every_number_is_told_and_lag_grows_while_something_waits() {
    number("", "");
    let world = World::new().await;
    let (is_over, notebook) = (Arc::new(AtomicBool::new(false)), Notebook::default());
    let (over, book) = (Arc::clone(&is_over), notebook.clone());
    for title in ["stuck", "poison", "sound"] {
        world.write("ada", title).await;
    }
    let running = world.start("counted", quick(), move |record: Arc<Record>| {
        let (over, book) = (Arc::clone(&over), book.clone());
        async move {
            match title(&record).as_deref() {
                Some("stuck") if !over.load(Ordering::SeqCst) => {
                    Err(Failure::World(String::from("down")))
                }
                Some("poison") => Err(Failure::Record(String::from("bitter"))),
                _ => {
                    book.note(record);
                    Ok(())
                }
            }
        }
    });
    let consumer = "consumer=\"counted\"";
    // From the beginning: what comes to be with its first count has no increase.
    for (name, labels) in [
        (
            "stream_records_total",
            format!("{consumer},outcome=\"dead\""),
        ),
        ("stream_failures_total", consumer.to_owned()),
        ("stream_trimmed_total", consumer.to_owned()),
    ] {
        assert!(number(name, &labels).is_some(), "{name}");
    }
    let lag = || number("stream_lag_seconds", consumer).unwrap_or_default();
    until(|| lag() > 1.5).await;
    world.write("bob", "meanwhile").await;
    notebook.has(2).await;
    until(|| lag() > 2.5).await;
    is_over.store(true, Ordering::SeqCst);
    notebook.has(3).await;
    until(|| lag() == 0.0).await;
    running.stop().await;
    let records = |outcome: &str| {
        let labels = format!("{consumer},outcome=\"{outcome}\"");
        number("stream_records_total", &labels)
    };
    assert!(records("handled").unwrap() >= 3.0);
    assert_eq!(records("dead"), Some(1.0));
    let failures = number("stream_failures_total", consumer).unwrap();
    assert!(
        failures > 5.0,
        "five of the one, and some of the other: {failures}"
    );
}

/// A shard that cannot be read has nobody knows what in it.
#[tokio::test(flavor = "multi_thread")]
async fn lag_grows_while_the_stream_cannot_be_read() {
    number("", "");
    let world = World::new().await;
    let stand_in = StandIn::new();
    stand_in.shard("a", None);
    stand_in.put("a", "1");
    let notebook = Notebook::default();
    let running = world.start_on("blind", quick(), stand_in.client(), notebook.handler());
    notebook.has(1).await;
    let lag = || number("stream_lag_seconds", "consumer=\"blind\"").unwrap_or_default();
    until(|| lag() == 0.0).await;
    stand_in.fails_for_long("GetRecords", "InternalServerError");
    until(|| lag() > 0.5).await;
    stand_in.recover();
    until(|| lag() == 0.0).await;
    running.stop().await;
    // It was away for more than a day.
    for event in ["2", "3"] {
        stand_in.put("a", event);
    }
    stand_in.trim("a", 2);
    let running = world.start_on("blind", quick(), stand_in.client(), notebook.handler());
    notebook.has(2).await;
    running.stop().await;
    assert_eq!(
        number("stream_trimmed_total", "consumer=\"blind\""),
        Some(1.0)
    );
}

/// A shard that went while nobody read it had nobody knows what in it: it is counted, once, and its lease goes. One that was read to its end is no loss.
#[tokio::test(flavor = "multi_thread")]
async fn a_shard_that_went_before_it_was_read_is_counted() {
    number("", "");
    let world = World::new().await;
    let stand_in = StandIn::new();
    for shard in ["ended", "left", "open"] {
        stand_in.shard(shard, None);
        stand_in.put(shard, &format!("of {shard}"));
    }
    stand_in.end("ended");
    let notebook = Notebook::default();
    let start = || world.start_on("away", quick(), stand_in.client(), notebook.handler());
    let leases = async || {
        let leases = Stream::new(&world.store).leases.leases("away");
        let leases = leases.all().collect().await.unwrap();
        let each = leases
            .into_iter()
            .map(|lease| (lease.data.shard, lease.data.ended));
        each.collect::<BTreeMap<_, _>>()
    };
    let running = start();
    notebook.has(3).await;
    while leases().await.get("ended") != Some(&true) {}
    running.stop().await;
    // It was away for more than a day.
    stand_in.put("left", "lost");
    stand_in.remove("ended");
    stand_in.remove("left");
    stand_in.put("open", "the next");
    let (running, other) = (start(), start());
    notebook.has(4).await;
    let trimmed = || number("stream_trimmed_total", "consumer=\"away\"");
    until(|| trimmed() > Some(0.0)).await;
    while leases().await.len() > 1 {}
    running.stop().await;
    other.stop().await;
    assert_eq!(trimmed(), Some(1.0));
    assert!(leases().await.contains_key("open"));
}
