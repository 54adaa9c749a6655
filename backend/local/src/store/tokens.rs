//! Transactions that are sent again, by their `ClientRequestToken`.
//!
//! The engine can tell them by itself, but looks at every token of the last ten minutes with each transaction: after a hundred thousand of them
//! that is all it does. Here they are kept in the order in which they came, so that one is as fast as another.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, VecDeque};
use std::hash::{Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use dynoxide::actions::describe_table::DescribeTableRequest;
use dynoxide::actions::transact_get_items::{
    TransactGet, TransactGetItem, TransactGetItemsRequest,
};
use dynoxide::actions::transact_write_items::{
    TransactWriteItem, TransactWriteItemsRequest, TransactWriteItemsResponse,
};
use dynoxide::{AttributeValue, Database, DynoxideError};
use serde_json::Value;

/// For how long DynamoDB knows a transaction again.
const KNOWN_FOR: Duration = Duration::from_secs(600);

/// The longest token; what is longer the engine refuses.
const LONGEST: usize = 36;

type Key = HashMap<String, AttributeValue>;

/// The transactions of the last ten minutes.
#[derive(Default)]
pub(crate) struct Tokens(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// What was asked under a token.
    asked: HashMap<String, u64>,
    /// The oldest is first.
    since: VecDeque<(Instant, String)>,
}

impl Known {
    fn asked(&mut self, token: &str, now: Instant) -> Option<u64> {
        while let Some((since, token)) = self.since.front()
            && now.duration_since(*since) >= KNOWN_FOR
        {
            self.asked.remove(token);
            self.since.pop_front();
        }
        self.asked.get(token).copied()
    }

    fn keep(&mut self, token: String, asked: u64, now: Instant) {
        self.asked.insert(token.clone(), asked);
        self.since.push_back((now, token));
    }
}

impl Tokens {
    /// Carries a transaction out, unless it has been.
    pub(crate) fn transact(
        &self,
        db: &Database,
        mut request: TransactWriteItemsRequest,
    ) -> dynoxide::Result<TransactWriteItemsResponse> {
        let is_usual = |token: &mut String| token.len() <= LONGEST;
        let Some(token) = request.client_request_token.take_if(is_usual) else {
            return db.transact_write_items(request);
        };
        let asked = fingerprint(&request.transact_items)?;
        // Held meanwhile: who sends the same at the same time waits, and is told what became of it. The engine carries out one at a time anyway.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.asked(&token, Instant::now()) {
            Some(before) if before == asked => read(db, &request),
            Some(_) => Err(DynoxideError::IdempotentParameterMismatchException(
                String::from("An error occurred (IdempotentParameterMismatchException)"),
            )),
            None => {
                let response = db.transact_write_items(request)?;
                known.keep(token, asked, Instant::now());
                Ok(response)
            }
        }
    }
}

/// What is asked, in whichever order its parts are written.
fn fingerprint(items: &[TransactWriteItem]) -> dynoxide::Result<u64> {
    let items = serde_json::to_value(items)
        .map_err(|error| DynoxideError::InternalServerError(error.to_string()))?;
    let mut hasher = DefaultHasher::new();
    add(&items, &mut hasher);
    Ok(hasher.finish())
}

fn add(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            members.len().hash(hasher);
            for (name, member) in members {
                name.hash(hasher);
                add(member, hasher);
            }
        }
        Value::Array(items) => {
            items.len().hash(hasher);
            items.iter().for_each(|item| add(item, hasher));
        }
        other => other.hash(hasher),
    }
}

/// What DynamoDB does when a transaction comes again: it reads the items, and that is what it charges.
fn read(
    db: &Database,
    request: &TransactWriteItemsRequest,
) -> dynoxide::Result<TransactWriteItemsResponse> {
    let mut items = Vec::new();
    for item in &request.transact_items {
        let Some((table_name, key)) = place(db, item)? else {
            continue;
        };
        items.push(TransactGetItem {
            get: TransactGet {
                table_name,
                key,
                ..TransactGet::default()
            },
        });
    }
    let found = db.transact_get_items(TransactGetItemsRequest {
        transact_items: items,
        return_consumed_capacity: request.return_consumed_capacity.clone(),
    })?;
    Ok(TransactWriteItemsResponse {
        consumed_capacity: found.consumed_capacity,
        item_collection_metrics: None,
    })
}

/// The table and the key of an item.
fn place(db: &Database, item: &TransactWriteItem) -> dynoxide::Result<Option<(String, Key)>> {
    if let Some(put) = &item.put {
        let table_name = put.table_name.clone();
        let described = db.describe_table(DescribeTableRequest {
            table_name: table_name.clone(),
        })?;
        let schema = described.table.key_schema;
        let key = schema.into_iter().filter_map(|part| {
            let value = put.item.get(&part.attribute_name)?.clone();
            Some((part.attribute_name, value))
        });
        return Ok(Some((table_name, key.collect())));
    }
    let update = item.update.as_ref().map(|one| (&one.table_name, &one.key));
    let delete = item.delete.as_ref().map(|one| (&one.table_name, &one.key));
    let check = item
        .condition_check
        .as_ref()
        .map(|one| (&one.table_name, &one.key));
    let at = update.or(delete).or(check);
    Ok(at.map(|(table, key)| (table.clone(), key.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_for_ten_minutes() {
        let (mut known, now) = (Known::default(), Instant::now());
        let after = |seconds| now + Duration::from_secs(seconds);
        known.keep(String::from("a"), 1, now);
        known.keep(String::from("b"), 2, after(300));
        assert_eq!(known.asked("a", after(599)), Some(1));
        assert_eq!(known.asked("a", after(600)), None);
        assert_eq!(known.asked("b", after(600)), Some(2));
        assert_eq!(known.asked("b", after(900)), None);
        assert!(known.asked.is_empty() && known.since.is_empty());
    }

    #[test]
    fn the_order_of_members_does_not_matter_and_everything_else_does() {
        let of = |text: &str| {
            let mut hasher = DefaultHasher::new();
            add(&serde_json::from_str(text).unwrap(), &mut hasher);
            hasher.finish()
        };
        assert_eq!(of(r#"[{"a":1,"b":[2]}]"#), of(r#"[{"b":[2],"a":1}]"#));
        let others = [
            r#"[{"a":1,"b":[3]}]"#,
            r#"[{"a":1},{"b":[2]}]"#,
            r#"[{"a":1,"b":2}]"#,
            r#"[{"a":"1","b":[2]}]"#,
        ];
        for other in others {
            assert_ne!(of(r#"[{"a":1,"b":[2]}]"#), of(other), "{other}");
        }
    }
}
