//! Accounts with a balance, and transfers between them: the example to copy.

pub mod migrations;
#[rustfmt::skip] // generated
pub mod model;
