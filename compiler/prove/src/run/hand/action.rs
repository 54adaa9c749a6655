//! One action of a write by hand, in the form its request has for it.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Map, Value};
use tablewright::descriptor::Entity as Described;
use tablewright::{Found, Item};
use tablewright_model::model::{Access, EntityId, Request, Verb};

use super::patiently;
use super::update::Update;
use super::values::{Known, key_of, placeholders};
use super::write::{HandWrite, doing};
use crate::run::bench::{Bench, Trouble};
use crate::run::error::of_request;
use crate::{Act, Deed, DeedAction};

/// What is sent for one item, and on which condition.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) table: String,
    pub(super) what: What,
    pub(super) condition: Option<String>,
    pub(super) names: Option<HashMap<String, String>>,
    pub(super) values: Option<HashMap<String, AttributeValue>>,
}

#[derive(Debug)]
pub(super) enum What {
    Put(Item),
    /// The key, and what becomes of its item.
    Update(Item, Option<String>),
    Delete(Item),
    Check(Item),
}

impl HandWrite<'_> {
    /// An action as the request that is written sends it: that one, and no other in its place.
    pub(super) async fn sent(
        &self,
        bench: &Bench<'_>,
        access: &Access,
        deed: &Deed,
        action: &DeedAction,
    ) -> Result<Sent, Trouble> {
        let id = entity_of(access, action);
        let described = &bench.schema.entities[id.0];
        let given = everything_known(bench, access, deed, action);
        let known = Known {
            access,
            entity: bench.model.entity(id),
            given: &given,
            words: None,
        };
        // Whatever it is put on, a condition is written in the fields of the first entity.
        let first = access.verb.entity().id;
        let asked = Known {
            entity: bench.model.entity(first),
            ..known
        };
        let values = placeholders(
            asked,
            &bench.schema.entities[first.0],
            self.plan,
            self.by_hand,
        )?;
        let key = || key_of(known, described, &described.key);
        let aliases = self.by_hand.names.iter();
        let aliases =
            aliases.map(|(alias, attribute)| (alias.value.clone(), attribute.value.clone()));
        let mut update = Update::beside(aliases.collect(), values);
        let what = match (&action.act, self.plan.request) {
            (
                Act::Create(record),
                Request::PutItem | Request::BatchWriteItem | Request::TransactWriteItems,
            ) => What::Put(composed(bench, access, id, &record.fields(bench.model))?),
            (Act::Create(record), Request::UpdateItem) => {
                let item = composed(bench, access, id, &record.fields(bench.model))?;
                let (key, rest) = apart(described, item);
                update.set_all(rest);
                What::Update(key, update.expression())
            }
            (Act::Update { set, add, .. }, Request::UpdateItem | Request::TransactWriteItems) => {
                let fields = bench.items(id).fields(set);
                let fields = fields.map_err(|why| doing(access, &why))?;
                update.change(described, set.keys(), &fields, add);
                What::Update(key()?, update.expression())
            }
            (Act::Update { set, add, .. }, Request::PutItem | Request::BatchWriteItem) => {
                What::Put(changed(bench, access, (id, key()?), set, add).await?)
            }
            (
                Act::Delete { .. },
                Request::DeleteItem | Request::BatchWriteItem | Request::TransactWriteItems,
            ) => What::Delete(key()?),
            (Act::Check { .. }, Request::TransactWriteItems) => {
                if self.by_hand.condition.is_none() {
                    let why = "nothing is checked: write its `condition`";
                    return Err(Trouble::Wrong(why.to_owned()));
                }
                What::Check(key()?)
            }
            (act, request) => {
                let (does, by) = fitting(act);
                return Err(Trouble::Wrong(format!(
                    "{} does not {does} an item: that is {by}",
                    request.as_str()
                )));
            }
        };
        let condition = self.by_hand.condition.as_ref();
        Ok(Sent {
            table: bench.store.table_name(&described.table),
            what,
            condition: condition.map(|text| text.value.clone()),
            names: (!update.names.is_empty()).then_some(update.names),
            values: (!update.values.is_empty()).then_some(update.values),
        })
    }
}

/// What an action does, and what does that.
fn fitting(act: &Act) -> (&'static str, &'static str) {
    match act {
        Act::Create(_) => ("create", "PutItem"),
        Act::Update { .. } => ("update", "UpdateItem, or PutItem of the whole item"),
        Act::Delete { .. } => ("delete", "DeleteItem"),
        Act::Check { .. } => ("check", "TransactWriteItems"),
    }
}

/// The entity of an action: a transaction may have several.
pub(crate) fn entity_of(access: &Access, action: &DeedAction) -> EntityId {
    let actions = match &access.verb {
        Verb::Transact(actions) => actions.as_slice(),
        _ => &[],
    };
    let mut named = actions.iter().filter(|one| {
        let name = one.name.as_ref().unwrap_or(&one.entity.written);
        name.value == action.name
    });
    let entity = named.next().map(|one| one.entity.id);
    entity.unwrap_or_else(|| access.verb.entity().id)
}

fn composed(
    bench: &Bench<'_>,
    access: &Access,
    id: EntityId,
    fields: &Map<String, Value>,
) -> Result<Item, Trouble> {
    let items = bench.items(id);
    let fields = items.fields(fields);
    let item = fields.and_then(|fields| items.composed(fields));
    item.map_err(|why| doing(access, &why))
}

/// The key of an item, and the rest of it.
fn apart(described: &Described, item: Item) -> (Item, Item) {
    let is_key = |name: &str| described.table.key_attributes().any(|key| key.name == name);
    item.into_iter().partition(|(name, _)| is_key(name))
}

/// The item as it is stored, changed, with all its keys made anew: what is put in its place. Of one that is not there, what is known of it.
async fn changed(
    bench: &Bench<'_>,
    access: &Access,
    (id, key): (EntityId, Item),
    set: &Map<String, Value>,
    add: &[(String, i64)],
) -> Result<Item, Trouble> {
    let described = &bench.schema.entities[id.0];
    let request = bench
        .store
        .client()
        .get_item()
        .table_name(bench.store.table_name(&described.table))
        .set_key(Some(key.clone()))
        .consistent_read(true);
    let read = patiently(true, || request.clone().send()).await;
    let read = read.map_err(|error| doing(access, &of_request(&error)))?;
    let stored = read.item.unwrap_or_default();
    let found = Found::of_item(std::slice::from_ref(described), stored.clone());
    let Some(found) = found.map_err(|why| doing(access, &why))? else {
        let fields = bench.items(id).fields(set);
        let fields = fields.map_err(|why| doing(access, &why))?;
        let known = fields.names().filter(|name| described.at_the_top(name));
        let known = known.filter_map(|name| Some((name.to_owned(), fields.stored(name)?.clone())));
        return Ok(known.chain(key).collect());
    };
    let mut fields = found.to_json();
    for (name, value) in set {
        match value {
            Value::Null => drop(fields.remove(name)),
            value => drop(fields.insert(name.clone(), value.clone())),
        }
    }
    for (name, by) in add {
        let has = fields.get(name).and_then(Value::as_i64).unwrap_or(0);
        fields.insert(name.clone(), Value::from(has.saturating_add(*by)));
    }
    let mut item = composed(bench, access, id, &fields)?;
    // What belongs to nobody's fields stays, as the counts that others keep here.
    let table = &described.table;
    let keys = table
        .indexes
        .iter()
        .flat_map(|index| index.key_attributes());
    let keys: Vec<&str> = keys.map(|key| key.name.as_str()).collect();
    for (name, value) in stored {
        if described.field(&name).is_none() && !keys.contains(&name.as_str()) {
            item.entry(name).or_insert(value);
        }
    }
    Ok(item)
}

/// All values there are when a write is done: those of the item, those that are set, those the caller gives; in a transaction those of the other
/// items as well, where this one has none.
fn everything_known(
    bench: &Bench<'_>,
    access: &Access,
    deed: &Deed,
    action: &DeedAction,
) -> Map<String, Value> {
    let mut known = Map::new();
    if matches!(access.verb, Verb::Transact(_)) {
        for other in &deed.actions {
            known.extend(known_of(bench, other));
        }
    }
    known.extend(known_of(bench, action));
    known.extend(deed.given.clone());
    known
}

fn known_of(bench: &Bench<'_>, action: &DeedAction) -> Map<String, Value> {
    match &action.act {
        Act::Create(record) => record.fields(bench.model),
        Act::Update { key, set, .. } => {
            let mut known = set.clone();
            known.extend(key.clone());
            known
        }
        Act::Delete { key } | Act::Check { key } => key.clone(),
    }
}
