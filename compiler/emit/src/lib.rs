//! What is generated from a model.

mod error;
pub mod rust;

pub use error::EmitError;
