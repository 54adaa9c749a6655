//! One module a command.

pub(crate) mod check;
pub(crate) mod events;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod generate;
pub(crate) mod import;
pub(crate) mod lake;
pub(crate) mod local;
pub(crate) mod new;
mod outdated;
pub(crate) mod plan;
pub(crate) mod prove;
pub(crate) mod schema;
pub(crate) mod stream;
pub(crate) mod token;
pub(crate) mod up;
