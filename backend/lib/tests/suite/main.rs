//! The library on a real engine, through the generated repositories. `TABLEWRIGHT_ENDPOINT` names another one to run against.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod added_keys;
mod bad_input;
mod capacity;
mod collections;
mod concurrency;
mod corners;
mod counters;
mod crash;
mod described;
mod every_construct;
mod faults;
mod faulty;
mod forms;
mod idempotency;
mod index_keys;
mod keepers;
mod labels;
mod lesser_endpoints;
mod misuse;
mod old_shapes;
mod pages;
mod permissions;
mod places;
mod samples;
mod stale_reads;
mod support;
mod table_faults;
mod tables;
mod transactions;
mod ttl;
mod unique;
mod versions;
