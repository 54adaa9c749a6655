//! What calls cost is known to the caller.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use accounts::model::{AccountKey, Accounts};
use metrics::{
    Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, SharedString, Unit,
};

use crate::support::{account, accounts};

/// S4-2, S4-3: an eventual read costs half.
#[tokio::test]
async fn a_meter_tells_what_was_used_through_it() {
    let (_place, accounts) = accounts().await;
    let (store, meter) = accounts.store().metered();
    let metered = Accounts::new(&store);
    metered
        .accounts
        .items()
        .insert(account("a", 1))
        .await
        .unwrap();
    let used = meter.take();
    assert_eq!(
        (used.requests, used.write_units, used.read_units),
        (1, 2.0, 0.0),
        "the table and one index"
    );
    metered.accounts.read("a").await.unwrap();
    assert_eq!(meter.take().read_units, 0.5);
    metered.accounts.read_strong("a").await.unwrap();
    assert_eq!(meter.take().read_units, 1.0);
    metered
        .accounts
        .items()
        .update(&AccountKey::new("a"), |data| data.balance += 1)
        .await
        .unwrap();
    let used = meter.take();
    assert_eq!(
        (used.requests, used.read_units, used.write_units),
        (2, 0.5, 2.0)
    );
    accounts.accounts.read("a").await.unwrap();
    assert_eq!(meter.used().requests, 0, "other stores have their own");
}

/// Counts what is recorded, by name.
#[derive(Default)]
struct Recorded(Mutex<BTreeMap<String, f64>>);

struct Total(Arc<Recorded>, String);

impl Total {
    fn add(&self, value: f64) {
        *self.0.0.lock().unwrap().entry(self.1.clone()).or_default() += value;
    }
}

impl CounterFn for Total {
    fn increment(&self, value: u64) {
        self.add(value as f64);
    }

    fn absolute(&self, value: u64) {
        self.add(value as f64);
    }
}

impl HistogramFn for Total {
    fn record(&self, value: f64) {
        self.add(value);
    }
}

struct Recorder(Arc<Recorded>);

impl Recorder {
    fn total(&self, key: &Key) -> Arc<Total> {
        let labels: Vec<&str> = key.labels().map(metrics::Label::value).collect();
        let name = format!("{} {}", key.name(), labels.join(" "));
        Arc::new(Total(Arc::clone(&self.0), name.trim_end().to_owned()))
    }
}

impl metrics::Recorder for Recorder {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.total(key))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.total(key))
    }
}

#[test]
fn what_calls_cost_goes_to_the_metrics_of_the_process() {
    let recorded = Arc::new(Recorded::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    metrics::with_local_recorder(&Recorder(Arc::clone(&recorded)), || {
        runtime.block_on(async {
            let (_place, accounts) = accounts().await;
            accounts
                .accounts
                .items()
                .insert(account("a", 1))
                .await
                .unwrap();
            accounts.accounts.read("a").await.unwrap();
            accounts.accounts.read_strong("a").await.unwrap();
        });
    });
    let recorded = recorded.0.lock().unwrap();
    for (what, times) in [
        ("GetItem read", 1.0),
        ("GetItem read_strong", 1.0),
        ("PutItem none", 1.0),
    ] {
        assert_eq!(
            recorded[&format!("tablewright_requests_total {what}")],
            times
        );
    }
    let of_table = |operation: &str| {
        let prefix = format!("tablewright_capacity_units {operation} ");
        let found = recorded
            .iter()
            .filter(|(name, _)| name.starts_with(&prefix));
        found.map(|(_, units)| units).sum::<f64>()
    };
    assert_eq!((of_table("GetItem"), of_table("PutItem")), (1.5, 2.0));
}
