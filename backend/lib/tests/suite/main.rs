//! The library on a real engine, through the generated repositories. `TABLEWRIGHT_ENDPOINT` names another one to run against.

mod bad_input;
mod concurrency;
mod counters;
mod idempotency;
mod lesser_endpoints;
mod pages;
mod support;
mod transactions;
mod ttl;
mod unique;
mod versions;
