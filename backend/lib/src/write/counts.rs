//! Counts: what a write changes of the numbers other items keep, each item touched once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::{COUNTING_SINCE, Entity as Described, Keeper, number_of};

use crate::error::Result;
use crate::expression::Placeholders;
use crate::fields::{Fields, Item};
use crate::item::{self, LAST_WRITE};
use crate::read::key_text;
use crate::write::conditions::number;
use crate::write::request::{ItemRequest, Operation, PlaceOfItem, Role};

/// The changes of numbers, by the item that keeps them.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    tallies: BTreeMap<PlaceOfItem, Tally>,
    /// Only who counted at this moment, in milliseconds.
    at: Option<i64>,
}

#[derive(Debug)]
struct Tally {
    keeper: Keeper,
    key: Item,
    /// The fields of the keeper's key.
    identity: Item,
    changes: BTreeMap<String, i64>,
    action: usize,
}

impl Counts {
    /// Only numbers of those change who counted at this moment: who began later, under the same key, never counted the item.
    pub(crate) fn only_of_who_counted_at(&mut self, moment: i64) {
        self.at = Some(moment);
    }

    /// Counts an item in, or out.
    pub(crate) fn add(
        &mut self,
        entity: &Described,
        fields: &Fields,
        by: i64,
        action: usize,
    ) -> Result<()> {
        self.add_unless(&BTreeSet::new(), entity, fields, by, action)
    }

    /// Counts an item in, or out, but where these are the keepers.
    pub(crate) fn add_unless(
        &mut self,
        gone: &BTreeSet<PlaceOfItem>,
        entity: &Described,
        fields: &Fields,
        by: i64,
        action: usize,
    ) -> Result<()> {
        for keeper in &entity.counted_by {
            if !keeper.identity.iter().all(|name| fields.has(name)) {
                continue;
            }
            let key = item::key_of(&keeper.entity, &keeper.key, |name| fields.0.get(name))?;
            let place = (keeper.table.name.clone(), key_text(&keeper.table, &key));
            if gone.contains(&place) {
                continue;
            }
            let tally = self.tallies.entry(place).or_insert_with(|| Tally {
                keeper: keeper.clone(),
                key,
                identity: keeper
                    .identity
                    .iter()
                    .filter_map(|name| Some((name.clone(), fields.0.get(name)?.clone())))
                    .collect(),
                changes: BTreeMap::new(),
                action,
            });
            for counted in &keeper.numbers {
                let name = match &counted.per {
                    None => counted.name.clone(),
                    Some(per) => match fields.0.get(per) {
                        Some(AttributeValue::S(word)) => number_of(&counted.name, word),
                        // Without a value it is in none of the numbers.
                        _ => continue,
                    },
                };
                *tally.changes.entry(name).or_default() += by;
            }
        }
        Ok(())
    }

    /// Puts the changes into the requests: into the one on the keeper where there is one, since a transaction takes an item once.
    pub(crate) fn settle(&mut self, requests: &mut Vec<ItemRequest>, now: i64) -> Result<()> {
        for (place, mut tally) in std::mem::take(&mut self.tallies) {
            tally.changes.retain(|_, by| *by != 0);
            if tally.changes.is_empty() {
                continue;
            }
            let same = requests.iter_mut().find(|request| request.place() == place);
            match same {
                Some(request) => tally.join(request),
                None => requests.push(tally.request(now, self.at)?),
            }
        }
        Ok(())
    }
}

/// The keepers for whose absence, or late beginning, and nothing else, a write was refused.
pub(crate) fn gone_keepers(
    requests: &[ItemRequest],
    refused: &[(usize, Option<Item>)],
) -> BTreeSet<PlaceOfItem> {
    let refused = || refused.iter().map(|(position, _)| &requests[*position]);
    if !refused().all(|request| matches!(request.role, Role::Counter(_))) {
        return BTreeSet::new();
    }
    refused().map(ItemRequest::place).collect()
}

impl Tally {
    /// Into a request on the same item.
    fn join(self, request: &mut ItemRequest) {
        match &mut request.operation {
            // What is deleted counts nothing.
            Operation::Delete => {}
            Operation::Put(item) => {
                for (name, by) in self.changes {
                    let has = match item.get(&name) {
                        Some(AttributeValue::N(has)) => has.parse().unwrap_or(0),
                        _ => 0,
                    };
                    item.insert(name, number(has + by));
                }
            }
            Operation::Update { set, .. } => {
                request.repeatable = false;
                request.leaves = None;
                set.extend(raise(&self.changes, &mut request.places));
            }
            Operation::Check => {
                let mut set = raise(&self.changes, &mut request.places);
                if self.keeper.versioned.is_some() {
                    set.push(next_version(&mut request.places, None));
                }
                request.repeatable = false;
                request.operation = Operation::Update {
                    set,
                    remove: Vec::new(),
                };
            }
        }
    }

    /// A request of its own.
    fn request(self, now: i64, at: Option<i64>) -> Result<ItemRequest> {
        let mut places = Placeholders::default();
        let mut set = raise(&self.changes, &mut places);
        let mut conditions = Vec::new();
        // Nothing begins by what ends: who counted it is gone, and so is the count.
        let raises = self.changes.values().any(|by| *by > 0);
        let begins_as = self.keeper.begins_as.as_deref().filter(|_| raises);
        match begins_as {
            Some(entity) => set.extend(self.beginning(entity, &mut places, now)?),
            None => {
                let key = places.name(&self.keeper.table.partition_key.name);
                conditions.push(format!("attribute_exists({key})"));
            }
        }
        if let Some(at) = at.filter(|_| self.keeper.counts_what_ends) {
            let (since, at) = (places.name(COUNTING_SINCE), places.value(number(at)));
            // What began before this was written has no such moment, and counts.
            conditions.push(format!("attribute_not_exists({since}) OR {since} <= {at}"));
        }
        if self.keeper.versioned.is_some() {
            let first = begins_as.is_some().then_some(now);
            set.push(next_version(&mut places, first));
        }
        Ok(ItemRequest {
            table: Arc::clone(&self.keeper.table),
            key: self.key,
            operation: Operation::Update {
                set,
                remove: Vec::new(),
            },
            conditions,
            places,
            role: Role::Counter(self.keeper.entity),
            action: self.action,
            repeatable: false,
            leaves: None,
            token: None,
        })
    }

    /// What an item needs that begins with its first count: all that it is made of, but for its key.
    fn beginning(
        &self,
        entity: &Described,
        places: &mut Placeholders,
        now: i64,
    ) -> Result<Vec<String>> {
        let mut item = item::compose(entity, &Fields(self.identity.clone()), now)?;
        if self.keeper.counts_what_ends {
            item.insert(COUNTING_SINCE.to_owned(), number(now));
        }
        item.retain(|name, _| name != LAST_WRITE && !self.key.contains_key(name));
        let set = item.into_iter().map(|(name, value)| {
            let name = places.name(&name);
            let value = places.value(value);
            format!("{name} = if_not_exists({name}, {value})")
        });
        Ok(set.collect())
    }
}

fn raise(changes: &BTreeMap<String, i64>, places: &mut Placeholders) -> Vec<String> {
    let zero = places.value(number(0));
    changes
        .iter()
        .map(|(name, by)| {
            let name = places.name(name);
            let by = places.value(number(*by));
            format!("{name} = if_not_exists({name}, {zero}) + {by}")
        })
        .collect()
}

/// A count is a write: it gives a versioned item its next token.
fn next_version(places: &mut Placeholders, first: Option<i64>) -> String {
    let name = places.name(LAST_WRITE);
    let one = places.value(number(1));
    match first {
        Some(now) => {
            let now = places.value(number(now));
            format!("{name} = if_not_exists({name}, {now}) + {one}")
        }
        None => format!("{name} = {name} + {one}"),
    }
}
