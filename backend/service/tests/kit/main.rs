//! The kit over real HTTP: a small service on a temporary engine, its issuer, and everything that can be done to it.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod app;
mod client;
mod codes;
mod description;
mod issuer;
#[rustfmt::skip] // generated
#[allow(missing_docs, unreachable_pub, dead_code, reason = "generated for other places than a test")]
mod model;
mod started;

mod answers;
mod development;
mod documentation;
mod health;
mod lambda;
mod limits;
mod numbers;
mod pages;
mod problems;
mod process;
mod rates;
mod repetition;
mod rotation;
mod shutdown;
mod sign_in;
mod tokens;
mod told;
