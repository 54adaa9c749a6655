//! The Rust types that have a type in TypeScript.

use std::future::Future;
use std::pin::Pin;

use anyhow::Context as _;
use aws_sdk_dynamodb::types::AttributeValue;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tablewright::descriptor::Schema;
use tablewright::{Entity, Repository, Store, Stored, Versioned};

/// The models: the name, the file, and the types generated from it.
pub(crate) const MODELS: &[(&str, &str, &str)] = &[
    (
        "todo",
        "models/todo.toml",
        "docs/specs/jobs/todo/entity-schemas.ts",
    ),
    (
        "tasks",
        "models/tasks.toml",
        "docs/specs/jobs/tasks/entity-schemas.ts",
    ),
    (
        "ask",
        "models/ask.toml",
        "docs/specs/jobs/ask/entity-schemas.ts",
    ),
    (
        "accounts",
        "models/accounts.toml",
        "docs/specs/jobs/accounts/entity-schemas.ts",
    ),
    // The models of the golden tests have what those four do not.
    (
        "everything",
        "compiler/emit/tests/emit/everything.toml",
        "compiler/emit/tests/emit/everything.ts",
    ),
    (
        "corners",
        "compiler/emit/tests/emit/corners.toml",
        "compiler/emit/tests/emit/corners.ts",
    ),
];

#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, reason = "it is a module of a service")]
#[path = "../../../compiler/emit/tests/emit/everything.rs"]
mod everything;

#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, reason = "it is a module of a service")]
#[path = "../../../compiler/emit/tests/emit/corners.rs"]
mod corners;

mod migrations {
    pub(super) fn receipt_data() -> tablewright::Migrations {
        tablewright::Migrations::none()
    }

    pub(super) fn label() -> tablewright::Migrations {
        tablewright::Migrations::none()
    }
}

/// A type that is known by one name in both languages.
pub(crate) struct Known {
    pub(crate) model: &'static str,
    pub(crate) name: &'static str,
    /// Reads a value as the type and writes it again.
    pub(crate) through: fn(Value) -> anyhow::Result<Value>,
    /// What the type says of itself.
    pub(crate) schema: fn() -> Value,
    /// Stores a value; none for what is not stored by itself.
    pub(crate) store: Option<Storing>,
    /// Stores what an item holds, anew.
    pub(crate) again: Option<Again>,
    pub(crate) tables: fn() -> &'static Schema,
}

/// An item as the SDK has it.
pub(crate) type Item = std::collections::HashMap<String, AttributeValue>;

type Again = fn(Store, Item) -> Pin<Box<dyn Future<Output = anyhow::Result<()>>>>;

type Storing = fn(Store, Value) -> Pin<Box<dyn Future<Output = anyhow::Result<()>>>>;

fn through<T: Serialize + DeserializeOwned>(value: Value) -> anyhow::Result<Value> {
    Ok(serde_json::to_value(serde_json::from_value::<T>(value)?)?)
}

fn schema<T: JsonSchema>() -> Value {
    schemars::schema_for!(T).to_value()
}

fn store<T: Entity + DeserializeOwned + 'static>(
    store: Store,
    value: Value,
) -> Pin<Box<dyn Future<Output = anyhow::Result<()>>>> {
    Box::pin(async move {
        let data: T = serde_json::from_value(value)?;
        let stored = Repository::<T>::new(&store).insert(data).await;
        stored.map(drop).context("it is not stored")
    })
}

fn again<T: Entity + 'static>(
    store: Store,
    item: Item,
) -> Pin<Box<dyn Future<Output = anyhow::Result<()>>>> {
    Box::pin(async move {
        let stored =
            tablewright::stored_from_item::<T>(item)?.context("it is no item of this entity")?;
        let data = stored.data().clone();
        let stored = Repository::<T>::new(&store).insert(data).await;
        stored.map(drop).context("it is not stored")
    })
}

macro_rules! known {
    ($($model:literal $module:path { stored { $($entity:ident),* } versioned { $($data:ident $versioned:literal),* } events { $($event:ident),* } })*) => {
        /// All of them.
        pub(crate) fn all() -> Vec<Known> {
            let mut all = Vec::new();
            $({
                use $module as types;
                let tables: fn() -> &'static Schema = || &types::SCHEMA;
                $(all.push(Known {
                    model: $model,
                    name: stringify!($entity),
                    through: through::<types::$entity>,
                    schema: schema::<types::$entity>,
                    store: Some(store::<types::$entity>),
                    again: Some(again::<types::$entity>),
                    tables,
                });)*
                $(all.push(Known {
                    model: $model,
                    name: $versioned,
                    through: through::<Versioned<types::$data>>,
                    schema: schema::<Versioned<types::$data>>,
                    store: None,
                    again: None,
                    tables,
                });)*
                $(all.push(Known {
                    model: $model,
                    name: stringify!($event),
                    through: through::<types::$event>,
                    schema: schema::<types::$event>,
                    store: None,
                    again: None,
                    tables,
                });)*
            })*
            all
        }
    };
}

known! {
    "todo" todo::model {
        stored { User, Task, TaskCounts, Idempotency }
        versioned { User "VersionedUser", Task "VersionedTask" }
        events { TodoEvent }
    }
    "tasks" tasks::model {
        stored { Task, User, Assignment, Idempotency, MailRecord, WaitingMail, UndeliveredMail, PassedMail, HistoryEntry }
        versioned { Task "VersionedTask", User "VersionedUser" }
        events { TasksEvent }
    }
    "ask" ask::model {
        stored { Question, Response, Subscription, UserStats, Notice, Outreach, Agent, ApiKey, AgentRequest, LimitWindow }
        versioned {
            Question "VersionedQuestion", Response "VersionedResponse", Subscription "VersionedSubscription",
            UserStats "VersionedUserStats", Agent "VersionedAgent", ApiKey "VersionedApiKey"
        }
        events { AskEvent }
    }
    "accounts" accounts::model {
        stored { AccountData, Transfer, AccountRequest }
        versioned { AccountData "Account", Transfer "VersionedTransfer", AccountRequest "VersionedAccountRequest" }
        events {}
    }
    "everything" self::everything {
        stored { Store, Order, ReceiptData, Request, Price, Settings }
        versioned { Order "VersionedOrder", ReceiptData "Receipt" }
        events { EverythingEvent }
    }
    "corners" self::corners {
        stored { Part, Place, Shelf, Author, Book, Label, Bin, Tank, Tool }
        versioned { Place "VersionedPlace", Book "VersionedBook", Label "VersionedLabel" }
        events { CornersEvent }
    }
}
