//! Accounts with a balance, and transfers between them: the example to copy.

pub mod migrations;
pub mod model;
