//! What a person sees: the compiled command, run in a folder of its own. The answers stand in `snapshots/`.

#[path = "command/check.rs"]
mod check;
#[path = "command/fmt.rs"]
mod fmt;
#[path = "command/new_project.rs"]
mod new_project;
#[path = "command/output.rs"]
mod output;
#[path = "command/rules_and_plans.rs"]
mod rules_and_plans;
#[path = "command/sandbox.rs"]
mod sandbox;
