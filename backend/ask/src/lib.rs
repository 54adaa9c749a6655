//! Ask-a-Human: agents put questions to people.

pub mod model;
