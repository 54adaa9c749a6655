//! Limits for addresses: who makes up many people is still at one place (C2-11).

use tablewright_service::{Address, Problem};

use crate::limits::{Limit, Standing};
use crate::state::App;

const READS: i64 = 300;
const PEOPLE: i64 = 20;
const SUBSCRIPTIONS: i64 = 10;

/// One read more from an address.
pub(crate) async fn reads(app: &App, address: Address) -> Result<Standing, Problem> {
    take(app, "read", address, READS).await
}

/// One new person more from an address.
pub(crate) async fn makes_a_person(app: &App, address: Address) -> Result<Standing, Problem> {
    take(app, "person", address, PEOPLE).await
}

/// One device more that subscribes from an address.
pub(crate) async fn subscribes(app: &App, address: Address) -> Result<Standing, Problem> {
    take(app, "subscribe", address, SUBSCRIPTIONS).await
}

async fn take(app: &App, what: &str, address: Address, most: i64) -> Result<Standing, Problem> {
    // Where no address is known, all that come so share a limit.
    let address = address
        .0
        .map_or_else(|| String::from("unknown"), |ip| ip.to_string());
    Limit::hourly(what, &address, most).take(app).await
}
