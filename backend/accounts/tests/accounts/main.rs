//! The bank on the embedded engine, and what is stored in every version there was.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod at_once;
mod books;
mod crash;
mod items;
mod rules;
mod schema;
mod support;
mod writer;
