//! Task management: admins hand out tasks, members work on them.

mod historian;
#[rustfmt::skip] // generated
pub mod model;
mod notifier;

pub use self::historian::Historian;
pub use self::notifier::{Notifier, Sending};
