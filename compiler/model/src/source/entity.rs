//! `[entity.…]` as written.

use schemars::JsonSchema;

use super::decode::{
    Decode, Decoder, Entries, Node, OneOrMany, Place, source_choice, source_table,
};
use crate::diagnostic::Diagnostic;
use crate::span::{Spanned, Text};

source_table! {
    /// A kind of thing that is stored.
    pub struct EntitySource {
        /// The table it lives in.
        pub table: Text,
        /// What it is, in words.
        pub about: Option<Text>,
        /// What the table's type attribute says of its items; the entity's name unless said.
        pub r#type: Option<Text>,
        /// Its primary key.
        pub key: KeySource,
        /// Its keys in secondary indexes, by index.
        pub index: Entries<OneOrMany<IndexKeySource>>,
        /// Its fields: name and type, such as `"string(1..200)?"`.
        pub fields: Entries<Text>,
        /// What must not occur twice, each with the key of its guard item.
        pub unique: Entries<UniqueSource>,
        /// Numbers kept in step with other entities.
        pub counters: Entries<CounterSource>,
        /// Fields that repeat a field of another entity, each with where it comes from and how it is kept up to date.
        pub copies: Entries<CopySource>,
        /// The field DynamoDB deletes by: the table's TTL attribute.
        pub ttl: Option<Text>,
        /// The field that says when it is over for the business.
        pub deadline: Option<Text>,
        /// Optimistic locking and schema versions.
        pub versioned: Option<VersionedSource>,
        /// Fields that stay in the table: the lake and every other copy of the data are without them.
        pub secret: Vec<Text>,
        /// What only people know.
        pub facts: Option<FactsSource>,
        /// Rules that may be broken here, each with the reason.
        pub allow: Entries<Text>,
    }
}

source_table! {
    /// The templates of a key.
    pub struct KeySource {
        /// Template of the partition key, such as `USER#{user_id}`.
        pub partition: Text,
        /// Template of the sort key.
        pub sort: Option<Text>,
    }
}

source_table! {
    /// An entity's key in a secondary index.
    pub struct IndexKeySource {
        /// Template of the index's partition key; a local index has the table's.
        pub partition: Option<Text>,
        /// Template of the index's sort key.
        pub sort: Option<Text>,
        /// Only items for which this holds are in the index.
        pub when: Option<Text>,
        /// Leaving items out of the index is meant.
        pub sparse: Option<Spanned<bool>>,
    }
}

/// The key of a guard item, or the admission that there is none.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum UniqueSource {
    /// The guard's key.
    Guard(KeySource),
    /// `"unguarded"`: wished for, enforced by nothing.
    Unguarded(Text),
}

impl Decode for UniqueSource {
    fn decode(node: &Node<'_>, place: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        if node.get_ref().is_table() {
            return KeySource::decode(node, place, decoder).map(UniqueSource::Guard);
        }
        let word = Text::decode(node, place, decoder)?;
        if word.value != "unguarded" {
            decoder.report(
                Diagnostic::language("unknown-word", word.content(), format!("`{word}` is no guard"))
                    .help("give the guard item's key, { partition = \"EMAIL#{email:lower}\", sort = \"METADATA\" }, or write \"unguarded\""),
            );
            return None;
        }
        Some(UniqueSource::Unguarded(word))
    }
}

source_table! {
    /// A number kept in step with other entities.
    pub struct CounterSource {
        /// The entity that is counted.
        pub counts: Text,
        /// An enum field of it: one number for each of its values.
        pub per: Option<Text>,
        /// The access pattern that keeps it by a separate write, where existing code does so.
        pub kept_by: Option<Text>,
    }
}

source_table! {
    /// A field that repeats a field of another entity.
    pub struct CopySource {
        /// Where it comes from: `"Customer.name"`.
        pub of: Text,
        /// The access patterns that write it anew when its source changes.
        pub refreshed_by: Vec<Text>,
        /// It stays as it was when it was copied, as the price on an invoice does.
        pub snapshot: Option<Spanned<bool>>,
    }
}

source_table! {
    /// Optimistic locking and schema versions.
    pub struct VersionedSource {
        /// The version of the shape this model describes, from 1.
        pub data_version: Spanned<u64>,
        /// Fields at the top of the item, or in a map `data`.
        pub layout: Option<Spanned<Layout>>,
        /// What a write does that lost to another.
        pub on_conflict: Option<Spanned<OnConflict>>,
    }
}

source_choice! {
    /// Where an item keeps its fields.
    pub enum Layout {
        /// At the top.
        Flat = "flat",
        /// In a map `data`.
        Wrapped = "wrapped",
    }
}

source_choice! {
    /// What a write does that lost to another.
    pub enum OnConflict {
        /// Read again and apply the change to what is there now.
        Reapply = "reapply",
        /// Return the conflict.
        Fail = "fail",
        /// Write the stale copy over the other's change.
        Overwrite = "overwrite",
    }
}

source_table! {
    /// What only people know about an entity.
    pub struct FactsSource {
        /// How many items there will be.
        pub items: Option<Spanned<u64>>,
        /// A typical item: `"600 B"`, `"2 KB"`.
        pub size: Option<Text>,
        /// How many values a field takes.
        pub distinct: Entries<Spanned<u64>>,
        /// How often a field changes.
        pub changes: Entries<Spanned<Changes>>,
        /// What upper and lower case mean in a text field.
        pub case: Entries<Spanned<LetterCase>>,
    }
}

source_choice! {
    /// What upper and lower case mean in a text field.
    pub enum LetterCase {
        /// Every value is in lower case before it comes here.
        Lower = "lower",
        /// They tell values apart: `Ann` and `ann` are two.
        Exact = "exact",
    }
}

source_choice! {
    /// How often a field changes.
    pub enum Changes {
        /// After creation never.
        Never = "never",
        /// Once or twice in its life.
        Rarely = "rarely",
        /// Now and then.
        Sometimes = "sometimes",
        /// With most writes.
        Often = "often",
    }
}
