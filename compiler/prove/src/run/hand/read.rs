//! Reads written by hand.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, ConsumedCapacity, ReturnConsumedCapacity};
use tablewright::{Found, Item};
use tablewright_model::model::{Access, ByHand, Consistency, Request, Verb};
use tablewright_plan::OrderGiven;
use tablewright_plan::hand::HandPlan;

use super::patiently;
use super::values::{Known, placeholders};
use crate::run::ask::{Asked, Extent, Got};
use crate::run::bench::{Bench, Trouble};
use crate::run::error::of_request;
use crate::{Question, Record};

/// A read as a person wrote it.
#[derive(Debug)]
pub(crate) struct HandRead<'r> {
    pub(crate) plan: &'r HandPlan,
    pub(crate) by_hand: &'r ByHand,
}

/// One request of a read, but for where it begins.
struct Wanted<'w> {
    table: String,
    index: Option<String>,
    values: HashMap<String, AttributeValue>,
    /// `Limit`, as written.
    limit: Option<u32>,
    access: &'w Access,
}

/// What one request gave.
struct Page {
    items: Vec<Item>,
    last: Option<Item>,
    units: f64,
}

impl HandRead<'_> {
    pub(crate) async fn ask(
        &self,
        bench: &Bench<'_>,
        access: &Access,
        question: &Question,
        extent: Extent,
    ) -> Result<Asked, Trouble> {
        if let Some(fault) = self.plan.faults.first() {
            return Err(Trouble::Wrong(fault.message.clone()));
        }
        match (&access.verb, self.plan.request) {
            (Verb::Batch(_), Request::BatchGetItem) => {
                return self.batch(bench, access, question).await;
            }
            (Verb::Batch(_), Request::GetItem) => {
                return self.one_by_one(bench, access, question).await;
            }
            (Verb::Batch(_), request) => {
                return unfit(
                    request,
                    "ask for the items of many keys: that is BatchGetItem",
                );
            }
            (_, Request::GetItem) => return self.get(bench, access, question).await,
            (_, Request::Query | Request::Scan) => {}
            (Verb::Get(_), request) => {
                return unfit(
                    request,
                    "ask for one item: that is GetItem, or a Query of an index",
                );
            }
            (_, request) => return unfit(request, "ask for items: that is a Query"),
        }
        let wanted = self.wanted(bench, access, question)?;
        if matches!(access.verb, Verb::List(_) | Verb::Search { .. }) {
            return self.walk(bench, &wanted, extent).await;
        }
        let (mut records, mut units, mut start) = (Vec::new(), 0.0, None);
        loop {
            let page = self.send(bench, &wanted, start, wanted.limit).await?;
            units += page.units;
            records.extend(self.records(bench, access, page.items)?);
            start = page.last;
            if start.is_none() || wanted.limit.is_some() {
                break;
            }
        }
        let got = match access.verb {
            Verb::Count(_) => Got::Count(records.len() as u64),
            _ => Got::Items { records, all: true },
        };
        Ok(Asked::of(got, units))
    }

    /// Pages: of one request with the `Limit` that is written; where none is, read on until the page is full, as the planner prices it.
    async fn walk(
        &self,
        bench: &Bench<'_>,
        wanted: &Wanted<'_>,
        extent: Extent,
    ) -> Result<Asked, Trouble> {
        let declared = u32::try_from(wanted.access.page.value).unwrap_or(u32::MAX);
        let size = wanted.limit.or(extent.page).unwrap_or(declared) as usize;
        let (mut records, mut worst, mut short): (Vec<Record>, f64, _) = (Vec::new(), 0.0, None);
        let (mut start, mut pages) = (None, Vec::new());
        loop {
            let (mut items, mut units) = (Vec::new(), 0.0);
            loop {
                let needed = u32::try_from(size - items.len()).unwrap_or(u32::MAX);
                let page = self.send(bench, wanted, start.take(), Some(needed)).await?;
                units += page.units;
                items.extend(page.items);
                start = page.last;
                if wanted.limit.is_some() || start.is_none() || items.len() >= size {
                    break;
                }
            }
            worst = worst.max(units);
            pages.push((items.len(), units));
            if items.len() < size && start.is_some() && short.is_none() {
                let (has, at) = (items.len(), records.len());
                short = Some(format!(
                    "the page after {at} items has {has} of {size}, and is not the last: Limit counts what is read, before the filter"
                ));
            }
            records.extend(self.records(bench, wanted.access, items)?);
            let all = start.is_none();
            if all || records.len() >= extent.most {
                return Ok(Asked {
                    short,
                    pages,
                    ..Asked::of(Got::Items { records, all }, worst)
                });
            }
        }
    }

    fn wanted<'w>(
        &self,
        bench: &Bench<'_>,
        access: &'w Access,
        question: &Question,
    ) -> Result<Wanted<'w>, Trouble> {
        if self.plan.request == Request::Query && self.by_hand.condition.is_none() {
            let why = "it is a Query, and nothing says of which partition: write its `condition`";
            return Err(Trouble::Wrong(why.to_owned()));
        }
        let table = bench.model.table(self.plan.place.table);
        let described = &bench.schema.entities[access.verb.entity().id.0];
        let known = self.known(bench, access, question);
        Ok(Wanted {
            table: bench.store.table_name(&described.table),
            index: self
                .plan
                .place
                .index
                .map(|index| table.index(index).name.value.clone()),
            values: placeholders(known, described, self.plan, self.by_hand)?,
            limit: self
                .by_hand
                .limit
                .map(|limit| u32::try_from(limit.value).unwrap_or(u32::MAX)),
            access,
        })
    }

    pub(super) fn known<'k>(
        &self,
        bench: &'k Bench<'_>,
        access: &'k Access,
        question: &'k Question,
    ) -> Known<'k> {
        Known {
            access,
            entity: bench.model.entity(access.verb.entity().id),
            given: &question.given,
            words: question.words.as_deref(),
        }
    }

    async fn send(
        &self,
        bench: &Bench<'_>,
        wanted: &Wanted<'_>,
        start: Option<Item>,
        limit: Option<u32>,
    ) -> Result<Page, Trouble> {
        let client = bench.store.client();
        let names: HashMap<String, String> = self
            .by_hand
            .names
            .iter()
            .map(|(alias, attribute)| (alias.value.clone(), attribute.value.clone()))
            .collect();
        let names = (!names.is_empty()).then_some(names);
        let values = (!wanted.values.is_empty()).then(|| wanted.values.clone());
        let filter = self.by_hand.filter.as_ref().map(|text| text.value.clone());
        let limit = limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX));
        let strong = wanted.access.consistency.value == Consistency::Strong;
        let failed = |why| Trouble::of(|| format!("asking {}", wanted.access.name), why);
        if self.plan.request == Request::Scan {
            let request = client
                .scan()
                .table_name(&wanted.table)
                .set_index_name(wanted.index.clone())
                .set_filter_expression(filter)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .set_consistent_read(strong.then_some(true))
                .set_exclusive_start_key(start)
                .set_limit(limit)
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            let output = patiently(true, || request.clone().send()).await;
            let output = output.map_err(|error| failed(of_request(&error)))?;
            return Ok(Page {
                units: units(output.consumed_capacity.as_slice()),
                last: output.last_evaluated_key.filter(|key| !key.is_empty()),
                items: output.items.unwrap_or_default(),
            });
        }
        let condition = self.by_hand.condition.as_ref();
        let request = client
            .query()
            .table_name(&wanted.table)
            .set_index_name(wanted.index.clone())
            .set_key_condition_expression(condition.map(|text| text.value.clone()))
            .set_filter_expression(filter)
            .set_expression_attribute_names(names)
            .set_expression_attribute_values(values)
            .scan_index_forward(self.plan.order != OrderGiven::Yes { backwards: true })
            .set_consistent_read(strong.then_some(true))
            .set_exclusive_start_key(start)
            .set_limit(limit)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let output = patiently(true, || request.clone().send()).await;
        let output = output.map_err(|error| failed(of_request(&error)))?;
        Ok(Page {
            units: units(output.consumed_capacity.as_slice()),
            last: output.last_evaluated_key.filter(|key| !key.is_empty()),
            items: output.items.unwrap_or_default(),
        })
    }

    /// The items as records of whatever entity of the table they are: nothing tells strangers apart but what is written.
    pub(super) fn records(
        &self,
        bench: &Bench<'_>,
        access: &Access,
        items: Vec<Item>,
    ) -> Result<Vec<Record>, Trouble> {
        let table = &bench.model.table(self.plan.place.table).name.value;
        let entities = bench.schema.entities.iter();
        let entities: Vec<_> = entities
            .filter(|entity| entity.table.name == *table)
            .cloned()
            .collect();
        let mut records = Vec::with_capacity(items.len());
        for item in items {
            let shown = key_shown(bench, &item);
            let found = Found::of_item(&entities, item);
            let found = found.map_err(|why| Trouble::of(|| "reading an item".to_owned(), why))?;
            let Some(found) = found else {
                return Err(Trouble::Wrong(format!(
                    "it gives an item of no entity, {shown}"
                )));
            };
            let mut fields = found.to_json();
            if !access.fields.is_empty() {
                let asked = |name: &String| access.fields.iter().any(|f| f.written.value == *name);
                fields.retain(|name, _| asked(name));
            }
            records.push(bench.record_of(&found.entity, fields)?);
        }
        Ok(records)
    }
}

/// What a request does not do.
fn unfit(request: Request, does: &str) -> Result<Asked, Trouble> {
    let request = request.as_str();
    Err(Trouble::Wrong(format!("{request} does not {does}")))
}

/// The key of an item, for a message.
fn key_shown(bench: &Bench<'_>, item: &Item) -> String {
    let keys = bench.schema.tables.iter();
    let mut shown: Vec<String> = keys
        .flat_map(|table| table.key_attributes())
        .filter_map(|key| {
            Some(format!(
                "{} = {}",
                key.name,
                item.get(&key.name)?.as_s().ok()?
            ))
        })
        .collect();
    shown.dedup();
    shown.join(", ")
}

/// What a request used.
pub(super) fn units(consumed: &[ConsumedCapacity]) -> f64 {
    let consumed = consumed.iter();
    consumed.filter_map(ConsumedCapacity::capacity_units).sum()
}
