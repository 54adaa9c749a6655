//! The To-Do API: a user's tasks, by status, due date, priority and category.
//!
//! Routes call rules, and rules repositories that are generated from `models/todo.toml`. No key, no expression and no name of an attribute
//! is written by hand.

mod ask;
mod begun;
pub mod check;
mod consumers;
mod counts;
mod gold;
mod insights;
mod lake;
mod leave;
mod many;
#[rustfmt::skip] // generated
pub mod model;
mod named;
mod page;
mod record;
mod routes;
pub mod rules;
mod service;
mod state;
mod tasks;
mod view;

pub use self::consumers::CONSUMERS;
pub use self::lake::lake_model;
pub use self::service::{ABOUT, SETTINGS, StartError, function, service, service_on};
pub use self::state::App;
