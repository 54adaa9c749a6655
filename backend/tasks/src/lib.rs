//! Task management: admins hand out tasks, members work on them.

#[rustfmt::skip] // generated
pub mod model;
