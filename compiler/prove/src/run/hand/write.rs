//! Writes written by hand: the item, on the condition that is stated, and nothing of what belongs to it.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::{
    AttributeValue, ConsumedCapacity, DeleteRequest, PutRequest, ReturnConsumedCapacity,
    WriteRequest,
};
use serde_json::{Map, Value};
use tablewright::{Item, Share};
use tablewright_model::model::{Access, ByHand, EntityId, Request};
use tablewright_plan::hand::HandPlan;

use super::patiently;
use super::read::units;
use super::values::{Known, key_of, placeholders};
use crate::run::bench::{Bench, Trouble};
use crate::run::error::of_request;
use crate::run::perform::{Done, Used};
use crate::{Act, Deed, DeedAction};

/// A write as a person wrote it.
#[derive(Debug)]
pub(crate) struct HandWrite<'w> {
    pub(crate) plan: &'w HandPlan,
    pub(crate) by_hand: &'w ByHand,
}

impl HandWrite<'_> {
    /// Does one action of a deed.
    pub(crate) async fn act(
        &self,
        bench: &Bench<'_>,
        access: &Access,
        deed: &Deed,
        action: &DeedAction,
    ) -> Result<Done, Trouble> {
        if let Some(fault) = self.plan.faults.first() {
            return Err(Trouble::Wrong(fault.message.clone()));
        }
        let id = access.verb.entity().id;
        let given = everything_known(bench, deed, action);
        let known = Known {
            access,
            entity: bench.model.entity(id),
            given: &given,
            words: None,
        };
        match (&action.act, self.plan.request) {
            (Act::Create(record), Request::BatchWriteItem) => {
                let put = PutRequest::builder().set_item(Some(self.item(bench, record)?));
                let put = put.build().map_err(|why| Trouble::Wrong(why.to_string()))?;
                let request = WriteRequest::builder().put_request(put).build();
                self.batch(bench, access, id, request).await
            }
            (Act::Delete { .. }, Request::BatchWriteItem) => {
                let described = &bench.schema.entities[id.0];
                let key = key_of(known, described, &described.key)?;
                let delete = DeleteRequest::builder().set_key(Some(key)).build();
                let delete = delete.map_err(|why| Trouble::Wrong(why.to_string()))?;
                let request = WriteRequest::builder().delete_request(delete).build();
                self.batch(bench, access, id, request).await
            }
            (Act::Create(record), _) => self.put(bench, known, record).await,
            (Act::Update { set, add, .. }, _) => self.update(bench, known, set, add).await,
            (Act::Delete { .. }, _) => self.delete(bench, known).await,
            (Act::Check { .. }, _) => Ok(happened(&[])),
        }
    }

    fn item(&self, bench: &Bench<'_>, record: &crate::Record) -> Result<Item, Trouble> {
        let items = bench.items(record.entity());
        let fields = items.fields(&record.fields(bench.model));
        let item = fields.and_then(|fields| items.composed(fields));
        item.map_err(|why| Trouble::of(|| "composing an item".to_owned(), why))
    }

    async fn put(
        &self,
        bench: &Bench<'_>,
        known: Known<'_>,
        record: &crate::Record,
    ) -> Result<Done, Trouble> {
        let expressions = self.expressions(bench, known)?;
        let described = &bench.schema.entities[record.entity().0];
        let request = bench
            .store
            .client()
            .put_item()
            .table_name(bench.store.table_name(&described.table))
            .set_item(Some(self.item(bench, record)?))
            .set_condition_expression(expressions.condition)
            .set_expression_attribute_names(expressions.names)
            .set_expression_attribute_values(expressions.values)
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes);
        match patiently(false, || request.clone().send()).await {
            Ok(output) => Ok(happened(output.consumed_capacity.as_slice())),
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(|error| error.is_conditional_check_failed_exception()) =>
            {
                Ok(Done::Refused)
            }
            Err(error) => Err(doing(known.access, &of_request(&error))),
        }
    }

    /// Sets what is set, and leaves every key of an index as it was.
    async fn update(
        &self,
        bench: &Bench<'_>,
        known: Known<'_>,
        set: &Map<String, Value>,
        add: &[(String, i64)],
    ) -> Result<Done, Trouble> {
        let id = known.access.verb.entity().id;
        let described = &bench.schema.entities[id.0];
        let mut expressions = self.expressions(bench, known)?;
        let names = expressions.names.get_or_insert_default();
        let values = expressions.values.get_or_insert_default();
        let fields = bench.items(id).fields(set);
        let fields = fields.map_err(|why| doing(known.access, &why))?;
        let (mut sets, mut removes) = (Vec::new(), Vec::new());
        let mut path = |name: &str| {
            let alias = format!("#set{}", names.len());
            names.insert(alias.clone(), name.to_owned());
            if described.at_the_top(name) {
                return alias;
            }
            names.insert("#data".to_owned(), "data".to_owned());
            format!("#data.{alias}")
        };
        for name in set.keys() {
            let path = path(name);
            match fields.stored(name) {
                Some(value) => {
                    let placeholder = format!(":set{}", values.len());
                    values.insert(placeholder.clone(), value.clone());
                    sets.push(format!("{path} = {placeholder}"));
                }
                None => removes.push(path),
            }
        }
        for (name, by) in add {
            let path = path(name);
            let placeholder = format!(":set{}", values.len());
            values.insert(placeholder.clone(), AttributeValue::N(by.to_string()));
            values.insert(":zero".to_owned(), AttributeValue::N("0".to_owned()));
            sets.push(format!(
                "{path} = if_not_exists({path}, :zero) + {placeholder}"
            ));
        }
        let mut update = String::new();
        for (word, parts) in [("SET", &sets), ("REMOVE", &removes)] {
            if !parts.is_empty() {
                update.push_str(&format!("{word} {} ", parts.join(", ")));
            }
        }
        let request = bench
            .store
            .client()
            .update_item()
            .table_name(bench.store.table_name(&described.table))
            .set_key(Some(key_of(known, described, &described.key)?))
            .update_expression(update.trim_end())
            .set_condition_expression(expressions.condition)
            .set_expression_attribute_names(expressions.names)
            .set_expression_attribute_values(expressions.values.filter(|all| !all.is_empty()))
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes);
        match patiently(false, || request.clone().send()).await {
            Ok(output) => Ok(happened(output.consumed_capacity.as_slice())),
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(|error| error.is_conditional_check_failed_exception()) =>
            {
                Ok(Done::Refused)
            }
            Err(error) => Err(doing(known.access, &of_request(&error))),
        }
    }

    async fn delete(&self, bench: &Bench<'_>, known: Known<'_>) -> Result<Done, Trouble> {
        let described = &bench.schema.entities[known.access.verb.entity().id.0];
        let expressions = self.expressions(bench, known)?;
        let request = bench
            .store
            .client()
            .delete_item()
            .table_name(bench.store.table_name(&described.table))
            .set_key(Some(key_of(known, described, &described.key)?))
            .set_condition_expression(expressions.condition)
            .set_expression_attribute_names(expressions.names)
            .set_expression_attribute_values(expressions.values)
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes);
        match patiently(false, || request.clone().send()).await {
            Ok(output) => Ok(happened(output.consumed_capacity.as_slice())),
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(|error| error.is_conditional_check_failed_exception()) =>
            {
                Ok(Done::Refused)
            }
            Err(error) => Err(doing(known.access, &of_request(&error))),
        }
    }

    async fn batch(
        &self,
        bench: &Bench<'_>,
        access: &Access,
        entity: EntityId,
        write: WriteRequest,
    ) -> Result<Done, Trouble> {
        let table = &bench.schema.entities[entity.0].table;
        let request = bench
            .store
            .client()
            .batch_write_item()
            .request_items(bench.store.table_name(table), vec![write])
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes);
        let output = patiently(true, || request.clone().send()).await;
        let output = output.map_err(|error| doing(access, &of_request(&error)))?;
        let consumed = output.consumed_capacity.unwrap_or_default();
        Ok(happened(&consumed))
    }

    fn expressions(&self, bench: &Bench<'_>, known: Known<'_>) -> Result<Expressions, Trouble> {
        let described = &bench.schema.entities[known.access.verb.entity().id.0];
        let names = self.by_hand.names.iter();
        let names: HashMap<String, String> = names
            .map(|(alias, attribute)| (alias.value.clone(), attribute.value.clone()))
            .collect();
        let values = placeholders(known, described, self.plan, self.by_hand)?;
        Ok(Expressions {
            condition: self
                .by_hand
                .condition
                .as_ref()
                .map(|text| text.value.clone()),
            names: (!names.is_empty()).then_some(names),
            values: (!values.is_empty()).then_some(values),
        })
    }
}

/// The condition of a write, as written.
struct Expressions {
    condition: Option<String>,
    names: Option<HashMap<String, String>>,
    values: Option<HashMap<String, AttributeValue>>,
}

/// All values there are when a write is done: those of the item, those that are set, those the caller gives.
fn everything_known(bench: &Bench<'_>, deed: &Deed, action: &DeedAction) -> Map<String, Value> {
    let mut known = match &action.act {
        Act::Create(record) => record.fields(bench.model),
        Act::Update { key, set, .. } => {
            let mut known = set.clone();
            known.extend(key.clone());
            known
        }
        Act::Delete { key } | Act::Check { key } => key.clone(),
    };
    known.extend(deed.given.clone());
    known
}

fn doing(access: &Access, why: &tablewright::Error) -> Trouble {
    Trouble::of(|| format!("doing {}", access.name), why.clone())
}

/// What a request used, and what of it each index took.
fn happened(consumed: &[ConsumedCapacity]) -> Done {
    let mut shares = Vec::new();
    for consumed in consumed {
        let table = consumed.table_name().unwrap_or_default();
        let mut share = |index: Option<&String>, units: f64| {
            shares.push(Share {
                table: table.to_owned(),
                index: index.cloned(),
                read_units: 0.0,
                write_units: units,
            });
        };
        let indexes = [
            consumed.global_secondary_indexes(),
            consumed.local_secondary_indexes(),
        ];
        let indexes = indexes.into_iter().flatten().flatten();
        let indexes = indexes.map(|(index, used)| (index, used.capacity_units().unwrap_or(0.0)));
        let indexes: BTreeMap<&String, f64> = indexes.collect();
        let all = consumed.capacity_units().unwrap_or_default();
        share(None, all - indexes.values().sum::<f64>());
        for (index, units) in indexes {
            share(Some(index), units);
        }
    }
    Done::Happened(Used {
        units: units(consumed),
        shares,
        within_facts: false,
    })
}
