//! The lake as a function of AWS Lambda, with the streams of the tables as its triggers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use serde_json::Value;
use tablewright::Store;
use tablewright_stream::{Function, LambdaConsumer};
use tokio::sync::Mutex;

use crate::error::LakeError;
use crate::lake::Lake;
use crate::merge::Outdated;
use crate::model::LakeModel;
use crate::name::stream_of;
use crate::options::LakeOptions;
use crate::place::Place;
use crate::present::Present;
use crate::writer::Writer;

/// What it takes to answer after silver was looked after.
const TO_ANSWER: Duration = Duration::from_secs(5);

/// For how long nobody tries to make silver from the tables after that failed, since it reads them whole: longer each time, and at once the longest after a call was too short for it.
const FIRST_PAUSE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_secs(3600);

/// What is known from one event to the next.
#[derive(Debug)]
struct Warm {
    lake: Lake,
    tables: Vec<Followed>,
    looked: Option<Instant>,
    refined: Option<String>,
    /// The stream of each table, by what events have told.
    streams: BTreeMap<String, String>,
    /// Silver could not be made from the tables.
    unmade: Option<Unmade>,
}

/// When that was, and for how long nobody tries again.
#[derive(Debug, Clone, Copy)]
struct Unmade {
    at: Instant,
    pause: Duration,
}

/// A table whose changes are told.
#[derive(Debug)]
struct Followed {
    /// As it is called in the model, and as it is deployed.
    name: String,
    deployed: String,
    consumer: LambdaConsumer<Writer>,
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
            boxed(now.look_after(&self.store, deadline)).await;
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
        let tables = tables.map(|table| {
            let (name, options) = (lake.identity().consumer_of(table), self.options.stream);
            let writer = Writer::new(&lake, table, &self.store);
            Followed {
                name: table.name.clone(),
                deployed: self.store.table_name(table),
                consumer: LambdaConsumer::new(name, &self.store, table, options, writer),
            }
        });
        Ok(Warm {
            tables: tables.collect(),
            lake,
            looked: None,
            refined: None,
            streams: BTreeMap::new(),
            unmade: None,
        })
    }
}

impl Warm {
    async fn handle(&mut self, event: &Value, deadline: Instant) -> Result<Value, String> {
        let source = event["eventSourceARN"].as_str();
        let source = source.or_else(|| event["Records"][0]["eventSourceARN"].as_str());
        let source = source.unwrap_or_default();
        let table = source.split('/').nth(1).unwrap_or_default();
        let followed = self.tables.iter().find(|known| known.deployed == table);
        let followed = followed
            .ok_or_else(|| format!("it is of `{source}`, which is no table of this lake"))?;
        let stream = stream_of(source);
        let known = self.streams.entry(followed.name.clone()).or_default();
        if *known < stream {
            *known = stream;
        }
        let handled = boxed(followed.consumer.handle_by(event, deadline)).await;
        handled.map_err(|error| error.to_string())
    }

    /// Silver, gold and compaction, for as long as the call may take. What was not done then is for the next one.
    async fn look_after(&mut self, store: &Store, deadline: Instant) {
        let present = Present::Told(self.streams.clone());
        let outdated = match self.unmade {
            Some(Unmade { at, pause }) if at.elapsed() < pause => Outdated::Left,
            _ => Outdated::MadeAnew,
        };
        self.lake.begin_look(store);
        let left = deadline.saturating_duration_since(Instant::now());
        let (lake, refined) = (&self.lake, &mut self.refined);
        let looking = async {
            let looked = lake.look_after(store, refined, &present, outdated).await;
            if let Err(error) = lake.note_that_it_follows(store, looked).await {
                tracing::warn!(%error, "the lake cannot be reached");
            }
            looked
        };
        let looked = tokio::time::timeout(left.saturating_sub(TO_ANSWER), looking).await;
        let came = looked.as_ref().copied().unwrap_or_default();
        let behind_seconds = lake.end_look(store, came);
        // A function shows nobody its numbers: an alarm reads them from its log, also where that has warnings only.
        match came.is_whole {
            true => tracing::info!(behind_seconds, "silver and gold were looked after"),
            false => tracing::warn!(behind_seconds, "silver and gold were looked after"),
        }
        if looked.is_err() {
            // A file may have been written that nobody noted.
            self.lake.doubt();
        }
        let unmade = self.lake.inner.making_anew.swap(false, Ordering::AcqRel);
        match (unmade, looked.is_ok()) {
            (true, is_in_time) => self.pause(is_in_time),
            (false, true) if outdated == Outdated::MadeAnew => self.unmade = None,
            (false, true) => {}
            (false, false) => {
                tracing::warn!("a call was too short to bring silver and gold up to date");
            }
        }
    }

    fn pause(&mut self, is_in_time: bool) {
        let why = match is_in_time {
            true => "silver could not be made from the tables",
            false => "a call is too short to make silver from the tables",
        };
        let longer = self
            .unmade
            .map_or(FIRST_PAUSE, |before| (before.pause * 2).min(PAUSE));
        let pause = if is_in_time { longer } else { PAUSE };
        tracing::error!(
            again_in_minutes = pause.as_secs() / 60,
            "{why}: if it stays so, stop the trigger, and run `tablewright lake rebuild`"
        );
        let at = Instant::now();
        self.unmade = Some(Unmade { at, pause });
    }
}

/// Its type by its name: what is in what is in a future of everything is too deep for the compiler.
fn boxed<'f, O>(future: impl Future<Output = O> + Send + 'f) -> BoxFuture<'f, O> {
    Box::pin(future)
}
