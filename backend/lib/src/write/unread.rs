//! Actions on items whose state need not be known.

use std::sync::Arc;

use tablewright_descriptor::{Entity as Described, IndexKey};

use crate::error::{Error, Result};
use crate::expression::Placeholders;
use crate::fields::{Fields, in_form};
use crate::item::{self, LAST_WRITE};
use crate::validate;
use crate::values::{Changes, Edit, Values};
use crate::write::compose::Composer;
use crate::write::conditions::{OnlyIf, number, of_this_version, stays_in_range};
use crate::write::difference::made_of;
use crate::write::request::{Expected, ItemRequest, Operation, Role};

impl Composer {
    /// A change that holds whatever state an item of the present shape is in.
    pub(crate) fn update_unread(
        &mut self,
        action: usize,
        entity: &Described,
        key: &Values,
        changes: &Changes,
        only_if: OnlyIf<'_>,
    ) -> Result<()> {
        let mut places = Placeholders::default();
        let mut conditions = self.present(entity, &mut places);
        let (mut set, mut remove) = (Vec::new(), Vec::new());
        let mut known = Fields(
            key.iter()
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect(),
        );
        let mut repeatable = true;
        for (name, edit) in &changes.edits {
            let path = places.path(entity, name);
            match edit {
                Edit::Set(value) => {
                    let kind = entity.field(name).map(|field| &field.declared.kind);
                    let value = match kind {
                        Some(kind) => in_form(entity, kind, value.clone()),
                        None => Some(value.clone()),
                    };
                    // An empty set is stored as nothing.
                    let Some(value) = value else {
                        validate::absence(entity, name)?;
                        remove.push(path);
                        continue;
                    };
                    validate::field(entity, name, &value)?;
                    known.0.insert(name.clone(), value.clone());
                    set.push(format!("{path} = {}", places.value(value)));
                }
                Edit::Remove => {
                    validate::absence(entity, name)?;
                    remove.push(path);
                }
                Edit::Add(by) => {
                    repeatable = false;
                    conditions.extend(stays_in_range(entity, name, *by, &path, &mut places));
                    let zero = places.value(number(0));
                    let by = places.value(number(*by));
                    set.push(format!("{path} = if_not_exists({path}, {zero}) + {by}"));
                }
            }
        }
        if set.is_empty() && remove.is_empty() && entity.versioned.is_none() {
            return Err(Error::invalid(
                &entity.name,
                "",
                "the change changes nothing",
            ));
        }
        // What an addition moves is a key that is the number itself: whatever else is made of a number is read first. The other
        // attributes of that key stay as they are, since what they are made of is not known here.
        let replaced = |name: &str| {
            let mut edits = changes.edits.iter();
            edits.any(|(edited, edit)| edited == name && !matches!(edit, Edit::Add(_)))
        };
        let derived = item::index_attributes(entity, &known)?;
        for attribute in item::derived_attributes(entity) {
            let is_of = |index: &&IndexKey| {
                let mut parts = index.key.parts();
                parts.any(|part| part.attribute.name == attribute)
            };
            let indexes: Vec<&IndexKey> = entity.index_keys.iter().filter(is_of).collect();
            let moves = |index: &&IndexKey| made_of(index).any(replaced);
            if !indexes.iter().any(moves) {
                continue;
            }
            match derived.get(attribute) {
                Some(value) => {
                    let name = places.name(attribute);
                    set.push(format!("{name} = {}", places.value(value.clone())));
                }
                None if indexes.iter().all(moves) => remove.push(places.name(attribute)),
                // An index that stays as it is may need it; the other is left without the attribute that is its own.
                None => {}
            }
        }
        if entity.versioned.is_some() {
            conditions.extend(of_this_version(entity, &mut places));
            // It needs no token of the state before, and gives the state after a later one.
            let name = places.name(LAST_WRITE);
            let one = places.value(number(1));
            set.push(format!("{name} = {name} + {one}"));
            repeatable = false;
        }
        if let Some(condition) = only_if.condition {
            conditions.push(places.condition(entity, condition, only_if.given)?);
        }
        self.requests.push(ItemRequest {
            table: Arc::clone(&entity.table),
            key: item::key_of(&entity.name, &entity.key, |name| key.get(name))?,
            operation: Operation::Update { set, remove },
            conditions,
            places,
            role: Role::Named(Expected::Present),
            action,
            repeatable,
            leaves: None,
            token: None,
        });
        Ok(())
    }

    /// The end of an item, or only a condition on it, whatever state it is in.
    pub(crate) fn unread(
        &mut self,
        action: usize,
        entity: &Described,
        key: &Values,
        operation: Operation,
        only_if: OnlyIf<'_>,
    ) -> Result<()> {
        let mut places = Placeholders::default();
        let mut conditions = self.present(entity, &mut places);
        if let Some(condition) = only_if.condition {
            conditions.extend(of_this_version(entity, &mut places));
            conditions.push(places.condition(entity, condition, only_if.given)?);
        }
        self.requests.push(ItemRequest {
            table: Arc::clone(&entity.table),
            key: item::key_of(&entity.name, &entity.key, |name| key.get(name))?,
            operation,
            conditions,
            places,
            role: Role::Named(Expected::Present),
            action,
            repeatable: true,
            leaves: None,
            token: None,
        });
        Ok(())
    }

    /// The item is there, and its time has not passed.
    fn present(&self, entity: &Described, places: &mut Placeholders) -> Vec<String> {
        let key = places.name(&entity.table.partition_key.name);
        let mut conditions = vec![format!("attribute_exists({key})")];
        conditions.extend(places.alive(entity, self.expiry));
        conditions
    }
}
