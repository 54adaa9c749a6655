//! Task management: admins hand out tasks, members work on them.
//!
//! Routes call rules, and rules repositories that are generated from `models/tasks.toml`. No key, no expression and no name of an attribute
//! is written by hand.

mod again;
mod assignments;
mod cleaner;
mod consumers;
mod historian;
mod kinds;
mod lists;
#[rustfmt::skip] // generated
pub mod model;
mod notifier;
mod page;
mod people;
mod record;
mod release;
mod routes;
pub mod rules;
mod service;
mod state;
mod tasks;
mod telling;
mod undelivered;
mod view;
mod waiting;
mod who;

pub use self::consumers::{CONSUMERS, Consumers, as_function};
pub use self::historian::Historian;
pub use self::notifier::{Notifier, Sending};
pub use self::page::page_parts;
pub use self::service::{
    ABOUT, SETTINGS, StartError, following, function, service_on, serving, start,
};
pub use self::state::App;
pub use self::telling::{Telling, TellingError};
pub use tablewright_stream::Following;
