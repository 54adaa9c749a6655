//! The To-Do API over real HTTP on the real engine.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod auth;
mod begun;
mod bulk;
mod bulk_broken_off;
mod checker;
mod concurrent;
mod corrections;
mod crash;
mod cursors;
mod described;
mod glue;
mod gold;
mod guide;
mod hostile;
mod idempotency;
mod in_time;
mod lake;
mod lambda;
mod lists;
mod page;
mod permitted;
mod retention;
mod schema;
mod search;
mod sent;
mod stats;
mod stored;
mod support;
mod tasks;
mod units;
mod users;
