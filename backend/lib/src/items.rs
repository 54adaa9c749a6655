//! Items of an entity that has a description and no type: fields in, fields out.
//!
//! Generated repositories are types on top of the same functions; what is here is for programs that have a model and no generated code,
//! as one that proves a model, fills a table or shows what is in it.

use std::sync::Arc;

use serde_json::{Map, Value};
use tablewright_descriptor::{Action, Entity as Described, Read, Write};

use crate::Store;
use crate::entity::{Kind, Row};
use crate::error::Result;
use crate::fields::{Fields, Item};
use crate::item;
use crate::migrate::Migrations;
use crate::values::{Changes, Values};
use crate::versioned::Stamp;
use crate::write::{Inserted, only_if, removed_raw};

/// An item as it was found: of which entity, with which fields.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its entity.
    pub entity: Arc<Described>,
    /// Its fields and counts; of a read of some fields, those.
    pub fields: Fields,
    /// Its bookkeeping.
    pub stamp: Stamp,
}

impl Found {
    /// An item of whichever of these entities it is; none when it is of no one of them, as a guard.
    ///
    /// # Errors
    /// [`Error::Unreadable`](crate::Error::Unreadable), [`Error::NewerVersion`](crate::Error::NewerVersion).
    pub fn of_item(entities: &[Arc<Described>], found: Item) -> Result<Option<Found>> {
        let Some(entity) = entity_of(entities, &found) else {
            return Ok(None);
        };
        let (fields, stamp) = item::fields_and_stamp(entity, Migrations::none, found)?;
        Ok(Some(Found {
            entity: Arc::clone(entity),
            fields,
            stamp,
        }))
    }

    /// An item of an entity, brought into its present shape by the steps its type has ([`Entity::migrations`](crate::Entity::migrations)); none when it is of another. It is not held
    /// against the types of the fields.
    ///
    /// # Errors
    /// [`Error::Unreadable`](crate::Error::Unreadable), [`Error::NewerVersion`](crate::Error::NewerVersion).
    pub fn of_entity(
        entity: &Arc<Described>,
        migrations: fn() -> Migrations,
        found: Item,
    ) -> Result<Option<Found>> {
        if !item::is_of(entity, &found) {
            return Ok(None);
        }
        let (fields, stamp) = item::fields_and_stamp(entity, migrations, found)?;
        Ok(Some(Found {
            entity: Arc::clone(entity),
            fields,
            stamp,
        }))
    }

    /// Which of these entities an item is of, whether or not it can be read; none when it is of no one of them, as a guard.
    pub fn entity_of<'e>(
        entities: &'e [Arc<Described>],
        found: &Item,
    ) -> Option<&'e Arc<Described>> {
        entity_of(entities, found)
    }

    /// Its fields and counts as JSON, in the form a generated type has.
    pub fn to_json(&self) -> Map<String, Value> {
        self.fields.to_json(&self.entity)
    }
}

/// A read gives whatever of its entities it finds, in its present shape.
impl Row for Found {
    fn from_item(read: &Read, found: Item) -> Result<Option<Self>> {
        if read.fields.is_empty() {
            return Found::of_item(&read.entities, found);
        }
        let Some(entity) = entity_of(&read.entities, &found) else {
            return Ok(None);
        };
        let mut fields = item::present_fields(entity, Migrations::none, found)?;
        // Keys and bookkeeping come along to read on after them; they were not asked for.
        fields.0.retain(|name, _| read.fields.contains(name));
        Ok(Some(Found {
            entity: Arc::clone(entity),
            fields,
            stamp: Stamp::default(),
        }))
    }
}

fn entity_of<'e>(entities: &'e [Arc<Described>], found: &Item) -> Option<&'e Arc<Described>> {
    let mut entities = entities.iter();
    entities.find(|entity| item::is_of(entity, found))
}

/// What became of a write that may have been asked for before.
#[derive(Debug, Clone)]
pub enum Written {
    /// It happened now; this is the item after it, or before it was removed.
    Done(Found),
    /// The idempotency key was taken: this is the record of it, as it is stored.
    Before(Item),
}

impl Written {
    /// What happened now, if it did.
    pub fn done(self) -> Option<Found> {
        match self {
            Written::Done(found) => Some(found),
            Written::Before(_) => None,
        }
    }
}

/// The record of a request with an idempotency key: its entity and its fields.
#[derive(Debug, Clone)]
pub struct Record {
    /// The entity.
    pub entity: &'static Described,
    /// The fields.
    pub fields: Fields,
}

/// The items of one entity of a schema, by its description alone. A schema that is resolved at run time is leaked, once.
///
/// ```
/// use serde_json::json;
/// use tablewright::descriptor::words::pair;
/// use tablewright::descriptor::written::{EntityText, ReadText, SchemaText, SortText};
/// use tablewright::descriptor::{KeyAttribute, Schema, Table};
/// use tablewright::{Fields, Found, Items, Store, Values, tables};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = SchemaText::new("notes")
///     .table(Table::new("notes", KeyAttribute::string("PK")).sort_key(KeyAttribute::string("SK")))
///     .entity(
///         EntityText::new("Note", "notes", pair("USER#{user_id}", "NOTE#{note_id}"))
///             .fields(&[("user_id", "id"), ("note_id", "id"), ("text", "string")]),
///     )
///     .read(
///         ReadText::query("notes", &["Note"])
///             .partition("USER#{user_id}")
///             .sort(SortText::BeginsWith("NOTE#".to_owned()))
///             .by(&["user_id"]),
///     );
/// let schema: &'static Schema = Box::leak(Box::new(Schema::resolve(text)?));
/// let store = Store::new(tablewright_local::Engine::temporary()?.dynamodb());
/// tables::bring_up_to_date(&store, schema).await?;
///
/// let notes = Items::new(&store, schema.entity("Note"));
/// let note = json!({ "user_id": "ada", "note_id": "1", "text": "buy milk" });
/// notes.create(notes.fields(note.as_object().unwrap())?, None).await?;
///
/// let given = Values::new().with("user_id", "ada");
/// let page = store.query::<Found>(schema.read("notes"), given).page().await?;
/// assert_eq!(page.items[0].to_json()["text"], "buy milk");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Items {
    store: Store,
    entity: &'static Arc<Described>,
}

impl Items {
    /// The items of an entity in a store.
    pub fn new(store: &Store, entity: &'static Arc<Described>) -> Self {
        Items {
            store: store.clone(),
            entity,
        }
    }

    /// The entity.
    pub fn entity(&self) -> &'static Arc<Described> {
        self.entity
    }

    fn kind(&self) -> Kind {
        Kind::described(self.entity)
    }

    /// Fields of the entity from their JSON.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) when a value cannot be stored.
    pub fn fields(&self, data: &Map<String, Value>) -> Result<Fields> {
        Fields::from_json(self.entity, data)
    }

    /// The key that some fields have: the values of those the key is made of.
    pub fn key_of(&self, fields: &Fields) -> Values {
        fields.values_of(&self.entity.identity())
    }

    /// The item of a key, with every write that was acknowledged.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for a key that cannot be, [`Error::Unreadable`](crate::Error::Unreadable), [`Error::NewerVersion`](crate::Error::NewerVersion).
    pub async fn read(&self, key: Values) -> Result<Option<Found>> {
        let key = key.checked(&self.entity.name)?;
        let read = self.store.read_for_change(self.kind(), &key, true).await?;
        Ok(read.map(|read| self.found((read.fields, read.stamp))))
    }

    /// A new item, once for each idempotency key where there is a record. It never overwrites one.
    ///
    /// # Errors
    /// [`Error::Exists`](crate::Error::Exists), [`Error::Taken`](crate::Error::Taken), [`Error::Invalid`](crate::Error::Invalid), or [`Error::NotFound`](crate::Error::NotFound) of the item that counts it.
    pub async fn create(&self, mut fields: Fields, record: Option<Record>) -> Result<Written> {
        fields.forget_counts(self.entity);
        let stored = self
            .store
            .insert_fields(self.kind(), &fields, record.map(claimed));
        Ok(match stored.await? {
            Inserted::Done(stamp) => Written::Done(self.found((fields, stamp))),
            Inserted::Before(item) => Written::Before(item),
        })
    }

    /// The item [`create`](Items::create) would put, with its keys, index keys and bookkeeping. Guards and counts are items of their own, and
    /// not among it.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid).
    pub fn composed(&self, mut fields: Fields) -> Result<Item> {
        fields.forget_counts(self.entity);
        let last_write = match self.entity.versioned {
            Some(_) => self.store.now_millis(),
            None => 0,
        };
        item::compose(self.entity, &fields, last_write)
    }

    /// A change by the first action of a pattern: one request where it needs not know the item, else of what is read, applied again to
    /// what another writer left.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound), [`Error::Conflict`](crate::Error::Conflict), [`Error::Refused`](crate::Error::Refused) when the condition is not met, [`Error::Invalid`](crate::Error::Invalid).
    pub async fn change(
        &self,
        write: &'static Write,
        key: Values,
        params: Values,
        changes: Changes,
        record: Option<Record>,
    ) -> Result<Written> {
        let params = params.checked(&write.name)?;
        let (kind, only_if) = (self.kind(), only_if(write, &params));
        let store = self.store.for_pattern(&write.name);
        let claim = record.map(claimed);
        let written = if write.actions.first().is_some_and(Action::reads_first) {
            let changes = changes.checked(&self.entity.name)?;
            let key = key.checked(&self.entity.name)?;
            store.reapply(kind, key, only_if, &changes, &claim).await?
        } else {
            store
                .apply_changes(kind, key, only_if, changes, claim)
                .await?
        };
        Ok(match written {
            Inserted::Done(written) => Written::Done(self.found(written)),
            Inserted::Before(item) => Written::Before(item),
        })
    }

    /// The end of an item by the first action of a pattern; gives what it was.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound), [`Error::Conflict`](crate::Error::Conflict), [`Error::Refused`](crate::Error::Refused) when the condition is not met.
    pub async fn remove(
        &self,
        write: &'static Write,
        key: Values,
        params: Values,
        record: Option<Record>,
    ) -> Result<Written> {
        let params = params.checked(&write.name)?;
        let only_if = only_if(write, &params);
        let store = self.store.for_pattern(&write.name);
        let removed = store.remove_item(self.kind(), key, only_if, record.map(claimed));
        match removed.await? {
            Inserted::Done(raw) => {
                let gone = removed_raw(self.kind(), raw)?;
                Ok(Written::Done(self.found(gone)))
            }
            Inserted::Before(item) => Ok(Written::Before(item)),
        }
    }

    /// Finds items and deletes each of them, with its guards and counts; gives how many.
    ///
    /// # Errors
    /// The first error there is; what was deleted before it stays deleted.
    pub async fn delete_found(&self, read: &'static Read, given: Values) -> Result<u64> {
        let store = self.store.for_pattern(&read.name);
        store.delete_found_of(self.kind(), read, given).await
    }

    fn found(&self, (fields, stamp): (Fields, Stamp)) -> Found {
        Found {
            entity: Arc::clone(self.entity),
            fields,
            stamp,
        }
    }
}

fn claimed(record: Record) -> (&'static Described, Fields) {
    (record.entity, record.fields)
}
