//! Reads of many keys at once, written by hand.

use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, ReturnConsumedCapacity};
use tablewright::{Error, Item};
use tablewright_model::model::{Access, Consistency};

use super::patiently;
use super::read::{HandRead, units};
use super::send::{ATTEMPTS, a_moment};
use super::values::{Known, key_of};
use crate::run::ask::{Asked, Got};
use crate::run::bench::{Bench, Trouble};
use crate::run::error::of_request;
use crate::{Question, Record};

/// Keys a BatchGetItem takes.
const AT_ONCE: usize = 100;

impl HandRead<'_> {
    /// All keys in one request, each once, as BatchGetItem demands it. Only what is more than the pattern says, and more than a request takes, is
    /// asked in several.
    pub(super) async fn batch(
        &self,
        bench: &Bench<'_>,
        access: &Access,
        question: &Question,
    ) -> Result<Asked, Trouble> {
        self.refuse_an_index()?;
        if let Some(keys) = access.returns.filter(|keys| *keys > AT_ONCE as u64) {
            return Err(Trouble::Wrong(format!(
                "BatchGetItem takes {AT_ONCE} keys, and by `returns` it has {keys}"
            )));
        }
        let described = &bench.schema.entities[access.verb.entity().id.0];
        let mut keys: Vec<Item> = Vec::with_capacity(question.keys.len());
        for given in &question.keys {
            let known = Known {
                given,
                ..self.known(bench, access, question)
            };
            keys.push(key_of(known, described, &described.key)?);
        }
        let mut wanted: Vec<Item> = Vec::with_capacity(keys.len());
        for key in &keys {
            if !wanted.contains(key) {
                wanted.push(key.clone());
            }
        }
        let (mut found, mut used) = (Vec::new(), 0.0);
        for wanted in wanted.chunks(AT_ONCE) {
            let (records, units) = self.at_once(bench, access, wanted.to_vec()).await?;
            found.extend(records);
            used += units;
        }
        let of_key = |key: &Item| {
            let mut found = found.iter();
            let found = found.find(|(item, _)| has_key(item, key));
            found.map(|(_, record)| record.clone())
        };
        let each = keys.iter().map(of_key).collect();
        Ok(Asked::of(Got::Each(each), used))
    }

    /// One request, and what it left again: each item with its record, and the units of all.
    async fn at_once(
        &self,
        bench: &Bench<'_>,
        access: &Access,
        keys: Vec<Item>,
    ) -> Result<(Vec<(Item, Record)>, f64), Trouble> {
        let described = &bench.schema.entities[access.verb.entity().id.0];
        let table = bench.store.table_name(&described.table);
        let doing = || format!("asking {}", access.name);
        let asked = KeysAndAttributes::builder()
            .set_keys(Some(keys))
            .consistent_read(access.consistency.value == Consistency::Strong)
            .build();
        let mut asked = asked.map_err(|why| Trouble::Wrong(why.to_string()))?;
        let (mut found, mut used) = (Vec::new(), 0.0);
        for attempt in 0..ATTEMPTS {
            let request = bench
                .store
                .client()
                .batch_get_item()
                .request_items(&table, asked)
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            let output = patiently(true, || request.clone().send()).await;
            let output = output.map_err(|error| Trouble::of(doing, of_request(&error)))?;
            used += units(output.consumed_capacity.as_deref().unwrap_or_default());
            let mut answered = output.responses.unwrap_or_default();
            let items = answered.remove(&table).unwrap_or_default();
            let records = self.records(bench, access, items.clone())?;
            found.extend(items.into_iter().zip(records));
            let mut left = output.unprocessed_keys.unwrap_or_default();
            match left.remove(&table) {
                None => return Ok((found, used)),
                Some(left) => asked = left,
            }
            a_moment(attempt).await;
        }
        Err(Trouble::of(doing, Error::Throttled))
    }
}

/// Whether an item is that of a key. Numbers come back in the shortest form there is.
fn has_key(item: &Item, key: &Item) -> bool {
    key.iter()
        .all(|(name, value)| match (item.get(name), value) {
            (Some(AttributeValue::N(a)), AttributeValue::N(b)) => is_the_same_number(a, b),
            (has, value) => has == Some(value),
        })
}

/// Whole numbers to their last digit, others as far as a float tells them apart, and what is neither as text.
fn is_the_same_number(a: &str, b: &str) -> bool {
    if let (Ok(a), Ok(b)) = (a.parse::<i128>(), b.parse::<i128>()) {
        return a == b;
    }
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_found_by_the_number_of_its_key() {
        for (a, b, same) in [
            ("7", "7", true),
            ("1.5", "1.50", true),
            ("100", "1e2", true),
            ("9007199254740992", "9007199254740993", false),
            ("one", "two", false),
            ("one", "one", true),
        ] {
            let of = |number: &str| Item::from([("n".into(), AttributeValue::N(number.into()))]);
            assert_eq!(has_key(&of(a), &of(b)), same, "{a} and {b}");
        }
    }
}
