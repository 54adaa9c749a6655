//! The checker, from the outside: its rules, the repository's models, and texts nobody would write.

mod hostile;
mod limits;
mod models;
mod rules;
