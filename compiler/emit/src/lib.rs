//! What is generated from a model: one module an artefact, all of them listed in [`artefacts`].

pub mod artefacts;
pub mod cloudformation;
mod error;
pub mod export;
pub mod iam;
pub mod json_schema;
pub mod permissions;
pub mod proof;
pub mod rust;
pub mod snapshots;
pub mod typescript;
pub mod workbench;

pub use error::EmitError;
