//! What a model consists of while it is being made.

use super::fields::FieldDraft;
use super::questions::Question;
use super::shapes::StructDraft;
use super::source::Item;

/// What came of the file.
pub(super) struct Draft {
    /// In the order of the file's tables.
    pub(super) tables: Vec<TableDraft>,
    pub(super) structs: Vec<StructDraft>,
    pub(super) questions: Vec<Question>,
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

    /// The templates of all its keys, and whether each sorts: a guard is only ever compared.
    pub(super) fn templates(&self) -> impl Iterator<Item = (&String, bool)> {
        let of_indexes = self.indexes.iter().flat_map(|index| {
            let sort = index.sort.iter().map(|sort| (sort, true));
            std::iter::once((&index.partition, false)).chain(sort)
        });
        let of_unique = self.unique.iter().flat_map(|(_, partition, sort)| {
            std::iter::once(partition)
                .chain(sort)
                .map(|template| (template, false))
        });
        let sort = self.sort.iter().map(|sort| (sort, true));
        std::iter::once((&self.partition, false))
            .chain(sort)
            .chain(of_indexes)
            .chain(of_unique)
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
