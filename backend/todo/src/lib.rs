//! The To-Do API: a user's tasks, by status, due date, priority and category.

#[rustfmt::skip] // generated
pub mod model;
