//! Writes: one item with everything that belongs to it, or several, all or none.

mod apply;
mod change;
mod compose;
mod conditions;
mod count_out;
mod counts;
mod create;
mod difference;
mod guards;
mod inputs;
mod load;
mod once;
mod refuse;
mod refused_alone;
mod remove;
mod request;
mod send;
mod single;
mod transact;
mod unread;

pub use count_out::{Counted, CountedOut};
pub use inputs::{Inputs, Seen, Sent, TransactKeys};
pub use load::Load;
pub use once::{Earlier, Once};
pub use refuse::{Failed, Failure, Refusal, Refused, Why};

pub(crate) use compose::Composer;
pub(crate) use conditions::OnlyIf;
pub(crate) use counts::gone_keepers;
pub(crate) use guards::{GUARDS, guard_key};
pub(crate) use refuse::error_of;
pub(crate) use remove::{removed, removed_raw};
pub(crate) use request::ItemRequest;
pub(crate) use send::Outcome;
pub(crate) use single::{Inserted, conflict, not_found, only_if};
