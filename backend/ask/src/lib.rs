//! Ask-a-Human: agents put questions to people.

#[rustfmt::skip] // generated
pub mod model;
