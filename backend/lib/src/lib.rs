//! Typed, versioned repositories on DynamoDB.
//!
//! Generated code describes entities and patterns ([`descriptor`]); this crate reads and writes them through one [`Store`]: keys, index
//! keys, guards, counts and claims are made from the description, and only there.
//!
//! The guide, `docs/runtime.md`, follows.
//!
#![doc = include_str!("../../../docs/runtime.md")]

mod capacity;
mod change;
mod clock;
mod count;
mod cursor;
mod entity;
mod error;
mod expression;
mod fields;
mod get;
mod item;
mod items;
mod judge;
mod migrate;
mod only;
mod query;
mod random;
mod read;
mod repository;
mod retry;
mod store;
pub mod tables;
mod types;
mod validate;
mod values;
mod versioned;
mod walk;
mod words;
mod write;

pub use tablewright_descriptor as descriptor;

pub use capacity::{Capacity, Meter, Share};
pub use change::{Changed, ModelEvent, changed, event_detail};
pub use clock::{Clock, SystemClock};
pub use count::Count;
pub use entity::{
    Claim, Entity, EntityKey, Patch, Row, misplaced_keys, projected_from_item, stored_from_item,
};
pub use error::{Error, Result};
pub use fields::{Fields, Item};
pub use items::{Found, Items, Record, Written};
pub use migrate::Migrations;
pub use only::{Only, Refine};
pub use query::{All, LARGEST_PAGE, Page, Query};
pub use repository::Repository;
pub use retry::Patience;
pub use store::{Store, StoreBuilder};
pub use types::{
    Bytes, Date, Decimal, Moment, NotOne, Timestamp, TimestampMicros, TimestampSeconds, Ulid, Uuid,
};
pub use values::{Change, Changes, Values};
pub use versioned::{Stamp, Stored, Versioned};
pub use words::words;
pub use write::{
    Counted, CountedOut, Earlier, Failed, Failure, Inputs, Load, Once, Refusal, Refused, Seen,
    Sent, TransactKeys, Why,
};
