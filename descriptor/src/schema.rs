//! A schema ready for use: templates typed, conditions understood, every part knowing what it needs.

use std::sync::Arc;

use tablewright_keys::TypedTemplate;

use crate::carried::Carried;
use crate::condition::Condition;
use crate::field_type::DeclaredType;
use crate::key_text::{KeyText, SortTest};
use crate::table::{KeyAttribute, Table};
use crate::written::{ActionKind, EventKind, Layout, Versioning};

/// Everything a run time must know of a model.
#[derive(Debug, Clone)]
pub struct Schema {
    /// The model's name.
    pub name: String,
    /// Its tables.
    pub tables: Vec<Arc<Table>>,
    /// Its entities.
    pub entities: Vec<Arc<Entity>>,
    /// Its reads.
    pub reads: Vec<Read>,
    /// Its writes.
    pub writes: Vec<Write>,
    /// Its events.
    pub events: Vec<Event>,
}

/// A kind of thing that is stored.
#[derive(Debug, Clone)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// The table it lives in.
    pub table: Arc<Table>,
    /// What the table's type attribute says of its items.
    pub type_value: String,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Nested shapes its fields refer to, all of the model.
    pub structs: Arc<Vec<Structure>>,
    /// Its primary key.
    pub key: StoredKey,
    /// Its keys in secondary indexes.
    pub index_keys: Vec<IndexKey>,
    /// Its guard items.
    pub unique: Vec<Unique>,
    /// The names of the numbers it keeps, one for each value where it is kept for each.
    pub counters: Vec<String>,
    /// What it counts may be deleted by time: it says since when it counts ([`COUNTING_SINCE`]).
    pub counts_what_ends: bool,
    /// Who counts it.
    pub counted_by: Vec<Keeper>,
    /// The field DynamoDB deletes by.
    pub ttl: Option<String>,
    /// Optimistic locking and schema versions.
    pub versioned: Option<Versioning>,
    /// Fields that stay in the table: no copy of the data has them.
    pub secret: Vec<String>,
}

/// A field.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name, which is the attribute's.
    pub name: String,
    /// Its type.
    pub declared: DeclaredType,
}

/// A nested shape.
#[derive(Debug, Clone)]
pub struct Structure {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A key as it is stored.
#[derive(Debug, Clone)]
pub struct StoredKey {
    /// The partition key.
    pub partition: KeyPart,
    /// The sort key.
    pub sort: Option<KeyPart>,
}

/// One attribute of a key and its template.
#[derive(Debug, Clone)]
pub struct KeyPart {
    /// The attribute.
    pub attribute: KeyAttribute,
    /// How it is made of fields.
    pub template: TypedTemplate,
    /// It is a field of that name, stored as it is.
    pub natural: bool,
}

/// A key in a secondary index.
#[derive(Debug, Clone)]
pub struct IndexKey {
    /// The index.
    pub index: String,
    /// The key; the partition of a local index is the table's.
    pub key: StoredKey,
    /// Only items for which this holds are in the index.
    pub when: Option<Condition>,
}

/// A guard item.
#[derive(Debug, Clone)]
pub struct Unique {
    /// Its name.
    pub name: String,
    /// Its key.
    pub key: StoredKey,
}

/// An entity that counts another.
#[derive(Debug, Clone)]
pub struct Keeper {
    /// Its name.
    pub entity: String,
    /// Its table.
    pub table: Arc<Table>,
    /// Its key, made of fields that the counted entity has too.
    pub key: StoredKey,
    /// The fields of its key.
    pub identity: Vec<String>,
    /// The numbers.
    pub numbers: Vec<Number>,
    /// What it is where it is nothing but counts: the first count creates it. Any other must be there.
    pub begins_as: Option<Arc<Entity>>,
    /// It is versioned, and every count raises its version.
    pub versioned: Option<Versioning>,
    /// It says since when it counts.
    pub counts_what_ends: bool,
}

/// The attribute that says since when an item counts, in milliseconds: what was over before that, another counted.
pub const COUNTING_SINCE: &str = "counting_since";

/// A number that counts items.
#[derive(Debug, Clone)]
pub struct Number {
    /// Its name.
    pub name: String,
    /// The field of the counted entity by which it counts separately.
    pub per: Option<String>,
}

/// A read.
#[derive(Debug, Clone)]
pub struct Read {
    /// The pattern's name.
    pub name: String,
    /// What it gives.
    pub entities: Vec<Arc<Entity>>,
    /// The way to it.
    pub via: Via,
    /// The table it asks.
    pub table: Arc<Table>,
    /// The index it asks; none for the table.
    pub index: Option<String>,
    /// The partition key's attribute and text.
    pub partition: (KeyAttribute, KeyText),
    /// The sort key's attribute and test.
    pub sort: (Option<KeyAttribute>, SortTest),
    /// The values the caller gives.
    pub given: Vec<String>,
    /// The fields whose value the pattern fixes.
    pub fixed: Vec<(String, String)>,
    /// What only a filter can answer.
    pub filter: Option<Condition>,
    /// Fields the caller may filter by in addition.
    pub refine: Vec<String>,
    /// Only these fields; all when empty.
    pub fields: Vec<String>,
    /// Text fields in which a search looks.
    pub matches: Vec<String>,
    /// From the end of the sort key.
    pub backwards: bool,
    /// Items a page.
    pub page: u32,
    /// How many items a page looks at, at most, where something filters; as many as it takes without.
    pub looks_at: Option<u32>,
    /// Nothing may be missed.
    pub strong: bool,
}

/// The way to an item.
#[derive(Debug, Clone)]
pub enum Via {
    /// Its whole key.
    Key,
    /// A guard item first.
    Guard(String),
    /// A number on another entity.
    Counter {
        /// Its name.
        counter: String,
        /// The field of the counted entity by which it counts separately.
        per: Option<String>,
    },
    /// A query.
    Query,
}

/// A write.
#[derive(Debug, Clone)]
pub struct Write {
    /// The pattern's name.
    pub name: String,
    /// Its actions.
    pub actions: Vec<Action>,
    /// The entity in which it claims an idempotency key.
    pub claim: Option<Arc<Entity>>,
}

/// One action of a write.
#[derive(Debug, Clone)]
pub struct Action {
    /// What it is called among the others.
    pub name: String,
    /// What it does.
    pub kind: ActionKind,
    /// To an item of this entity.
    pub entity: Arc<Entity>,
    /// The fields it may set.
    pub set: Vec<String>,
    /// The numbers it raises.
    pub add: Vec<String>,
    /// Its condition.
    pub condition: Option<Condition>,
}

/// An event of the change stream.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// What makes it happen.
    pub on: EventKind,
    /// To an item of this entity.
    pub entity: Arc<Entity>,
    /// Of a change: only when this field differs.
    pub field: Option<String>,
    /// Only when this holds of the item: as it is now, or of a removed one as it was.
    pub condition: Option<Condition>,
    /// What it carries.
    pub detail: Vec<Carried>,
    /// Which version of its detail this is.
    pub version: u16,
}

impl Schema {
    /// The entity of a name.
    ///
    /// # Panics
    /// If there is none: names come from generated code.
    pub fn entity(&self, name: &str) -> &Arc<Entity> {
        let found = self.entities.iter().find(|entity| entity.name == name);
        found.unwrap_or_else(|| panic!("the schema {} has no entity {name}", self.name))
    }

    /// The read of a name.
    ///
    /// # Panics
    /// If there is none: names come from generated code.
    pub fn read(&self, name: &str) -> &Read {
        let found = self.reads.iter().find(|read| read.name == name);
        found.unwrap_or_else(|| panic!("the schema {} has no read {name}", self.name))
    }

    /// The write of a name.
    ///
    /// # Panics
    /// If there is none: names come from generated code.
    pub fn write(&self, name: &str) -> &Write {
        let found = self.writes.iter().find(|write| write.name == name);
        found.unwrap_or_else(|| panic!("the schema {} has no write {name}", self.name))
    }
}

impl Entity {
    /// The field of a name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The names of the fields of its primary key, each once.
    pub fn identity(&self) -> Vec<&str> {
        self.key.fields()
    }

    /// Where its fields stand.
    pub fn layout(&self) -> Layout {
        self.versioned
            .map_or(Layout::Flat, |versioned| versioned.layout)
    }

    /// Whether a field stands at the top of an item: in a flat one all do, in a wrapped one those that are keys by themselves,
    /// the TTL and the counters.
    pub fn at_the_top(&self, field: &str) -> bool {
        self.layout() == Layout::Flat
            || self.ttl.as_deref() == Some(field)
            || self.counters.iter().any(|counter| counter == field)
            || self
                .stored_keys()
                .flat_map(StoredKey::parts)
                .any(|part| part.natural && part.attribute.name == field)
    }

    /// Its primary key and its keys in indexes.
    pub fn stored_keys(&self) -> impl Iterator<Item = &StoredKey> {
        std::iter::once(&self.key).chain(self.index_keys.iter().map(|key| &key.key))
    }
}

impl StoredKey {
    /// Its parts, the partition's first.
    pub fn parts(&self) -> impl Iterator<Item = &KeyPart> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// The fields of its templates, each once.
    pub fn fields(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for part in self.parts() {
            for name in part.fields() {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}

impl KeyPart {
    /// The fields of its template.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.template.pieces.iter().filter_map(|piece| match piece {
            tablewright_keys::TypedPiece::Field { name, .. } => Some(name.as_str()),
            tablewright_keys::TypedPiece::Literal(_) => None,
        })
    }
}
