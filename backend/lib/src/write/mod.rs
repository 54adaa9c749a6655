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

pub(crate) use compose::{Composer, GUARDS, OnlyIf};
pub(crate) use refuse::error_of;
pub(crate) use request::ItemRequest;
pub(crate) use send::Outcome;
pub(crate) use single::{Inserted, conflict, not_found};
