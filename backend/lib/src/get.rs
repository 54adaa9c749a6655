//! Single items, and many items by their keys.

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::key_text::SortTest;
use tablewright_descriptor::{KeyKind, Read, Via};

use crate::Store;
use crate::entity::Row;
use crate::error::{Error, Result};
use crate::fields::Item;
use crate::item::{self, DATA_VERSION};
use crate::values::Values;
use crate::walk::key_attribute;
use crate::write::{GUARDS, guard_key};

impl Store {
    /// One item by its key, or by a unique value.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a value that is none of its field, [`Error::Unreadable`], [`Error::NewerVersion`].
    pub async fn get<R: Row + 'static>(
        &self,
        read: &'static Read,
        given: Values,
    ) -> Result<Option<R>> {
        let store = self.for_pattern(&read.name);
        store.get_as(read, given).await
    }

    async fn get_as<R: Row + 'static>(
        &self,
        read: &'static Read,
        given: Values,
    ) -> Result<Option<R>> {
        let given = given.checked(&read.name)?;
        let key = match &read.via {
            Via::Key => key_of(read, &given)?,
            Via::Guard(_) => match self.guarded(read, &given).await? {
                Some(owner) => owner,
                None => return Ok(None),
            },
            Via::Query => return self.query::<R>(read, given).first().await,
            Via::Counter { .. } => return Err(Error::invalid(&read.name, "", "it gives a number")),
        };
        let Some(found) = self.get_item(&read.table, key, read.strong).await? else {
            return Ok(None);
        };
        if !self.is_asked_for(read, &given, &found)
            || !self.holds_the_value(read, &given, &found)?
        {
            return Ok(None);
        }
        R::from_item(read, found)
    }

    /// Many items by their keys, in the order of the keys.
    ///
    /// # Errors
    /// As [`Store::get`]; [`Error::Throttled`] when DynamoDB leaves keys unprocessed for too long.
    pub async fn get_many<R: Row>(
        &self,
        read: &'static Read,
        given: Vec<Values>,
    ) -> Result<Vec<Option<R>>> {
        let mut keys = Vec::with_capacity(given.len());
        let mut values = Vec::with_capacity(given.len());
        for given in given {
            let given = given.checked(&read.name)?;
            keys.push(key_of(read, &given)?);
            values.push(given);
        }
        let store = self.for_pattern(&read.name);
        let found = store.batch_get(&read.table, &keys, read.strong).await?;
        found
            .into_iter()
            .zip(values)
            .map(|(item, given)| match item {
                Some(item) if self.is_asked_for(read, &given, &item) => R::from_item(read, item),
                _ => Ok(None),
            })
            .collect()
    }

    /// Whether an item that was got by its key is what was asked for: of the entity, in its time, and within the condition.
    fn is_asked_for(&self, read: &Read, given: &Values, found: &Item) -> bool {
        let Some(entity) = read
            .entities
            .iter()
            .find(|entity| item::is_of(entity, found))
        else {
            return false;
        };
        if item::is_expired(entity, found, self.now_millis()) {
            return false;
        }
        let Some(condition) = &read.filter else {
            return true;
        };
        match item::fields_of(entity, found.clone()) {
            Ok(fields) => crate::judge::holds(entity, condition, &fields, given),
            // What cannot be read is told, not left out.
            Err(_) => true,
        }
    }

    /// Whether the item a guard led to still has the value: it may have changed between the two reads.
    fn holds_the_value(&self, read: &Read, given: &Values, found: &Item) -> Result<bool> {
        let (Via::Guard(name), Some(entity)) = (&read.via, read.entities.first()) else {
            return Ok(true);
        };
        let Some(unique) = entity.unique.iter().find(|unique| unique.name == *name) else {
            return Ok(true);
        };
        let current = entity
            .versioned
            .map(|versioned| i64::from(versioned.data_version));
        let stored = found
            .get(DATA_VERSION)
            .and_then(|version| version.as_n().ok()?.parse().ok());
        if current != stored {
            // An older shape may hold it under another name; the guard is believed.
            return Ok(true);
        }
        let fields = item::fields_of(entity, found.clone())?;
        Ok(guard_key(entity, unique, &fields)? == Some(key_of(read, given)?))
    }

    /// The key of the item a unique value belongs to.
    async fn guarded(&self, read: &Read, given: &Values) -> Result<Option<Item>> {
        let guard = self
            .get_item(&read.table, key_of(read, given)?, read.strong)
            .await?;
        match guard.as_ref().and_then(|guard| guard.get(GUARDS)) {
            Some(AttributeValue::M(owner)) => Ok(Some(owner.clone())),
            Some(_) => Err(Error::unreadable(
                &read.name,
                "the guard does not say whose it is",
            )),
            None => Ok(None),
        }
    }
}

/// The whole key a read asks for.
pub(crate) fn key_of(read: &Read, given: &Values) -> Result<Item> {
    let (partition, text) = &read.partition;
    let value = key_attribute(&read.name, text, partition.kind, given, 0)?;
    let mut key = Item::from([(partition.name.clone(), value)]);
    if let (Some(sort), SortTest::Equals(text)) = (&read.sort.0, &read.sort.1) {
        let kind: KeyKind = sort.kind;
        key.insert(
            sort.name.clone(),
            key_attribute(&read.name, text, kind, given, 0)?,
        );
    }
    Ok(key)
}
