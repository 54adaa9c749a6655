//! Routes that describe themselves: the OpenAPI document is read from the handlers' own arguments and results.

mod document;
mod documented;
mod operation;
mod page;
mod routes;
mod schemas;

pub(crate) use self::document::document;
pub use self::documented::{Documented, Input, Output};
pub use self::operation::Operation;
pub(crate) use self::page::{BUNDLE, docs};
pub use self::routes::{Route, Routes, delete, get, patch, post, put};
pub(crate) use self::schemas::Schemas;
