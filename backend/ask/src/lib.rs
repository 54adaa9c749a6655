//! Ask-a-Human: agents put questions to people.
//!
//! Routes call rules, and rules repositories that are generated from `models/ask.toml`. No key, no expression and no name of an attribute
//! is written by hand.

mod addresses;
mod agents;
mod answering;
mod asking;
mod banning;
mod boards;
mod browsers;
mod commands;
mod consumers;
mod dispatcher;
mod feed;
mod kinds;
mod limits;
mod listing;
#[cfg(feature = "mcp")]
pub mod mcp;
#[rustfmt::skip] // generated
pub mod model;
mod opened;
mod page;
mod places;
mod record;
mod reviewing;
mod routes;
pub mod rules;
mod service;
mod signed;
mod state;
mod statistics;
mod subscribing;
mod sweeper;
mod telling;
mod told;
mod turns;
mod view;
mod who;

pub use self::agents::{AgentSaid, NewKey, add_agent, add_key, known, revoke_key};
pub use self::commands::{Command, NotUnderstood};
pub use self::consumers::{CONSUMERS, as_function, consumers};
pub use self::dispatcher::{Dispatcher, Pace, Sending};
pub use self::service::{
    ABOUT, SETTINGS, StartError, following, function, reach, service_on, serving, start,
};
pub use self::signed::Signer;
pub use self::state::App;
pub use self::sweeper::Sweeper;
pub use self::telling::Telling;
pub use self::told::{AgentWebhooks, Trying};
