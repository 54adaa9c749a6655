//! What is generated from a model: one module an artefact, all of them listed in [`artefacts`].

pub mod artefacts;
pub mod json_schema;
pub mod snapshots;
