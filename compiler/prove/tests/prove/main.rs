//! Models proved, and wrong ones found out.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod models;
mod rules;
mod support;
mod wrong_models;
