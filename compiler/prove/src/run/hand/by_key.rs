//! Reads by whole keys, written by hand.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use tablewright_model::model::{Access, Consistency};
use tablewright_plan::expression::KeyTest;

use super::patiently;
use super::read::{HandRead, units};
use super::values::{key_of, placeholders};
use crate::Question;
use crate::run::ask::{Asked, Got};
use crate::run::bench::{Bench, Trouble};
use crate::run::error::of_request;

impl HandRead<'_> {
    /// What is asked by whole keys is asked of the table.
    pub(super) fn refuse_an_index(&self) -> Result<(), Trouble> {
        if self.plan.place.index.is_none() {
            return Ok(());
        }
        let request = self.plan.request.as_str();
        Err(Trouble::Wrong(format!(
            "{request} asks the table, and never an index: it is a Query"
        )))
    }

    pub(super) async fn get(
        &self,
        bench: &Bench<'_>,
        access: &Access,
        question: &Question,
    ) -> Result<Asked, Trouble> {
        self.refuse_an_index()?;
        let described = &bench.schema.entities[access.verb.entity().id.0];
        let known = self.known(bench, access, question);
        let key = match &self.plan.partition {
            None => key_of(known, described, &described.key)?,
            Some(partition) => {
                let values = placeholders(known, described, self.plan, self.by_hand)?;
                let tests = [Some(partition), self.plan.sort.as_ref()];
                let mut key = HashMap::new();
                for test in tests.into_iter().flatten() {
                    let KeyTest::Equals(value) = &test.test else {
                        let why = "GetItem takes a whole key, each attribute with `=`";
                        return Err(Trouble::Wrong(why.to_owned()));
                    };
                    if let Some(value) = values.get(&value.text) {
                        key.insert(test.attribute.clone(), value.clone());
                    }
                }
                key
            }
        };
        let request = bench
            .store
            .client()
            .get_item()
            .table_name(bench.store.table_name(&described.table))
            .set_key(Some(key))
            .consistent_read(access.consistency.value == Consistency::Strong)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let output = patiently(true, || request.clone().send()).await;
        let output = output.map_err(|error| {
            let doing = || format!("asking {}", access.name);
            Trouble::of(doing, of_request(&error))
        })?;
        let units = units(output.consumed_capacity.as_slice());
        let records = self.records(bench, access, output.item.into_iter().collect())?;
        Ok(Asked::of(Got::Items { records, all: true }, units))
    }

    /// Many keys, each by a request of its own.
    pub(super) async fn one_by_one(
        &self,
        bench: &Bench<'_>,
        access: &Access,
        question: &Question,
    ) -> Result<Asked, Trouble> {
        let mut each = Vec::with_capacity(question.keys.len());
        let mut used = 0.0;
        for given in &question.keys {
            let one = Question {
                given: given.clone(),
                keys: Vec::new(),
                ..question.clone()
            };
            let asked = self.get(bench, access, &one).await?;
            used += asked.units;
            each.push(match asked.got {
                Got::Items { mut records, .. } => records.pop(),
                Got::Each(_) | Got::Count(_) => None,
            });
        }
        Ok(Asked::of(Got::Each(each), used))
    }
}
