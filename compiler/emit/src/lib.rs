//! What is generated from a model: one module an artefact, all of them listed in [`artefacts`].

pub mod artefacts;
mod error;
pub mod json_schema;
pub mod proof;
pub mod rust;
pub mod snapshots;

pub use error::EmitError;
