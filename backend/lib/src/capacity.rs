//! What calls cost: for the caller that asks, and for metrics.

use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::types::ConsumedCapacity;

/// What was used.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Capacity {
    /// Requests that were answered.
    pub requests: u64,
    /// Read capacity units.
    pub read_units: f64,
    /// Write capacity units.
    pub write_units: f64,
}

/// Adds up what the calls through a store cost, see [`Store::metered`](crate::Store::metered).
#[derive(Debug, Clone, Default)]
pub struct Meter(Arc<Mutex<Capacity>>);

impl Meter {
    /// What was used so far.
    pub fn used(&self) -> Capacity {
        *self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What was used so far; begins again from nothing.
    pub fn take(&self) -> Capacity {
        std::mem::take(
            &mut *self
                .0
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        )
    }

    fn add(&self, more: Capacity) {
        let mut used = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        used.requests += more.requests;
        used.read_units += more.read_units;
        used.write_units += more.write_units;
    }
}

/// Whether a request reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Read,
    Write,
}

/// Notes one answered request with what it used on each table.
pub(crate) fn note(
    meter: Option<&Meter>,
    operation: &'static str,
    direction: Direction,
    consumed: &[ConsumedCapacity],
) {
    let mut capacity = Capacity {
        requests: 1,
        ..Capacity::default()
    };
    for consumed in consumed {
        let units = consumed.capacity_units().unwrap_or_default();
        match direction {
            Direction::Read => capacity.read_units += units,
            Direction::Write => capacity.write_units += units,
        }
        let table = consumed.table_name().unwrap_or_default().to_owned();
        metrics::histogram!("tablewright_capacity_units", "operation" => operation, "table" => table)
            .record(units);
    }
    metrics::counter!("tablewright_requests_total", "operation" => operation).increment(1);
    if let Some(meter) = meter {
        meter.add(capacity);
    }
}
