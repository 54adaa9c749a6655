//! Tables and indexes, as DynamoDB knows them.

/// A DynamoDB table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The partition key's attribute.
    pub partition_key: KeyAttribute,
    /// The sort key's attribute; none for a single key.
    pub sort_key: Option<KeyAttribute>,
    /// The attribute that names the entity of an item.
    pub type_attribute: Option<String>,
    /// The one TTL attribute.
    pub ttl: Option<String>,
    /// The change stream.
    pub stream: Option<StreamView>,
    /// Point-in-time recovery.
    pub recovery: bool,
    /// Deletion protection.
    pub deletion_protection: bool,
    /// Whether values are escaped in keys.
    pub escape: bool,
    /// Its secondary indexes.
    pub indexes: Vec<Index>,
}

/// A secondary index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// It shares the table's partition key.
    pub local: bool,
    /// The partition key's attribute.
    pub partition_key: KeyAttribute,
    /// The sort key's attribute.
    pub sort_key: Option<KeyAttribute>,
    /// What it holds besides keys.
    pub projection: Projection,
}

/// An attribute that is a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// Its DynamoDB type.
    pub kind: KeyKind,
}

/// The types of a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// S
    String,
    /// N
    Number,
    /// B
    Binary,
}

/// What an index holds besides keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projection {
    /// Every attribute.
    All,
    /// Nothing.
    KeysOnly,
    /// These attributes.
    Only(Vec<String>),
}

/// What the records of a change stream carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamView {
    /// The key alone.
    KeysOnly,
    /// The item after the change.
    NewImage,
    /// The item before the change.
    OldImage,
    /// Both.
    NewAndOldImages,
}

impl KeyAttribute {
    /// A key of text.
    pub fn string(name: impl Into<String>) -> Self {
        KeyAttribute {
            name: name.into(),
            kind: KeyKind::String,
        }
    }

    /// A key of numbers.
    pub fn number(name: impl Into<String>) -> Self {
        KeyAttribute {
            name: name.into(),
            kind: KeyKind::Number,
        }
    }

    /// A key of bytes.
    pub fn binary(name: impl Into<String>) -> Self {
        KeyAttribute {
            name: name.into(),
            kind: KeyKind::Binary,
        }
    }
}

impl Table {
    /// A table with a single key, recoverable and protected from deletion.
    pub fn new(name: impl Into<String>, partition_key: KeyAttribute) -> Self {
        Table {
            name: name.into(),
            partition_key,
            sort_key: None,
            type_attribute: None,
            ttl: None,
            stream: None,
            recovery: true,
            deletion_protection: true,
            escape: true,
            indexes: Vec::new(),
        }
    }

    /// With a sort key.
    #[must_use]
    pub fn sort_key(mut self, attribute: KeyAttribute) -> Self {
        self.sort_key = Some(attribute);
        self
    }

    /// With an attribute that names the entity of an item.
    #[must_use]
    pub fn type_attribute(mut self, name: impl Into<String>) -> Self {
        self.type_attribute = Some(name.into());
        self
    }

    /// With a TTL attribute.
    #[must_use]
    pub fn ttl(mut self, attribute: impl Into<String>) -> Self {
        self.ttl = Some(attribute.into());
        self
    }

    /// With a change stream.
    #[must_use]
    pub fn stream(mut self, view: StreamView) -> Self {
        self.stream = Some(view);
        self
    }

    /// Without point-in-time recovery.
    #[must_use]
    pub fn without_recovery(mut self) -> Self {
        self.recovery = false;
        self
    }

    /// Without deletion protection.
    #[must_use]
    pub fn without_deletion_protection(mut self) -> Self {
        self.deletion_protection = false;
        self
    }

    /// With values in keys as they are, delimiters and all.
    #[must_use]
    pub fn without_escaping(mut self) -> Self {
        self.escape = false;
        self
    }

    /// With one more index.
    #[must_use]
    pub fn index(mut self, index: Index) -> Self {
        self.indexes.push(index);
        self
    }

    /// The index of a name.
    pub fn index_named(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// Its key attributes, the partition key's first.
    pub fn key_attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition_key).chain(&self.sort_key)
    }
}

impl Index {
    /// A global index that holds every attribute.
    pub fn global(name: impl Into<String>, partition_key: KeyAttribute) -> Self {
        Index {
            name: name.into(),
            local: false,
            partition_key,
            sort_key: None,
            projection: Projection::All,
        }
    }

    /// A local index: another sort key for the table's partitions.
    pub fn local(name: impl Into<String>, partition_key: KeyAttribute) -> Self {
        Index {
            local: true,
            ..Index::global(name, partition_key)
        }
    }

    /// With a sort key.
    #[must_use]
    pub fn sort_key(mut self, attribute: KeyAttribute) -> Self {
        self.sort_key = Some(attribute);
        self
    }

    /// With only the keys.
    #[must_use]
    pub fn keys_only(mut self) -> Self {
        self.projection = Projection::KeysOnly;
        self
    }

    /// With only these attributes besides the keys.
    #[must_use]
    pub fn only(mut self, attributes: &[&str]) -> Self {
        let attributes = attributes.iter().map(|name| (*name).to_owned());
        self.projection = Projection::Only(attributes.collect());
        self
    }

    /// Its key attributes, the partition key's first.
    pub fn key_attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition_key).chain(&self.sort_key)
    }
}
