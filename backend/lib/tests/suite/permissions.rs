//! S4-21, C4-20: the generated policy of a service allows what its patterns send, in whatever course they take, and nothing they do not.
//!
//! Every pattern of every model is run on an engine that refuses what the policy does: on items that are there, that are not, that are in
//! the way, and that newer code has written.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;
use tablewright::descriptor::written::ActionKind;
use tablewright::descriptor::{Action, Read, Schema, Via, Write};
use tablewright::{Failure, Found, Inputs, Items, Record, Store, TransactKeys, tables};
use tablewright_local::Engine;
use tablewright_testing::{Policed, deployed};

use crate::samples::{Samples, TENANT};

/// Patterns that read many items by their keys: a description of a read does not tell them from those that read one.
const BATCHES: &[&str] = &[
    "read_many",
    "responses_of_humans",
    "stats_of_humans",
    "tasks_as_of_now",
    "tasks_by_ids",
    "users_by_ids",
];

/// Runs all patterns of all services of a model, and compares what was asked with what is allowed.
async fn holds(schema: &'static Schema) {
    let export = deployed(&schema.name);
    let tenant = export["tenant"].as_str();
    let mut patterns = BTreeSet::new();
    for service in export["services"].as_array().unwrap() {
        let name = service["name"].as_str().unwrap();
        let engine = Engine::temporary().unwrap();
        let policed = Policed::new(&engine, &[(&schema.name, name)], TENANT);
        let free = Store::new(policed.engine.dynamodb());
        tables::bring_up_to_date(&free, schema).await.unwrap();
        let run = Run {
            schema,
            tenant,
            held: Store::builder(policed.client()).build(),
            free,
            others_are_faster: Arc::clone(&policed.others_are_faster),
        };
        let own = patterns_of(service);
        for pattern in &own {
            run.pattern(pattern).await;
        }
        let denied = policed.denied();
        assert!(denied.is_empty(), "{name} needs more: {denied:#?}");
        let unused = policed.unused();
        assert!(unused.is_empty(), "{name} needs less: {unused:#?}");
        patterns.extend(own);
    }
    let all = schema.reads.iter().map(|read| read.name.clone());
    let all: BTreeSet<String> = all
        .chain(schema.writes.iter().map(|write| write.name.clone()))
        .collect();
    assert_eq!(patterns, all, "every pattern is some service's");
}

/// Every statement says which patterns it is for.
fn patterns_of(service: &Value) -> BTreeSet<String> {
    let statements = service["statements"].as_array().unwrap().iter();
    let patterns = statements.flat_map(|statement| statement["patterns"].as_array().unwrap());
    patterns
        .map(|pattern| pattern.as_str().unwrap().to_owned())
        .collect()
}

struct Run<'r> {
    schema: &'static Schema,
    tenant: Option<&'r str>,
    /// What the service has.
    held: Store,
    /// What arranges the items it finds.
    free: Store,
    others_are_faster: Arc<AtomicBool>,
}

impl Run<'_> {
    fn samples(&self, number: u32) -> Samples<'_> {
        Samples {
            tenant: self.tenant,
            number,
        }
    }

    async fn pattern(&self, name: &str) {
        let write = self.schema.writes.iter().find(|write| write.name == name);
        let read = self.schema.reads.iter().find(|read| read.name == name);
        match (write, read) {
            (Some(write), Some(read)) => self.found(write, read).await,
            (Some(write), None) => {
                // What is there, as it is there and again; what is not; and what newer code has written.
                for number in [1, 1, 9] {
                    if number == 1 {
                        self.arrange(write, 1).await;
                    }
                    self.write(write, number).await;
                }
                self.arrange(write, 1).await;
                self.write_as_newer_code().await;
                self.write(write, 1).await;
                self.forget().await;
            }
            (None, Some(read)) => self.read(read).await,
            (None, None) => panic!("{name} is no pattern"),
        }
    }

    async fn read(&self, read: &'static Read) {
        let given = self.samples(1).given(read);
        if BATCHES.contains(&read.name.as_str()) {
            let found = self.held.get_many::<Found>(read, vec![given]).await;
            found.unwrap();
            return;
        }
        match read.via {
            Via::Query => {
                let found = self.held.query::<Found>(read, given.clone()).page().await;
                found.unwrap();
                self.held.query::<Found>(read, given).count().await.unwrap();
            }
            Via::Counter { .. } => {
                self.held.count(read, given).await.unwrap();
            }
            Via::Guard(_) => {
                let items = Items::new(&self.free, self.schema.entity(&read.entities[0].name));
                let item = self.samples(1).item(items.entity());
                let _ = items.create(item, None).await;
                self.held.get::<Found>(read, given).await.unwrap();
                self.forget().await;
            }
            Via::Key => {
                self.held.get::<Found>(read, given).await.unwrap();
            }
        }
    }

    /// A pattern that finds what it deletes.
    async fn found(&self, write: &'static Write, read: &'static Read) {
        self.arrange(write, 1).await;
        let items = Items::new(
            &self.held,
            self.schema.entity(&write.actions[0].entity.name),
        );
        let given = self.samples(1).given(read);
        let found = items.delete_found(read, given.clone()).await;
        assert_eq!(found.unwrap(), 1);
        self.arrange(write, 1).await;
        self.others_are_faster.store(true, Ordering::Relaxed);
        let _ = items.delete_found(read, given).await;
        self.others_are_faster.store(false, Ordering::Relaxed);
    }

    /// Puts the items there that a write changes, removes, checks or counts in.
    async fn arrange(&self, write: &Write, number: u32) {
        for (position, action) in write.actions.iter().enumerate() {
            let number = number + u32::try_from(position).unwrap();
            let keepers = action.entity.counted_by.iter();
            let keepers = keepers.map(|keeper| keeper.entity.as_str());
            let own = (action.kind != ActionKind::Create).then_some(action.entity.name.as_str());
            for name in keepers.chain(own) {
                let items = Items::new(&self.free, self.schema.entity(name));
                // It may be there already.
                let _ = items
                    .create(self.samples(number).item(items.entity()), None)
                    .await;
            }
        }
    }

    /// Does it. That it is refused is no fault: whether it may be sent is the question.
    async fn write(&self, write: &'static Write, number: u32) {
        let record = || {
            let entity = write.claim.as_ref()?;
            let entity = self.schema.entity(&entity.name);
            let fields = self.samples(number).item(entity);
            Some(Record { entity, fields })
        };
        if let [action] = write.actions.as_slice() {
            let entity = self.schema.entity(&action.entity.name);
            let (items, samples) = (Items::new(&self.held, entity), self.samples(number));
            let (key, params) = (samples.key(entity), samples.params(write));
            match action.kind {
                ActionKind::Create => {
                    let _ = items.create(samples.item(entity), record()).await;
                }
                ActionKind::Delete => {
                    let _ = items.remove(write, key, params, record()).await;
                }
                ActionKind::Update | ActionKind::Check => {
                    for (set, add) in parts(&action.set, &action.add) {
                        // Other values than are there, so that guards and counts move.
                        let changes = self.samples(number + 20).changes(entity, &set, &add);
                        let (key, params) = (key.clone(), params.clone());
                        let _ = items.change(write, key, params, changes, record()).await;
                    }
                }
            }
            return;
        }
        self.transact(write, number, record()).await;
    }

    async fn transact(&self, write: &'static Write, number: u32, record: Option<Record>) {
        let mut keys = TransactKeys::new();
        for (samples, action) in self.actions(write, number) {
            keys = keys.key_values(&action.name, samples.key(&action.entity));
        }
        let inputs = |_: &_| {
            let mut inputs = Inputs::new();
            for (samples, action) in self.actions(write, number) {
                let entity = self.schema.entity(&action.entity.name);
                let name = &action.name;
                inputs = match action.kind {
                    ActionKind::Create => inputs.create_fields(name, entity, samples.item(entity)),
                    ActionKind::Update => {
                        inputs.change(name, samples.changes(entity, &action.set, &action.add))
                    }
                    ActionKind::Delete | ActionKind::Check => inputs,
                };
            }
            Ok::<_, Failure>(match &record {
                Some(record) => inputs.claim_fields(record.entity, record.fields.clone()),
                None => inputs,
            })
        };
        let params = self.samples(number).params(write);
        let _ = self.held.transact(write, keys, params, inputs).await;
    }

    /// The actions of a transaction, each with values of its own.
    fn actions(
        &self,
        write: &'static Write,
        first: u32,
    ) -> impl Iterator<Item = (Samples<'_>, &'static Action)> {
        let actions = write.actions.iter();
        (first..)
            .zip(actions)
            .map(|(number, action)| (self.samples(number), action))
    }

    /// Every item as if code of a version to come had written it.
    async fn write_as_newer_code(&self) {
        self.each_item(|client, table, key| {
            let newer = client.update_item().table_name(table).set_key(Some(key));
            newer
                .condition_expression("attribute_exists(data_version)")
                .update_expression("SET data_version = :newer")
                .expression_attribute_values(":newer", AttributeValue::N("99".to_owned()))
                .send()
        })
        .await;
    }

    async fn forget(&self) {
        self.each_item(|client, table, key| {
            let gone = client.delete_item().table_name(table).set_key(Some(key));
            gone.send()
        })
        .await;
    }

    async fn each_item<F: Future<Output = impl Sized>>(
        &self,
        mut act: impl FnMut(&aws_sdk_dynamodb::Client, &str, Key) -> F,
    ) {
        for table in &self.schema.tables {
            let client = self.free.client();
            let found = client.scan().table_name(&table.name).send().await.unwrap();
            for item in found.items() {
                let names = table.key_attributes().map(|key| key.name.clone());
                let key: Key = names
                    .map(|name| (name.clone(), item[&name].clone()))
                    .collect();
                act(client, &table.name, key).await;
            }
        }
    }
}

type Key = std::collections::HashMap<String, AttributeValue>;

/// All that an update may change, and each by itself: a caller may leave out the rest.
fn parts(set: &[String], add: &[String]) -> Vec<(Vec<String>, Vec<String>)> {
    let mut parts = vec![(set.to_vec(), add.to_vec())];
    parts.extend(set.iter().map(|one| (vec![one.clone()], Vec::new())));
    parts
}

#[tokio::test]
async fn of_accounts() {
    holds(&accounts::model::SCHEMA).await;
}

#[tokio::test]
async fn of_todo() {
    holds(&todo::model::SCHEMA).await;
}

#[tokio::test]
async fn of_tasks() {
    holds(&tasks::model::SCHEMA).await;
}

#[tokio::test]
async fn of_ask() {
    holds(&ask::model::SCHEMA).await;
}

#[tokio::test]
async fn of_stream() {
    holds(&tablewright_stream::model::SCHEMA).await;
}
