//! The types of fields that Rust itself has not: days, moments, ids, decimals and bytes. Each is stored as the text, the number or the
//! bytes a person would expect to see.

mod bytes;
mod decimal;
mod moment;
mod ulid;

use std::fmt;

pub use bytes::Bytes;
pub use decimal::Decimal;
pub use jiff::civil::Date;
pub use moment::{Moment, Timestamp, TimestampMicros, TimestampSeconds};
pub use ulid::Ulid;
pub use uuid::Uuid;

/// Why a text is no value of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotOne {
    text: String,
    of: &'static str,
}

impl fmt::Display for NotOne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no {}", self.text, self.of)
    }
}

impl std::error::Error for NotOne {}

/// Writes a type as its text, and reads it back.
macro_rules! as_text {
    ([$($parameters:tt)*] $name:ty, $schema:expr) => {
        impl<$($parameters)*> serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de, $($parameters)*> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl<$($parameters)*> schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $schema
            }
        }
    };
}

use as_text;
