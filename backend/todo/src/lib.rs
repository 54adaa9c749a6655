//! The To-Do API: a user's tasks, by status, due date, priority and category.

pub mod model;
