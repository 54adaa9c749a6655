//! What is generated from a model: one module an artefact, all of them listed in [`artefacts`].

pub mod artefacts;
pub mod charts;
pub mod cloudformation;
mod design;
pub mod diagrams;
mod error;
pub mod events;
pub mod export;
pub mod iam;
pub mod json_schema;
mod markdown;
pub mod on_disk;
pub mod patterns;
pub mod permissions;
pub mod proof;
pub mod relationships;
mod request;
pub mod review;
pub mod rust;
pub mod snapshots;
pub mod typescript;
pub mod workbench;

pub use error::EmitError;
