//! A store of its own for every test.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use accounts::model::{AccountData, Accounts};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Builder;
use tablewright::descriptor::Schema;
use tablewright::{Clock, Store, StoreBuilder, Ulid, tables};
use tablewright_local::{Connection, ENDPOINT_VARIABLE, Endpoint, Engine, connect};
use todo::model::{Task, TaskStatus, Todo, User};

/// A place to store things, on the endpoint the environment names, or on an engine that is gone afterwards.
pub(crate) struct Place {
    pub(crate) client: Client,
    /// Tables of tests that run at the same endpoint do not meet.
    prefix: String,
    connection: Option<Connection>,
}

impl Place {
    pub(crate) async fn new() -> Place {
        if std::env::var_os(ENDPOINT_VARIABLE).is_none() {
            let engine = Engine::temporary().unwrap();
            return Place {
                client: engine.dynamodb(),
                prefix: String::new(),
                connection: None,
            };
        }
        let connection = connect(&Endpoint::from_env().unwrap()).await.unwrap();
        Place {
            client: connection.dynamodb.clone(),
            prefix: format!("suite-{}-", Ulid::new()),
            connection: Some(connection),
        }
    }

    pub(crate) fn builder(&self) -> StoreBuilder {
        self.builder_with(|config| config)
    }

    /// A store whose client is configured in another way.
    pub(crate) fn builder_with(&self, change: impl FnOnce(Builder) -> Builder) -> StoreBuilder {
        let config = change(self.client.config().to_builder());
        Store::builder(Client::from_conf(config.build())).table_prefix(&self.prefix)
    }

    /// A store with the tables of a schema.
    pub(crate) async fn store(&self, schema: &Schema) -> Store {
        let store = self.builder().build();
        tables::bring_up_to_date(&store, schema).await.unwrap();
        store
    }
}

impl Drop for Place {
    /// Removes the tables, also those of a test that failed. An engine in this process goes with its folder, or is the developer's own.
    fn drop(&mut self) {
        let elsewhere = self
            .connection
            .as_ref()
            .is_some_and(|connection| connection.engine.is_none());
        if !elsewhere {
            return;
        }
        let prefix = self.prefix.clone();
        // The test's own runtime stands still while this waits, and the connections of its client with it.
        let removal = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let connection = connect(&Endpoint::from_env().unwrap()).await.unwrap();
                let tables = connection.dynamodb.list_tables().into_paginator().items();
                let tables: Result<Vec<String>, _> = tables.send().collect().await;
                let ours = |name: &String| name.starts_with(&prefix);
                for table in tables.unwrap().into_iter().filter(ours) {
                    remove(&connection.dynamodb, &table).await;
                }
            });
        });
        if removal.join().is_err() {
            eprintln!("tables {}… may be left", self.prefix);
        }
    }
}

/// Removes a table that is protected. What cannot be removed is told, and no reason to fail.
async fn remove(client: &Client, table: &str) {
    let mut left = None;
    // Amazon's tables take their time to switch the protection off.
    for wait in [0, 1, 2, 4, 8, 16, 30] {
        tokio::time::sleep(Duration::from_secs(wait)).await;
        let unprotected = client.update_table().table_name(table);
        let _ = unprotected.deletion_protection_enabled(false).send().await;
        match client.delete_table().table_name(table).send().await {
            Ok(_) => return,
            Err(error) => {
                let error = error.into_service_error();
                if error.is_resource_not_found_exception() {
                    return;
                }
                left = Some(error);
            }
        }
    }
    eprintln!("table {table} is left: {left:?}");
}

pub(crate) async fn accounts() -> (Place, Accounts) {
    let place = Place::new().await;
    let store = place.store(&accounts::model::SCHEMA).await;
    (place, Accounts::new(&store))
}

pub(crate) async fn todo() -> (Place, Todo) {
    let place = Place::new().await;
    let store = place.store(&todo::model::SCHEMA).await;
    (place, Todo::new(&store))
}

pub(crate) fn account(pk: &str, balance: i64) -> AccountData {
    AccountData {
        pk: pk.to_owned(),
        name: format!("Account {pk}"),
        balance,
    }
}

pub(crate) fn user(user_id: &str, email: &str) -> User {
    User {
        user_id: user_id.to_owned(),
        email: email.to_owned(),
        name: "Ada".to_owned(),
        created_at: 1_700_000_000,
        updated_at: 1_700_000_000,
        revision: 1,
    }
}

pub(crate) fn task(user_id: &str, title: &str) -> Task {
    Task {
        user_id: user_id.to_owned(),
        task_id: Ulid::new(),
        title: title.to_owned(),
        description: None,
        status: TaskStatus::Pending,
        priority: None,
        category: None,
        due_date: None,
        created_at: 1_700_000_000,
        updated_at: 1_700_000_000,
        completed_at: None,
        ttl: None,
        revision: 1,
    }
}

/// A clock that goes as it is told.
#[derive(Debug, Clone)]
pub(crate) struct SetClock(Arc<AtomicI64>);

impl SetClock {
    pub(crate) fn at(millis: i64) -> SetClock {
        SetClock(Arc::new(AtomicI64::new(millis)))
    }

    pub(crate) fn set(&self, millis: i64) {
        self.0.store(millis, Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now_millis(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}
