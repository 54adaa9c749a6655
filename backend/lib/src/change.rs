//! Changes and events: the records of a change stream, as types.

use serde::de::DeserializeOwned;
use tablewright_descriptor::{Entity as Described, Event, EventKind, Schema};

use crate::entity::{Entity, stored_from_item};
use crate::error::Result;
use crate::fields::{Fields, Item};
use crate::item;
use crate::judge::holds;
use crate::values::Values;
use crate::versioned::Stored;

/// What happened to an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed<S> {
    /// It is new.
    Inserted(S),
    /// It was there and is.
    Changed {
        /// As it was.
        before: S,
        /// As it is.
        after: S,
    },
    /// It is no more: deleted, or its time had passed.
    Removed(S),
}

/// Reads a change of an item of an entity; none when it is of another.
///
/// # Errors
/// When the item is one of the entity's and cannot be read.
pub fn changed<S: Stored>(
    table: &str,
    before: Option<&Item>,
    after: Option<&Item>,
) -> Result<Option<Changed<S>>> {
    let entity = S::Data::descriptor();
    if entity.table.name != table {
        return Ok(None);
    }
    let read = |item: Option<&Item>| match item {
        Some(item) => stored_from_item::<S::Data>(item.clone()),
        None => Ok(None),
    };
    Ok(match (read(before)?, read(after)?) {
        (None, Some(after)) => Some(Changed::Inserted(after)),
        (Some(before), Some(after)) => Some(Changed::Changed { before, after }),
        (Some(before), None) => Some(Changed::Removed(before)),
        (None, None) => None,
    })
}

/// The details of an event, if this change makes it happen.
///
/// # Errors
/// When the item cannot be read.
pub fn event_detail<T: Entity, D: DeserializeOwned>(
    event: &Event,
    table: &str,
    before: Option<&Item>,
    after: Option<&Item>,
) -> Result<Option<D>> {
    let entity: &Described = &event.entity;
    let own = |item: &&Item| item::is_of(entity, item);
    let (before, after) = (before.filter(own), after.filter(own));
    if entity.table.name != table {
        return Ok(None);
    }
    let fields = |item: Option<&Item>| {
        item.map(|item| item::present_fields(entity, T::migrations, item.clone()))
            .transpose()
    };
    let (before, after) = (fields(before)?, fields(after)?);
    let subject = match (event.on, &before, &after) {
        (EventKind::Insert, None, Some(after)) => after,
        (EventKind::Change, Some(before), Some(after)) => {
            let differs = match &event.field {
                Some(field) => before.stored(field) != after.stored(field),
                None => differ(entity, before, after),
            };
            if !differs {
                return Ok(None);
            }
            after
        }
        (EventKind::Remove, Some(before), None) => before,
        _ => return Ok(None),
    };
    let meets = event
        .condition
        .as_ref()
        .is_none_or(|condition| holds(entity, condition, subject, &Values::new()));
    if !meets {
        return Ok(None);
    }
    let mut detail = Fields::default();
    for carried in &event.detail {
        let image = match (carried.before, &before) {
            (true, Some(before)) => before,
            _ => subject,
        };
        if let Some(value) = image.told(entity, &carried.field) {
            detail.0.insert(carried.name.clone(), value);
        }
    }
    detail.into_plainly(entity).map(Some)
}

/// Whether a field differs: bookkeeping and counts are no change of the item.
fn differ(entity: &Described, before: &Fields, after: &Fields) -> bool {
    let fields = entity.fields.iter();
    fields
        .into_iter()
        .any(|field| before.stored(&field.name) != after.stored(&field.name))
}

/// The events of a model, as generated code reads them from a change stream.
///
/// As JSON one is `{ "type": "TaskCreated", "detail": { … } }`.
pub trait ModelEvent: serde::Serialize + Sized + Send + Sync + 'static {
    /// The model, with the version of each event.
    fn schema() -> &'static Schema;

    /// The events a change makes happen; `table` is the name the model has for it.
    ///
    /// # Errors
    /// When the item cannot be read.
    fn of_change(table: &str, before: Option<&Item>, after: Option<&Item>) -> Result<Vec<Self>>;
}

/// Reads changes of a model: `changes!(TodoChange { User(Versioned<User>), Task(Versioned<Task>) })`.
#[macro_export]
macro_rules! changes {
    ($name:ident { $($variant:ident($stored:ty)),* $(,)? }) => {
        impl $name {
            /// Reads a record of a table's change stream; `table` is the name the model has for it. None when it is of no entity, as that of a guard.
            ///
            /// # Errors
            /// When the item is one of an entity's and cannot be read.
            pub fn decode(
                table: &str,
                before: Option<&$crate::Item>,
                after: Option<&$crate::Item>,
            ) -> $crate::Result<Option<Self>> {
                $(
                    if let Some(changed) = $crate::changed::<$stored>(table, before, after)? {
                        return Ok(Some($name::$variant(changed)));
                    }
                )*
                Ok(None)
            }
        }
    };
}

/// Reads events of a model: `events!(TodoEvent, SCHEMA { TaskCompleted(Task) })`.
#[macro_export]
macro_rules! events {
    ($name:ident, $schema:ident { $($event:ident($entity:ty)),* $(,)? }) => {
        impl $name {
            /// The events a change makes happen; `table` is the name the model has for it.
            ///
            /// # Errors
            /// When the item cannot be read.
            pub fn of(
                table: &str,
                before: Option<&$crate::Item>,
                after: Option<&$crate::Item>,
            ) -> $crate::Result<Vec<Self>> {
                let mut events = Vec::new();
                for event in &$schema.events {
                    match event.name.as_str() {
                        $(
                            stringify!($event) => {
                                let detail =
                                    $crate::event_detail::<$entity, _>(event, table, before, after)?;
                                events.extend(detail.map($name::$event));
                            }
                        )*
                        _ => {}
                    }
                }
                Ok(events)
            }
        }

        impl $crate::ModelEvent for $name {
            fn schema() -> &'static $crate::descriptor::Schema {
                &$schema
            }

            fn of_change(
                table: &str,
                before: Option<&$crate::Item>,
                after: Option<&$crate::Item>,
            ) -> $crate::Result<Vec<Self>> {
                $name::of(table, before, after)
            }
        }
    };
}
