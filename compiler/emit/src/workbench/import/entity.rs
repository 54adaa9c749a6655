//! What a model consists of while it is being made.

use std::collections::BTreeSet;

use tablewright_keys::Template;

use super::fields::FieldDraft;
use super::shapes::StructDraft;
use super::source::Item;

/// What came of the file.
pub(super) struct Draft {
    /// In the order of the file's tables.
    pub(super) tables: Vec<TableDraft>,
    pub(super) structs: Vec<StructDraft>,
    pub(super) lost: Vec<String>,
}

pub(super) struct TableDraft {
    pub(super) type_attribute: Option<String>,
    /// Whether its keys are written as this library writes them.
    pub(super) escape: bool,
    pub(super) entities: Vec<EntityDraft>,
}

pub(super) struct EntityDraft {
    pub(super) name: String,
    pub(super) type_value: Option<String>,
    pub(super) partition: String,
    pub(super) sort: Option<String>,
    pub(super) indexes: Vec<IndexKeyDraft>,
    pub(super) unique: Vec<(String, String, Option<String>)>,
    pub(super) versioned: Option<Versioned>,
    pub(super) fields: Vec<FieldDraft>,
    /// The samples, with what their keys say besides.
    pub(super) items: Vec<Item>,
}

impl EntityDraft {
    /// Whether an item may be without a field.
    pub(super) fn may_lack(&self, name: &str) -> bool {
        let mut fields = self.fields.iter();
        fields.any(|field| field.name == name && field.kind.ends_with('?'))
    }

    /// No part of a key is the empty text.
    pub(super) fn keys_are_not_empty(&mut self) {
        let of_indexes = self
            .indexes
            .iter()
            .flat_map(|index| std::iter::once(&index.partition).chain(&index.sort));
        let of_unique = self
            .unique
            .iter()
            .flat_map(|(_, partition, sort)| std::iter::once(partition).chain(sort));
        let templates = std::iter::once(&self.partition)
            .chain(&self.sort)
            .chain(of_indexes)
            .chain(of_unique);
        let mut names = BTreeSet::new();
        for template in templates.filter_map(|template| Template::parse(template).ok()) {
            names.extend(template.fields().map(|field| field.name.clone()));
        }
        for field in self
            .fields
            .iter_mut()
            .filter(|field| names.contains(&field.name))
        {
            if matches!(field.kind.as_str(), "string" | "string?") {
                field.kind = field.kind.replace("string", "string(1..)");
            }
        }
    }
}

pub(super) struct IndexKeyDraft {
    pub(super) index: String,
    pub(super) partition: String,
    pub(super) sort: Option<String>,
    pub(super) sparse: bool,
}

pub(super) struct Versioned {
    pub(super) data_version: u64,
    pub(super) wrapped: bool,
}
