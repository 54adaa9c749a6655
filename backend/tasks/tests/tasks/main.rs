//! The task manager over real HTTP on the real engine.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod assign;
mod cleaner;
mod create;
mod described;
mod following;
mod idempotency;
mod lambda;
mod lists;
mod mail;
mod matrix;
mod meant;
mod meeting;
mod people;
mod permitted;
mod races;
mod removed;
mod schema;
mod smtp;
mod status;
mod support;
mod told;
mod undelivered;
mod waiting;
