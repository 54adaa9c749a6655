//! Limits for addresses: who makes up many people is still at one place (C2-11).

use tablewright_service::{Address, Problem};

use crate::limits::{Counted, Limit, Standing};
use crate::state::App;

const READS: i64 = 300;
const PEOPLE: i64 = 20;
const SUBSCRIPTIONS: i64 = 10;
const ANSWERS: i64 = 600;

/// One read more from an address.
pub(crate) async fn reads(app: &App, address: Address) -> Result<Standing, Problem> {
    reads_of(address).take(app).await
}

/// One new person more from an address.
pub(crate) async fn makes_a_person(app: &App, address: Address) -> Result<Standing, Problem> {
    people_of(address).take(app).await
}

/// One device more that subscribes from an address.
pub(crate) async fn subscribes(app: &App, address: Address) -> Result<Standing, Problem> {
    devices_of(address).take(app).await
}

/// One answer more that is tried from an address, whatever becomes of it.
pub(crate) async fn answers(app: &App, address: Address) -> Result<Standing, Problem> {
    limit(Counted::TRIES, address, ANSWERS).take(app).await
}

pub(crate) fn reads_of(address: Address) -> Limit {
    limit(Counted::READS, address, READS)
}

pub(crate) fn people_of(address: Address) -> Limit {
    limit(Counted::PEOPLE, address, PEOPLE)
}

pub(crate) fn devices_of(address: Address) -> Limit {
    limit(Counted::SUBSCRIPTIONS, address, SUBSCRIPTIONS)
}

fn limit(counted: Counted, address: Address, most: i64) -> Limit {
    // Where no address is known, all that come so share a limit.
    let address = address
        .0
        .map_or_else(|| String::from("unknown"), |ip| ip.to_string());
    Limit::hourly(counted, &address, most)
}
