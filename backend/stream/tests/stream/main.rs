//! Consumers on the real engine, and on a stand-in where the engine has nothing to show: shards that split, expire and are trimmed.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod counting;
mod deadline;
mod delivery;
mod events;
mod failures;
mod generated;
mod lambda;
mod lambda_together;
mod letters;
mod lingering;
mod lost;
mod numbers;
mod shards;
mod sharing;
mod slow;
mod stand_in;
mod support;
mod together;
mod waiting;
