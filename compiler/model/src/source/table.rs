//! `[model]` and `[table.…]` as written.

use schemars::JsonSchema;

use super::decode::{Decode, Decoder, Entries, Node, Place, source_choice, source_table};
use crate::span::{Spanned, Text};

source_table! {
    /// Name and profile of the model.
    pub struct ModelHead {
        /// Letters, digits, `-` and `_`. Names artefacts and folders.
        pub name: Text,
        /// What people call it.
        pub title: Option<Text>,
        /// What it is for.
        pub about: Option<Text>,
        /// Which house rules apply: several entities in a table, or a table for each.
        pub profile: Option<Spanned<Profile>>,
        /// The form moments are stored in: one for all, or one for people and one for ranges.
        pub times: Option<TimesSource>,
        /// The field that names the tenant in every entity that has it: what one tenant may not see of another.
        pub tenant: Option<Text>,
    }
}

/// One form of time for all moments, or two.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum TimesSource {
    /// One for all: `"epoch_seconds"`.
    One(Text),
    /// By what a moment is for.
    ByUse(TimesByUse),
}

source_table! {
    /// A form of time for each use.
    pub struct TimesByUse {
        /// Of moments that people read: `"timestamp"`.
        pub people: Text,
        /// Of moments that keys, ranges and orders use: `"epoch_seconds"`.
        pub ranges: Text,
    }
}

impl Decode for TimesSource {
    fn decode(node: &Node<'_>, place: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        if node.get_ref().is_table() {
            TimesByUse::decode(node, place, decoder).map(TimesSource::ByUse)
        } else {
            Text::decode(node, place, decoder).map(TimesSource::One)
        }
    }
}

source_choice! {
    /// The way of modelling, which decides the house rules that apply.
    pub enum Profile {
        /// Several entities in one table, generic key names.
        SingleTable = "single-table",
        /// A table for each entity, natural key names.
        TablePerEntity = "table-per-entity",
    }
}

source_table! {
    /// A DynamoDB table.
    pub struct TableSource {
        /// The partition key's attribute: `"PK"`, or with its type: `"day: number"`.
        pub partition_key: Text,
        /// The sort key's attribute; leave it out for a table with a single key.
        pub sort_key: Option<Text>,
        /// The attribute that names the entity of an item.
        pub r#type: Option<Text>,
        /// The table's one TTL attribute, a number of epoch seconds.
        pub ttl: Option<Text>,
        /// What the change stream carries; no stream when left out.
        pub stream: Option<Spanned<StreamView>>,
        /// Point-in-time recovery; on unless switched off.
        pub recovery: Option<Spanned<bool>>,
        /// Deletion protection; on unless switched off.
        pub deletion_protection: Option<Spanned<bool>>,
        /// How capacity is paid; on demand unless said.
        pub billing: Option<Spanned<Billing>>,
        /// The units of the table where it is provisioned, and how they scale.
        pub capacity: Option<CapacitySource>,
        /// Whether values are escaped in key templates; true unless switched off for a table that exists.
        pub escape: Option<Spanned<bool>>,
        /// The secondary indexes, by name.
        pub index: Entries<IndexSource>,
        /// Rules that may be broken here, each with the reason.
        pub allow: Entries<Text>,
    }
}

source_choice! {
    /// What a change stream carries.
    pub enum StreamView {
        /// The item before and after.
        NewAndOldImages = "new-and-old-images",
        /// The item after.
        NewImage = "new-image",
        /// The item before.
        OldImage = "old-image",
        /// Only its key.
        KeysOnly = "keys-only",
    }
}

source_choice! {
    /// How capacity is paid.
    pub enum Billing {
        /// By request.
        OnDemand = "on-demand",
        /// By the hour, with autoscaling.
        Provisioned = "provisioned",
    }
}

source_table! {
    /// Provisioned units, lowest and highest, and the use that scaling aims at.
    pub struct CapacitySource {
        /// Read units, the fewest and the most: `"5..100"`.
        pub read: Option<Text>,
        /// Write units, the fewest and the most: `"5..50"`.
        pub write: Option<Text>,
        /// How much of the units scaling keeps in use, in percent: 20 to 90, 70 unless said.
        pub target: Option<Spanned<u64>>,
    }
}

source_table! {
    /// A secondary index of a table.
    pub struct IndexSource {
        /// Global unless said.
        pub kind: Option<Spanned<IndexKind>>,
        /// The partition key's attribute; `<index>PK` unless named. A local index has the table's.
        pub partition_key: Option<Text>,
        /// The sort key's attribute; `<index>SK` unless named; `false` for none.
        pub sort_key: Option<NameOrFalse>,
        /// What the index holds besides keys: everything unless said.
        pub projection: Option<ProjectionSource>,
        /// The units of a global index where its table is provisioned; what it leaves out is as the table's.
        pub capacity: Option<CapacitySource>,
        /// Rules that may be broken here, each with the reason.
        pub allow: Entries<Text>,
    }
}

source_choice! {
    /// The two kinds of secondary index.
    pub enum IndexKind {
        /// Own partition key; eventually consistent.
        Global = "global",
        /// The table's partition key with another sort key.
        Local = "local",
    }
}

source_choice! {
    /// What an index holds besides keys.
    pub enum ProjectionWord {
        /// Every attribute.
        All = "all",
        /// Nothing.
        KeysOnly = "keys-only",
    }
}

/// An attribute's name, or `false` for none.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum NameOrFalse {
    /// The name, with its type if it is not a string.
    Name(Text),
    /// `false`
    None(Spanned<bool>),
}

impl Decode for NameOrFalse {
    fn decode(node: &Node<'_>, place: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        if node.get_ref().is_bool() {
            let flag = <Spanned<bool>>::decode(node, place, decoder)?;
            if flag.value {
                decoder.report(crate::diagnostic::Diagnostic::language(
                    "wrong-type",
                    flag.span,
                    "`true` names no attribute: write its name, or `false` for none",
                ));
                return None;
            }
            return Some(NameOrFalse::None(flag));
        }
        Text::decode(node, place, decoder).map(NameOrFalse::Name)
    }
}

/// `"all"`, `"keys-only"` or a list of fields.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum ProjectionSource {
    /// One of the two words.
    Word(Spanned<ProjectionWord>),
    /// Keys and these fields.
    Fields(Vec<Text>),
}

impl Decode for ProjectionSource {
    fn decode(node: &Node<'_>, place: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        if node.get_ref().is_array() {
            Vec::decode(node, place, decoder).map(ProjectionSource::Fields)
        } else {
            Spanned::decode(node, place, decoder).map(ProjectionSource::Word)
        }
    }
}
