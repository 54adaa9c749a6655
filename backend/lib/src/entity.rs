//! What generated code says of its types.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tablewright_descriptor::{Entity as Described, Read};

use crate::error::Result;
use crate::fields::{Fields, Item};
use crate::item;
use crate::migrate::Migrations;
use crate::values::{Changes, Values};
use crate::versioned::{Stamp, Stored, Versioned};

/// A kind of thing that is stored. Generated from the model.
pub trait Entity: Serialize + DeserializeOwned + Clone + Debug + Send + Sync + 'static {
    /// What tells one from another.
    type Key: EntityKey;
    /// What reading one gives: `Versioned<Self>`, or `Self` for an entity without versions.
    type Stored: Stored<Data = Self>;

    /// Its table, keys, indexes, guards and counters.
    fn descriptor() -> &'static Described;

    /// Its key.
    fn key(&self) -> Self::Key;

    /// How items of older shapes become items of this one.
    fn migrations() -> Migrations {
        Migrations::none()
    }
}

/// The key of an entity.
pub trait EntityKey: Clone + Debug + Send + Sync + 'static {
    /// The fields of the key.
    fn values(&self) -> Values;
}

/// A change of some fields of an entity.
pub trait Patch<T> {
    /// The changes, by field.
    fn changes(&self) -> Changes;
}

/// An entity whose items remember the answers to requests.
pub trait Claim: Entity {
    /// Whether another record under the same key is of the same request.
    fn same_request(&self, earlier: &Self) -> bool;
}

/// What a read can give of an item: an entity, some of its fields, or one of several entities.
pub trait Row: Sized + Send {
    /// Reads an item; none when it is not one that was asked for.
    ///
    /// # Errors
    /// When it should be one and cannot be read.
    fn from_item(read: &Read, item: Item) -> Result<Option<Self>>;
}

/// How items of older shapes of an entity become items of the present one.
pub(crate) type Migrate = fn() -> Migrations;

/// All that reading and writing need to know of an entity. Types are put on top of it, and never asked below.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) entity: &'static Described,
    pub(crate) migrations: Migrate,
}

impl Kind {
    /// What a type says of itself.
    pub(crate) fn of<T: Entity>() -> Self {
        Kind {
            entity: T::descriptor(),
            migrations: T::migrations,
        }
    }

    /// An entity that has a description and no type: all its items are of the present shape.
    pub(crate) fn described(entity: &'static Described) -> Self {
        Kind {
            entity,
            migrations: Migrations::none,
        }
    }

    /// Reads an item of the entity; none when it is of another.
    pub(crate) fn read(self, item: Item) -> Result<Option<(Fields, Stamp)>> {
        if !item::is_of(self.entity, &item) {
            return Ok(None);
        }
        item::fields_and_stamp(self.entity, self.migrations, item).map(Some)
    }
}

/// Fields and bookkeeping as the type that stands for them.
pub(crate) fn typed<T: Entity>((fields, stamp): (Fields, Stamp)) -> Result<T::Stored> {
    Ok(T::Stored::stored(fields.into(T::descriptor())?, stamp))
}

/// Reads an item as an entity; none when it is of another.
pub fn stored_from_item<T: Entity>(item: Item) -> Result<Option<T::Stored>> {
    Kind::of::<T>().read(item)?.map(typed::<T>).transpose()
}

/// The attributes of an item that are not what its fields make of them: of its key and of the keys of indexes. None, if nothing but this
/// library wrote it. For those who look for faults in a table; an item of another entity has none.
///
/// # Errors
/// When it cannot be read.
pub fn misplaced_keys<T: Entity>(item: &Item) -> Result<Vec<String>> {
    let entity = T::descriptor();
    if !item::is_of(entity, item) {
        return Ok(Vec::new());
    }
    let fields = item::present_fields(entity, T::migrations, item.clone())?;
    let mut expected = item::key_of(&entity.name, &entity.key, |name| fields.0.get(name))?;
    expected.extend(item::index_attributes(entity, &fields)?);
    let keys = entity.table.key_attributes().map(|key| key.name.as_str());
    let names = keys.chain(item::derived_attributes(entity));
    let wrong = names.filter(|name| item.get(*name) != expected.get(*name));
    Ok(wrong.map(str::to_owned).collect())
}

impl<T: Entity<Stored = Versioned<T>>> Row for Versioned<T> {
    fn from_item(_: &Read, item: Item) -> Result<Option<Self>> {
        stored_from_item::<T>(item)
    }
}

/// Reads some fields of an item of an entity, as a projection gives them.
///
/// # Errors
/// When it cannot be read, or newer code wrote it.
pub fn projected_from_item<T: Entity, P: DeserializeOwned>(item: Item) -> Result<Option<P>> {
    let entity = T::descriptor();
    if !item::is_of(entity, &item) {
        return Ok(None);
    }
    item::present_fields(entity, T::migrations, item)?
        .into(entity)
        .map(Some)
}

/// Makes an entity without versions its own stored form.
#[macro_export]
macro_rules! unversioned {
    ($entity:ty) => {
        impl $crate::Stored for $entity {
            type Data = $entity;

            fn stored(data: Self, _: $crate::Stamp) -> Self {
                data
            }

            fn data(&self) -> &Self {
                self
            }

            fn stamp(&self) -> $crate::Stamp {
                $crate::Stamp::default()
            }
        }

        impl $crate::Row for $entity {
            fn from_item(
                _: &$crate::descriptor::Read,
                item: $crate::Item,
            ) -> $crate::Result<Option<Self>> {
                $crate::stored_from_item::<$entity>(item)
            }
        }
    };
}

/// Lets a read give a type that has some fields of an entity: `projection!(TaskTitles, Task)`.
#[macro_export]
macro_rules! projection {
    ($projection:ty, $entity:ty) => {
        impl $crate::Row for $projection {
            fn from_item(
                _: &$crate::descriptor::Read,
                item: $crate::Item,
            ) -> $crate::Result<Option<Self>> {
                $crate::projected_from_item::<$entity, Self>(item)
            }
        }
    };
}

/// Lets a read give one of several entities: `collection!(Name { Task(Versioned<Task>), Assignment(Assignment) })`.
#[macro_export]
macro_rules! collection {
    ($name:ident { $($variant:ident($stored:ty)),* $(,)? }) => {
        impl $crate::Row for $name {
            fn from_item(
                read: &$crate::descriptor::Read,
                item: $crate::Item,
            ) -> $crate::Result<Option<Self>> {
                $(
                    if let Some(found) = <$stored as $crate::Row>::from_item(read, item.clone())? {
                        return Ok(Some($name::$variant(found)));
                    }
                )*
                Ok(None)
            }
        }
    };
}
