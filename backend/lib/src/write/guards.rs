//! Guards of unique values: taken, moved and freed with the item they guard.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::{Entity as Described, Unique};

use crate::error::Result;
use crate::expression::Placeholders;
use crate::fields::{Fields, Item};
use crate::item;
use crate::write::compose::Composer;
use crate::write::conditions::absent_or_expired;
use crate::write::request::{ItemRequest, Operation, Role};

/// The attribute of a guard that says whose it is: the key of the item it guards.
pub(crate) const GUARDS: &str = "guards";

impl Composer {
    /// Guards move with the values they guard.
    pub(crate) fn guards(
        &mut self,
        action: usize,
        entity: &Described,
        old: Option<&Fields>,
        new: Option<&Fields>,
    ) -> Result<()> {
        for unique in &entity.unique {
            let before = old
                .map(|fields| guard_key(entity, unique, fields))
                .transpose()?
                .flatten();
            let after = new
                .map(|fields| guard_key(entity, unique, fields))
                .transpose()?
                .flatten();
            let ttl = |fields: Option<&Fields>| {
                let name = entity.ttl.as_ref()?;
                fields?.0.get(name).cloned()
            };
            if before == after {
                if let (Some(key), true) = (after, ttl(old) != ttl(new)) {
                    self.follow(action, entity, key, ttl(new), old.or(new))?;
                }
                continue;
            }
            if let (Some(key), Some(fields)) = (before, old) {
                let mut places = Placeholders::default();
                let mine = is_mine(entity, fields, &mut places)?;
                self.requests.push(guard(
                    entity,
                    action,
                    key,
                    Operation::Delete,
                    Role::OwnGuard,
                    mine,
                    places,
                ));
            }
            if let (Some(key), Some(fields)) = (after, new) {
                let mut item = key.clone();
                let owner = item::key_of(&entity.name, &entity.key, |name| fields.0.get(name))?;
                item.insert(GUARDS.to_owned(), AttributeValue::M(owner));
                if let Some(name) = &entity.table.type_attribute {
                    let kind = format!("{}.{}", entity.type_value, unique.name);
                    item.insert(name.clone(), AttributeValue::S(kind));
                }
                if let (Some(name), Some(end)) = (&entity.ttl, ttl(new)) {
                    item.insert(name.clone(), end);
                }
                let mut places = Placeholders::default();
                let free = absent_or_expired(entity, &mut places, self.now);
                let mine = is_mine(entity, fields, &mut places)?;
                let free = format!("{free} OR {mine}");
                let role = Role::Guard(unique.name.clone());
                self.requests.push(guard(
                    entity,
                    action,
                    key,
                    Operation::Put(item),
                    role,
                    free,
                    places,
                ));
            }
        }
        Ok(())
    }

    /// A guard ends with what it guards.
    fn follow(
        &mut self,
        action: usize,
        entity: &Described,
        key: Item,
        end: Option<AttributeValue>,
        owner: Option<&Fields>,
    ) -> Result<()> {
        let (Some(ttl), Some(owner)) = (&entity.ttl, owner) else {
            return Ok(());
        };
        let mut places = Placeholders::default();
        let name = places.name(ttl);
        let operation = match end {
            Some(end) => Operation::Update {
                set: vec![format!("{name} = {}", places.value(end))],
                remove: Vec::new(),
            },
            None => Operation::Update {
                set: Vec::new(),
                remove: vec![name],
            },
        };
        let mine = is_mine(entity, owner, &mut places)?;
        self.requests.push(guard(
            entity,
            action,
            key,
            operation,
            Role::OwnGuard,
            mine,
            places,
        ));
        Ok(())
    }
}

fn guard(
    entity: &Described,
    action: usize,
    key: Item,
    operation: Operation,
    role: Role,
    condition: String,
    places: Placeholders,
) -> ItemRequest {
    ItemRequest {
        table: Arc::clone(&entity.table),
        key,
        operation,
        conditions: vec![condition],
        places,
        role,
        action,
        repeatable: true,
        leaves: None,
        token: None,
    }
}

/// The key of the guard of a value; none when there is no value.
pub(crate) fn guard_key(
    entity: &Described,
    unique: &Unique,
    fields: &Fields,
) -> Result<Option<Item>> {
    if !unique.key.fields().iter().all(|field| fields.has(field)) {
        return Ok(None);
    }
    item::key_of(&entity.name, &unique.key, |name| fields.0.get(name)).map(Some)
}

fn is_mine(entity: &Described, fields: &Fields, places: &mut Placeholders) -> Result<String> {
    let owner = item::key_of(&entity.name, &entity.key, |name| fields.0.get(name))?;
    let name = places.name(GUARDS);
    Ok(format!(
        "{name} = {}",
        places.value(AttributeValue::M(owner))
    ))
}
