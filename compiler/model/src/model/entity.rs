//! Entities and what belongs to them.

use super::{
    Allow, Changes, EntityId, Field, FieldId, IndexId, Key, Layout, LetterCase, Model, OnConflict,
    TableId,
};
use crate::condition::Condition;
use crate::span::{Span, Spanned, Text};

/// A kind of thing that is stored.
#[derive(Debug, Clone)]
pub struct Entity {
    /// Its name.
    pub name: Text,
    /// The table it lives in.
    pub table: TableId,
    /// What it is, in words.
    pub about: Option<Text>,
    /// What the table's type attribute says of its items.
    pub type_value: Text,
    /// Its primary key.
    pub key: Key,
    /// Its keys in secondary indexes.
    pub index_keys: Vec<IndexKey>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// What must not occur twice.
    pub unique: Vec<Unique>,
    /// Numbers it keeps.
    pub counters: Vec<Counter>,
    /// The entities that keep numbers of it.
    pub counted_by: Vec<EntityId>,
    /// Fields that repeat a field of another entity.
    pub copies: Vec<Copied>,
    /// The field DynamoDB deletes by.
    pub ttl: Option<(Text, FieldId)>,
    /// The field that says when it is over.
    pub deadline: Option<(Text, FieldId)>,
    /// Optimistic locking and schema versions.
    pub versioned: Option<Versioned>,
    /// Fields that stay in the table.
    pub secret: Vec<(Text, FieldId)>,
    /// What only people know.
    pub facts: Facts,
    /// Rules that may be broken here.
    pub allow: Vec<Allow>,
}

impl Entity {
    /// Whether it keeps a number of items that time deletes: it says since when it counts.
    pub fn counts_what_ends(&self, model: &Model) -> bool {
        let mut kept = self.counters.iter().filter(|one| one.kept_by.is_none());
        kept.any(|counter| model.entity(counter.counts.1).ttl.is_some())
    }

    /// The field of an id.
    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.0]
    }

    /// The field of a name.
    pub fn field_named(&self, name: &str) -> Option<FieldId> {
        self.fields
            .iter()
            .position(|field| field.name.value == name)
            .map(FieldId)
    }

    /// Its keys in one index: one, unless the model gives it two values there.
    pub fn keys_in(&self, index: IndexId) -> impl Iterator<Item = &IndexKey> {
        self.index_keys.iter().filter(move |key| key.index == index)
    }

    /// The fields of its primary key: what tells one item from another.
    pub fn identity(&self) -> Vec<FieldId> {
        self.key.field_ids()
    }

    /// Whether it is nothing but counts: no field is beside its key, and an item begins with the first count.
    pub fn begins_with_its_first_count(&self) -> bool {
        let mut counters = self.counters.iter();
        counters.any(|counter| counter.kept_by.is_none())
            && self.fields.len() == self.identity().len()
    }

    /// How often a field changes, where that is declared or a key makes it plain.
    pub fn changes(&self, field: FieldId) -> Option<Changes> {
        if self.key.has(field) {
            return Some(Changes::Never);
        }
        self.facts
            .changes
            .iter()
            .find(|(id, _)| *id == field)
            .map(|(_, changes)| *changes)
    }

    /// Whether people choose the case of a field's letters when they type it, and nothing is declared of it.
    pub fn has_open_case(&self, field: FieldId) -> bool {
        let declared = self.facts.case.iter().any(|(known, _)| *known == field);
        !declared && self.field(field).names_a_person()
    }

    /// Whether a field has only so many values, by its type or as declared: they are words, and nobody new can have another.
    pub fn has_few_values(&self, field: FieldId) -> bool {
        let declared = self.facts.distinct.iter().find(|(id, _)| *id == field);
        self.field(field).kind().has_few_values() || declared.is_some_and(|(_, count)| *count < FEW)
    }

    /// How many values a field takes: by its type, or as declared.
    pub fn distinct(&self, field: FieldId) -> Option<u64> {
        let declared = self.facts.distinct.iter().find(|(id, _)| *id == field);
        declared
            .map(|(_, count)| *count)
            .or_else(|| match self.field(field).kind() {
                crate::field_type::FieldType::Bool => Some(2),
                kind => kind.words().map(|words| words.len() as u64),
            })
    }
}

/// A field that is declared to take fewer values than this has words, as an enum: there are too few for everybody to have one.
pub const FEW: u64 = 50;

/// An entity's key in a secondary index.
#[derive(Debug, Clone)]
pub struct IndexKey {
    /// The index, as written.
    pub name: Text,
    /// The index.
    pub index: IndexId,
    /// The templates. A local index has the table's partition template.
    pub key: Key,
    /// Only items for which this holds are in the index.
    pub when: Option<Where>,
    /// Leaving items out is declared to be meant.
    pub sparse: bool,
    /// The entry, for pointing at it.
    pub span: Span,
}

/// A condition and its text.
#[derive(Debug, Clone)]
pub struct Where {
    /// As written.
    pub written: Text,
    /// As parsed; its fields and words exist.
    pub condition: Condition,
}

/// Something that must not occur twice.
#[derive(Debug, Clone)]
pub struct Unique {
    /// Its name; often the field's.
    pub name: Text,
    /// The key of the guard item; none when nothing guards it.
    pub guard: Option<Key>,
    /// Where it says that nothing does.
    pub unguarded: Option<Text>,
}

/// A number kept in step with another entity.
#[derive(Debug, Clone)]
pub struct Counter {
    /// Its name.
    pub name: Text,
    /// The entity that is counted.
    pub counts: (Text, EntityId),
    /// An enum field of it: one number for each of its values.
    pub per: Option<(Text, FieldId)>,
    /// The values of that field.
    pub words: Vec<String>,
    /// The pattern that keeps it by a separate write.
    pub kept_by: Option<Text>,
}

impl Counter {
    /// Whether this is one of its numbers: `by_kind_text` of `by_kind`.
    pub fn keeps(&self, number: &str) -> bool {
        let rest = number.strip_prefix(self.name.as_str());
        match (rest, &self.per) {
            (Some(rest), None) => rest.is_empty(),
            (Some(rest), Some(_)) => {
                let word = rest.strip_prefix('_');
                word.is_some_and(|word| self.words.iter().any(|known| known == word))
            }
            (None, _) => false,
        }
    }
}

/// A field that repeats a field of another entity.
#[derive(Debug, Clone)]
pub struct Copied {
    /// The field that repeats.
    pub field: (Text, FieldId),
    /// Where it comes from, as written: `Customer.name`.
    pub of: Text,
    /// The entity it comes from.
    pub entity: EntityId,
    /// The field it comes from.
    pub source: FieldId,
    /// The access patterns that write it anew when its source changes.
    pub refreshed_by: Vec<Text>,
    /// It stays as it was when it was copied.
    pub snapshot: bool,
}

/// Optimistic locking and schema versions.
#[derive(Debug, Clone)]
pub struct Versioned {
    /// The version of the shape.
    pub data_version: Spanned<u16>,
    /// Where the fields stand.
    pub layout: Layout,
    /// What a write does that lost.
    pub on_conflict: OnConflict,
    /// Where that was said.
    pub on_conflict_span: Option<Span>,
}

/// What only people know about an entity.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// How many items there will be.
    pub items: Option<u64>,
    /// A typical item, in bytes.
    pub size: Option<u64>,
    /// Where that is said.
    pub size_span: Option<Span>,
    /// How many values a field takes.
    pub distinct: Vec<(FieldId, u64)>,
    /// How often a field changes.
    pub changes: Vec<(FieldId, Changes)>,
    /// What upper and lower case mean in a text field.
    pub case: Vec<(FieldId, LetterCase)>,
}
