//! What calls cost: for the caller that asks, and for metrics.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_sdk_dynamodb::types::{ConsumedCapacity, ReturnConsumedCapacity};

use crate::Store;

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

/// What was used of a table itself, or of one of its indexes.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// The table, as the endpoint names it.
    pub table: String,
    /// The index; none for the table itself.
    pub index: Option<String>,
    /// Read capacity units.
    pub read_units: f64,
    /// Write capacity units.
    pub write_units: f64,
}

#[derive(Debug, Default)]
struct Reading {
    used: Capacity,
    shares: Shares,
    /// Of the request that wrote most.
    costliest: (Capacity, Shares),
}

/// Read and write units, by table and index.
type Shares = BTreeMap<(String, Option<String>), (f64, f64)>;

/// Adds up what the calls through a store cost, see [`Store::metered`](crate::Store::metered).
#[derive(Debug, Clone, Default)]
pub struct Meter(Arc<Mutex<Reading>>);

impl Meter {
    /// What was used so far.
    pub fn used(&self) -> Capacity {
        self.reading().used
    }

    /// What was used so far; begins again from nothing.
    pub fn take(&self) -> Capacity {
        self.take_shares().0
    }

    /// What was used so far, in all and of each table and index; begins again from nothing. An endpoint that does not tell them apart
    /// has all on the table.
    pub fn take_shares(&self) -> (Capacity, Vec<Share>) {
        let reading = std::mem::take(&mut *self.reading());
        (reading.used, listed(reading.shares))
    }

    /// What the one request used that wrote most of all so far, in all and of each table and index; begins again from nothing.
    pub fn take_costliest_write(&self) -> (Capacity, Vec<Share>) {
        let reading = std::mem::take(&mut *self.reading());
        let (used, shares) = reading.costliest;
        (used, listed(shares))
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn listed(shares: Shares) -> Vec<Share> {
    let shares = shares.into_iter();
    let shares = shares.map(|((table, index), (read_units, write_units))| Share {
        table,
        index,
        read_units,
        write_units,
    });
    shares.collect()
}

/// Where so many units were written, in an order.
fn places(shares: &Shares) -> Vec<(&(String, Option<String>), u64)> {
    let shares = shares.iter();
    shares
        .map(|(place, (_, write))| (place, write.to_bits()))
        .collect()
}

impl Reading {
    /// With what one request used.
    fn add_request(&mut self, request: Reading) {
        self.used.requests += request.used.requests;
        self.used.read_units += request.used.read_units;
        self.used.write_units += request.used.write_units;
        for (place, (read, write)) in &request.shares {
            let share = self.shares.entry(place.clone()).or_default();
            share.0 += read;
            share.1 += write;
        }
        let (most, shares) = &self.costliest;
        let dearer = request.used.write_units.total_cmp(&most.write_units);
        // Of several that wrote as much the same one every time, whichever was answered first.
        let by_places = || places(shares).cmp(&places(&request.shares));
        if dearer.then_with(by_places).is_gt() {
            self.costliest = (request.used, request.shares);
        }
    }

    fn add(&mut self, table: &str, index: Option<&str>, direction: Direction, units: f64) {
        let place = (table.to_owned(), index.map(str::to_owned));
        let share = self.shares.entry(place).or_default();
        match direction {
            Direction::Read => share.0 += units,
            Direction::Write => share.1 += units,
        }
    }

    /// What one table tells, and what is left of it to the table itself when its indexes have theirs.
    fn add_consumed(&mut self, consumed: &ConsumedCapacity, direction: Direction) {
        let units = consumed.capacity_units().unwrap_or_default();
        match direction {
            Direction::Read => self.used.read_units += units,
            Direction::Write => self.used.write_units += units,
        }
        let table = consumed.table_name().unwrap_or_default();
        let indexes = [
            consumed.global_secondary_indexes(),
            consumed.local_secondary_indexes(),
        ];
        let mut left = units;
        for (index, capacity) in indexes.into_iter().flatten().flatten() {
            let units = capacity.capacity_units().unwrap_or_default();
            left -= units;
            self.add(table, Some(index), direction, units);
        }
        if left > 0.0 {
            self.add(table, None, direction, left);
        }
    }
}

impl Store {
    /// What is asked of every request: the sum, and what each index took where somebody reads the meter.
    pub(crate) fn capacity_asked(&self) -> ReturnConsumedCapacity {
        match self.meter() {
            Some(_) => ReturnConsumedCapacity::Indexes,
            None => ReturnConsumedCapacity::Total,
        }
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
    store: &Store,
    operation: &'static str,
    direction: Direction,
    consumed: &[ConsumedCapacity],
) {
    let pattern = store.pattern();
    for consumed in consumed {
        let units = consumed.capacity_units().unwrap_or_default();
        let table = consumed.table_name().unwrap_or_default().to_owned();
        metrics::histogram!("tablewright_capacity_units", "operation" => operation, "table" => table, "pattern" => pattern)
            .record(units);
    }
    metrics::counter!("tablewright_requests_total", "operation" => operation, "pattern" => pattern)
        .increment(1);
    if let Some(meter) = store.meter() {
        let mut request = Reading::default();
        request.used.requests = 1;
        for consumed in consumed {
            request.add_consumed(consumed, direction);
        }
        meter.reading().add_request(request);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(places: &[&str]) -> Reading {
        let mut reading = Reading::default();
        for place in places {
            reading.used.write_units += 1.0;
            reading.add("app", Some(place), Direction::Write, 1.0);
        }
        reading
    }

    #[test]
    fn the_costliest_is_the_same_whichever_was_answered_first() {
        let costliest = |requests: [&[&str]; 3]| {
            let mut reading = Reading::default();
            for places in requests {
                reading.add_request(request(places));
            }
            listed(reading.costliest.1)
        };
        let (one, dear, as_dear): (&[&str], &[&str], &[&str]) =
            (&["GSI1"], &["GSI1", "GSI3"], &["GSI1", "GSI4"]);
        let expected = costliest([one, dear, as_dear]);
        assert_eq!(expected.len(), 2);
        assert_eq!(expected[1].index.as_deref(), Some("GSI3"));
        assert_eq!(costliest([as_dear, dear, one]), expected);
    }
}
