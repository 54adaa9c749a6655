//! Task management: admins hand out tasks, members work on them.

pub mod model;
