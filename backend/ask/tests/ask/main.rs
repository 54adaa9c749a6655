//! Ask-a-Human over real HTTP on the real engine.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod abuse;
mod agents;
mod answering;
mod asking;
mod bans;
mod boards;
mod commands;
mod crash;
mod days;
mod described;
mod devices;
mod dispatch;
mod feed;
mod forms;
mod guide;
mod hostile;
mod lambda;
mod light;
mod matrix;
#[cfg(feature = "mcp")]
mod mcp;
mod overtaken;
mod pages;
mod person;
mod places;
mod races;
mod settings;
mod standing;
mod strong_reads;
mod support;
mod sweep;
mod town;
mod waiting;
mod webhook;
