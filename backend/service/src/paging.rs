//! Pages: how many, after which, and what comes next.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, de};
use tablewright::Page;

/// How many items a page has: a parameter from 1 to `MOST`, `USUAL` if it is not given.
///
/// ```
/// # use schemars::JsonSchema;
/// # use serde::Deserialize;
/// use tablewright_service::{Cursor, Limit};
///
/// #[derive(Deserialize, JsonSchema)]
/// #[serde(deny_unknown_fields)]
/// struct Listing {
///     #[serde(default)]
///     limit: Limit,
///     cursor: Option<Cursor>,
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit<const USUAL: u32 = 20, const MOST: u32 = 100>(u32);

impl<const USUAL: u32, const MOST: u32> Limit<USUAL, MOST> {
    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl<const USUAL: u32, const MOST: u32> Default for Limit<USUAL, MOST> {
    fn default() -> Self {
        Limit(USUAL)
    }
}

impl<'de, const USUAL: u32, const MOST: u32> Deserialize<'de> for Limit<USUAL, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number<const MOST: u32>;
        impl<const MOST: u32> de::Visitor<'_> for Number<MOST> {
            type Value = u32;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "a number from 1 to {MOST}")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<u32, E> {
                let number = u32::try_from(number).ok();
                number
                    .filter(|number| (1..=MOST).contains(number))
                    .ok_or_else(|| E::custom(format!("it is a number from 1 to {MOST}")))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<u32, E> {
                // A number is written in one way: neither `+5` nor `005`.
                let number = text.parse().ok();
                let number = number.filter(|number: &u64| number.to_string() == text);
                self.visit_u64(number.unwrap_or(0))
            }
        }
        deserializer.deserialize_any(Number::<MOST>).map(Limit)
    }
}

impl<const USUAL: u32, const MOST: u32> JsonSchema for Limit<USUAL, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer",
            "minimum": 1,
            "maximum": MOST,
            "default": USUAL,
            "description": "How many items a page has.",
        })
    }
}

/// Where a page begins: the `next_cursor` of the page before, as it was given out.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Cursor(String);

impl Cursor {
    /// What was given out, where it does not come as a parameter of a route.
    pub fn new(cursor: impl Into<String>) -> Self {
        Cursor(cursor.into())
    }

    /// The cursor, for [`Query::after`](tablewright::Query::after).
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Some items, and where the next page begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Listing<T> {
    /// The items, in order. A page is full unless it is the last, or its route says when it may be shorter.
    pub items: Vec<T>,
    /// The cursor of the next page; null when there is nothing more.
    pub next_cursor: Option<String>,
}

impl<T> Listing<T> {
    /// A page of the library, each item as callers see it.
    pub fn of<R>(page: Page<R>, view: impl FnMut(R) -> T) -> Self {
        Listing {
            items: page.items.into_iter().map(view).collect(),
            next_cursor: page.next,
        }
    }
}
