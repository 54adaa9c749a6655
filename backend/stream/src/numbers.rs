//! The numbers of consumers, for Prometheus.

use metrics::{counter, gauge};

/// Begins all counters at nothing: whoever watches one that comes to be with its first count sees no increase.
pub(crate) fn begin(consumer: &str) {
    let consumer = || consumer.to_owned();
    for outcome in ["handled", "dead"] {
        counter!("stream_records_total", "consumer" => consumer(), "outcome" => outcome)
            .increment(0);
    }
    for name in ["stream_failures_total", "stream_trimmed_total"] {
        counter!(name, "consumer" => consumer()).increment(0);
    }
}

/// A record came to an end: `handled` or `dead`.
pub(crate) fn record(consumer: &str, outcome: &'static str) {
    counter!("stream_records_total", "consumer" => consumer.to_owned(), "outcome" => outcome)
        .increment(1);
}

/// An attempt failed.
pub(crate) fn failure(consumer: &str) {
    counter!("stream_failures_total", "consumer" => consumer.to_owned()).increment(1);
}

/// Records were lost to us: they were trimmed before they were read.
pub(crate) fn trimmed(consumer: &str) {
    counter!("stream_trimmed_total", "consumer" => consumer.to_owned()).increment(1);
}

/// A shard was gone before all of it was read.
pub(crate) fn lost(consumer: &str, shard: &str) {
    trimmed(consumer);
    tracing::error!(
        %consumer,
        shard,
        "a shard is no longer there, and was not read to its end: what it still had is lost"
    );
}

/// How old the oldest record is that is not handled; nothing when all are.
pub(crate) fn lag(consumer: &str, millis: i64) {
    gauge!("stream_lag_seconds", "consumer" => consumer.to_owned())
        .set(millis.max(0) as f64 / 1000.0);
}
