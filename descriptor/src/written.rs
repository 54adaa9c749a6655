//! A schema as it is written in generated code: the templates, types and conditions of the model, as text.

use crate::key_text::Tail;
use crate::table::Table;

/// A schema in words. [`Schema::resolve`](crate::Schema::resolve) makes it usable.
#[derive(Debug, Clone, Default)]
pub struct SchemaText {
    /// The model's name.
    pub name: String,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Its nested shapes.
    pub structs: Vec<StructText>,
    /// Its entities.
    pub entities: Vec<EntityText>,
    /// Its reads.
    pub reads: Vec<ReadText>,
    /// Its writes.
    pub writes: Vec<WriteText>,
    /// Its events.
    pub events: Vec<EventText>,
}

/// A nested shape in words.
#[derive(Debug, Clone)]
pub struct StructText {
    /// Its name.
    pub name: String,
    /// Its fields with their type strings.
    pub fields: Vec<(String, String)>,
}

/// An entity in words.
#[derive(Debug, Clone)]
pub struct EntityText {
    /// Its name.
    pub name: String,
    /// The table it lives in.
    pub table: String,
    /// What the table's type attribute says of its items.
    pub type_value: String,
    /// Its fields with their type strings.
    pub fields: Vec<(String, String)>,
    /// Its primary key.
    pub key: TemplateText,
    /// Its keys in secondary indexes.
    pub indexes: Vec<IndexKeyText>,
    /// The keys of its guard items, by name.
    pub unique: Vec<(String, TemplateText)>,
    /// The numbers it keeps.
    pub counters: Vec<CounterText>,
    /// The field DynamoDB deletes by.
    pub ttl: Option<String>,
    /// Optimistic locking and schema versions.
    pub versioned: Option<Versioning>,
    /// Fields that stay in the table: no copy of the data has them.
    pub secret: Vec<String>,
}

/// The templates of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateText {
    /// The partition key's.
    pub partition: String,
    /// The sort key's.
    pub sort: Option<String>,
}

/// The key of an entity in an index.
#[derive(Debug, Clone)]
pub struct IndexKeyText {
    /// The index.
    pub index: String,
    /// The templates.
    pub key: TemplateText,
    /// Only items for which this holds are in the index.
    pub when: Option<String>,
}

/// A number an entity keeps.
#[derive(Debug, Clone)]
pub struct CounterText {
    /// Its name.
    pub name: String,
    /// The entity that is counted.
    pub counts: String,
    /// An enum field of it: one number for each of its values.
    pub per: Option<String>,
}

/// Optimistic locking and schema versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versioning {
    /// The version of the shape the code writes.
    pub data_version: u16,
    /// Where the fields stand.
    pub layout: Layout,
    /// Whether a change is applied again to what another writer left, or the conflict is returned.
    pub reapply: bool,
}

/// Where an item keeps its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// At the top.
    Flat,
    /// In a map `data`; keys and the TTL stay at the top.
    Wrapped,
}

/// A read in words.
#[derive(Debug, Clone)]
pub struct ReadText {
    /// The pattern's name.
    pub name: String,
    /// What it gives.
    pub entities: Vec<String>,
    /// The way to it.
    pub via: ViaText,
    /// The index it asks; none for the table.
    pub index: Option<String>,
    /// The partition key.
    pub partition: String,
    /// The test of the sort key.
    pub sort: SortText,
    /// The values the caller gives, each with the field whose type it has.
    pub given: Vec<(String, String)>,
    /// The fields whose value the pattern fixes.
    pub fixed: Vec<(String, String)>,
    /// What only a filter can answer.
    pub filter: Option<String>,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViaText {
    /// Its whole key.
    Key,
    /// A guard item first, which says where it is.
    Guard(String),
    /// A number kept by another entity.
    Counter {
        /// The entity that keeps it.
        keeper: String,
        /// The counter.
        counter: String,
    },
    /// A query.
    Query,
}

/// The test of a sort key in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortText {
    /// None: the whole partition.
    All,
    /// `=`
    Equals(String),
    /// `begins_with`
    BeginsWith(String),
    /// `BETWEEN`, both included.
    Between(Bound, Bound),
    /// `>=`
    AtLeast(Bound),
    /// `>`
    Above(Bound),
    /// `<=`
    AtMost(Bound),
    /// `<`
    Below(Bound),
}

/// An end of a range of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The template.
    pub text: String,
    /// What is done to its end.
    pub tail: Tail,
}

/// A write in words.
#[derive(Debug, Clone)]
pub struct WriteText {
    /// The pattern's name.
    pub name: String,
    /// Its actions: one, or all of a transaction.
    pub actions: Vec<ActionText>,
    /// The entity in which it claims an idempotency key.
    pub claim: Option<String>,
}

/// One action of a write.
#[derive(Debug, Clone)]
pub struct ActionText {
    /// What it is called among the others: its entity's name unless said.
    pub name: String,
    /// What it does.
    pub kind: ActionKind,
    /// To an item of this entity.
    pub entity: String,
    /// The fields it may set.
    pub set: Vec<String>,
    /// The numbers it raises.
    pub add: Vec<String>,
    /// Its condition.
    pub condition: Option<String>,
}

/// The verbs of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// A new item.
    Create,
    /// A change of an item.
    Update,
    /// The end of an item.
    Delete,
    /// A condition on an item that is not written.
    Check,
}

/// An event in words: a change of an item that others want to hear of.
#[derive(Debug, Clone)]
pub struct EventText {
    /// Its name.
    pub name: String,
    /// What makes it happen.
    pub on: EventKind,
    /// To an item of this entity.
    pub entity: String,
    /// Of a change: only when this field differs.
    pub field: Option<String>,
    /// Only when this holds of the item: as it is now, or of a removed one as it was.
    pub condition: Option<String>,
    /// What it carries, as a model writes it: [`Carried::read`](crate::Carried::read).
    pub detail: Vec<String>,
    /// Which version of its detail this is.
    pub version: u16,
}

/// The kinds of change that make an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// An item that was not there.
    Insert,
    /// An item that was there and is.
    Change,
    /// An item that is no more.
    Remove,
}
