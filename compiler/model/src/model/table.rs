//! Tables and indexes.

use super::{Allow, Billing, IndexId, IndexKind, StreamView};
use crate::span::{Spanned, Text};

/// A DynamoDB table.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its name.
    pub name: Text,
    /// The partition key's attribute.
    pub partition_key: KeyAttribute,
    /// The sort key's attribute; none for a single key.
    pub sort_key: Option<KeyAttribute>,
    /// The attribute that names the entity of an item.
    pub type_attribute: Option<Text>,
    /// The one TTL attribute.
    pub ttl: Option<Text>,
    /// The change stream.
    pub stream: Option<Spanned<StreamView>>,
    /// Point-in-time recovery, with its place when it was said.
    pub recovery: Setting<bool>,
    /// Deletion protection, with its place when it was said.
    pub deletion_protection: Setting<bool>,
    /// How capacity is paid.
    pub billing: Billing,
    /// Its units where it is provisioned, whoever decides that.
    pub capacity: Capacity,
    /// Whether values are escaped in keys.
    pub escape: Setting<bool>,
    /// Its secondary indexes.
    pub indexes: Vec<Index>,
    /// Rules that may be broken here.
    pub allow: Vec<Allow>,
}

/// Provisioned units, and how they scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Read units.
    pub read: Units,
    /// Write units.
    pub write: Units,
    /// The use that scaling aims at, in percent.
    pub target: u8,
}

/// The fewest and the most units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units {
    /// There are never fewer; at least one.
    pub fewest: u32,
    /// There are never more, whatever is asked.
    pub most: u32,
}

impl Default for Capacity {
    /// From 5 to 100 units of each kind, 70 % of them in use.
    fn default() -> Self {
        let units = Units {
            fewest: 5,
            most: 100,
        };
        Capacity {
            read: units,
            write: units,
            target: 70,
        }
    }
}

/// A setting with a default, and where it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting<T> {
    /// What holds.
    pub value: T,
    /// Where it was said; none when it is the default.
    pub said: Option<crate::span::Span>,
}

impl Table {
    /// The index of a name.
    pub fn index_named(&self, name: &str) -> Option<(IndexId, &Index)> {
        let position = self
            .indexes
            .iter()
            .position(|index| index.name.value == name)?;
        Some((IndexId(position), &self.indexes[position]))
    }

    /// The index of an id.
    #[allow(
        clippy::should_implement_trait,
        reason = "`table.index(id)` reads as `model.table(id)` does; brackets would not"
    )]
    pub fn index(&self, id: IndexId) -> &Index {
        &self.indexes[id.0]
    }
}

/// A secondary index.
#[derive(Debug, Clone)]
pub struct Index {
    /// Its name.
    pub name: Text,
    /// Global or local.
    pub kind: IndexKind,
    /// The partition key's attribute.
    pub partition_key: KeyAttribute,
    /// The sort key's attribute.
    pub sort_key: Option<KeyAttribute>,
    /// What it holds besides keys.
    pub projection: Projection,
    /// Its units where its table is provisioned. A local index shares the table's.
    pub capacity: Capacity,
    /// Rules that may be broken here.
    pub allow: Vec<Allow>,
}

/// What an index holds besides keys.
#[derive(Debug, Clone)]
pub enum Projection {
    /// Every attribute.
    All,
    /// Nothing.
    KeysOnly,
    /// These fields.
    Fields(Vec<Text>),
}

/// An attribute that is a key, of a table or an index.
#[derive(Debug, Clone)]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// Its DynamoDB type.
    pub kind: KeyKind,
    /// Where it was named; for a default name, where the index was.
    pub written: Text,
}

/// The type of a key attribute. DynamoDB takes the first three.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyKind {
    /// S
    String,
    /// N
    Number,
    /// B
    Binary,
    /// Anything else that was written, which DynamoDB refuses.
    Refused(String),
}
