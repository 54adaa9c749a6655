//! Typed, versioned repositories on DynamoDB.

mod capacity;
mod clock;
mod cursor;
mod entity;
mod error;
mod expression;
mod fields;
mod item;
mod migrate;
mod query;
mod random;
mod read;
mod retry;
mod walk;
mod store;
mod validate;
mod values;
mod versioned;

pub use tablewright_descriptor as descriptor;

pub use capacity::{Capacity, Meter};
pub use clock::{Clock, SystemClock};
pub use entity::{Claim, Entity, EntityKey, Patch, Row, projected_from_item, stored_from_item};
pub use error::{Error, Result};
pub use fields::{Fields, Item};
pub use migrate::Migrations;
pub use query::{All, LARGEST_PAGE, Page, Query};
pub use retry::Patience;
pub use store::{Store, StoreBuilder};
pub use values::{Change, Changes, Values};
pub use versioned::{Stamp, Stored, Versioned};
