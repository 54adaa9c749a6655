//! The lake as a function of AWS Lambda, with the streams of the tables as its triggers.

use std::sync::Arc;
use std::time::Instant;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tablewright::Store;
use tablewright_stream::{Function, LambdaConsumer};
use tokio::sync::Mutex;

use crate::error::LakeError;
use crate::follow::consumer_of;
use crate::lake::Lake;
use crate::model::LakeModel;
use crate::options::LakeOptions;
use crate::place::Place;
use crate::writer::Writer;

/// What is known from one event to the next.
#[derive(Debug)]
struct Warm {
    lake: Lake,
    consumers: Vec<(String, LambdaConsumer<Writer>)>,
    looked: Option<Instant>,
    refined: Option<String>,
}

/// A lake that is given events.
#[derive(Debug)]
struct Given {
    place: Place,
    model: LakeModel,
    options: LakeOptions,
    store: Store,
    /// One event at a time. Nothing before the first, and after something failed.
    warm: Mutex<Option<Warm>>,
}

impl Lake {
    /// A function of AWS Lambda that writes a lake: each event becomes files of bronze, and silver and gold are brought up to date about every `merge_every`, or when a window ends. Its
    /// triggers have `ReportBatchItemFailures` and a tumbling window, by which events tell their shard; and it runs once at a time, since one process writes a lake.
    pub fn as_function(
        place: Place,
        model: LakeModel,
        options: LakeOptions,
        store: &Store,
    ) -> Function {
        let given = Arc::new(Given {
            place,
            model,
            options,
            store: store.clone(),
            warm: Mutex::new(None),
        });
        Box::new(move |event, deadline| {
            let given = Arc::clone(&given);
            Box::pin(async move { given.handle(&event, deadline).await })
        })
    }
}

impl Given {
    async fn handle(&self, event: &Value, deadline: Instant) -> Result<Value, String> {
        let mut warm = self.warm.lock().await;
        let mut now = match warm.take() {
            Some(warm) => warm,
            None => self.open().await.map_err(|error| error.to_string())?,
        };
        let handled = now.handle(event, deadline).await?;
        let is_last = event["isFinalInvokeForWindow"].as_bool() == Some(true);
        let every = self.options.merge_every;
        if is_last || now.looked.is_none_or(|at| at.elapsed() >= every) {
            now.looked = Some(Instant::now());
            let looked = now.lake.look_after(&self.store, &mut now.refined);
            boxed(looked).await;
        }
        // What failed, or is lost, is opened anew the next time: somebody else may write it now.
        if now.lake.stay().await.is_ok() {
            *warm = Some(now);
        }
        Ok(handled)
    }

    async fn open(&self) -> Result<Warm, LakeError> {
        let lake = Lake::open(&self.place, self.model.clone(), self.options).await?;
        let tables = self.model.tables.iter();
        let consumers = tables.map(|table| {
            let (name, options) = (consumer_of(table), self.options.stream);
            let writer = Writer(lake.clone());
            let consumer = LambdaConsumer::new(name, &self.store, table, options, writer);
            (self.store.table_name(table), consumer)
        });
        Ok(Warm {
            consumers: consumers.collect(),
            lake,
            looked: None,
            refined: None,
        })
    }
}

impl Warm {
    async fn handle(&self, event: &Value, deadline: Instant) -> Result<Value, String> {
        let source = event["eventSourceARN"].as_str();
        let source = source.or_else(|| event["Records"][0]["eventSourceARN"].as_str());
        let source = source.unwrap_or_default();
        let table = source.split('/').nth(1).unwrap_or_default();
        let consumer = self.consumers.iter().find(|(name, _)| name == table);
        let (_, consumer) = consumer
            .ok_or_else(|| format!("it is of `{source}`, which is no table of this lake"))?;
        let handled = boxed(consumer.handle_by(event, deadline)).await;
        handled.map_err(|error| error.to_string())
    }
}

/// Its type by its name: what is in what is in a future of everything is too deep for the compiler.
fn boxed<'f, O>(future: impl Future<Output = O> + Send + 'f) -> BoxFuture<'f, O> {
    Box::pin(future)
}
