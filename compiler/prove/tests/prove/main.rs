//! Models proved, and wrong ones found out.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod by_hand;
mod dearest;
mod examples;
mod faults;
mod full_pages;
mod models;
mod over;
mod right_models;
mod rules;
mod seeds;
mod sizes;
mod support;
mod wrong_keys;
mod wrong_models;
