//! The numbers of consumers, for Prometheus.

use metrics::{counter, gauge};

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

/// How old the oldest record is that is not handled; nothing when all are.
pub(crate) fn lag(consumer: &str, millis: i64) {
    gauge!("stream_lag_seconds", "consumer" => consumer.to_owned())
        .set(millis.max(0) as f64 / 1000.0);
}
