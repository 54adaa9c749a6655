//! What a person sees: the compiled command, run in a folder of its own. The answers stand in `snapshots/`.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod check;
mod documentation;
mod documents;
mod events;
mod fmt;
mod generate;
#[cfg(unix)]
mod generate_safely;
mod hostile;
mod import;
mod lake;
mod links;
mod local;
mod new_project;
mod output;
mod prove;
mod rules_and_plans;
mod sandbox;
mod stream;
mod token;
#[cfg(unix)]
mod up;
