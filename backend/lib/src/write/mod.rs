//! Writes: one item with everything that belongs to it, or several, all or none.

mod compose;
mod counts;
mod refuse;
mod request;
mod send;
mod single;
mod transact;

pub use refuse::{Failed, Failure, Refusal, Refused, Why};
pub use single::Once;
pub use transact::{Inputs, Seen, Sent, TransactKeys};

pub(crate) use compose::{GUARDS, OnlyIf};
