//! Lakes of the To-Do API on the real engine, read back file by file.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod bronze;
mod columns;
mod damage;
mod export;
mod function;
mod identity;
mod killed;
mod locked;
mod lost;
mod replays;
mod secrets;
mod shapes;
mod silver;
mod support;
