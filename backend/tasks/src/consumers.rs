//! Those who follow what changes, beside the server.

use tablewright::Entity as _;
use tablewright_stream::events::{Publisher, Sink};
use tablewright_stream::{Consumer, Handler, Options, Order};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::cleaner::Cleaner;
use crate::historian::Historian;
use crate::model::{Task, TasksEvent};
use crate::notifier::Notifier;
use crate::state::App;
use crate::telling::Telling;

/// How many tasks people are mailed about at once. Of a process that dies, so many mails may be on the wire, and are sent again.
const MAILS_AT_ONCE: usize = 4;

/// Where changes are read, and how.
#[derive(Debug, Clone)]
pub struct Following {
    /// The change streams of the tables.
    pub streams: aws_sdk_dynamodbstreams::Client,
    /// How they are read.
    pub options: Options,
}

/// Consumers that run until they are told to stop.
#[derive(Debug)]
#[must_use = "consumers run until they are stopped"]
pub struct Consumers {
    tell: watch::Sender<bool>,
    running: JoinSet<()>,
}

impl Consumers {
    /// Nobody yet.
    pub fn none() -> Self {
        Consumers {
            tell: watch::Sender::new(false),
            running: JoinSet::new(),
        }
    }

    /// All that keep the tables of the service as they should be: one line for each.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn all(app: &App, following: &Following) -> Self {
        let mut all = Consumers::none();
        all.follow("tasks-cleaner", app, following, Cleaner::new(app));
        let historian = Historian::new(&app.tasks);
        all.follow("tasks-historian", app, following, historian);
        all
    }

    /// And those who tell others.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn telling(mut self, app: &App, following: &Following, telling: Telling) -> Self {
        // What happens to one task is told in its order, whichever of its items changed.
        let mut in_order = following.clone();
        in_order.options.order = Order::Partition;
        let notifier = Notifier::new(&app.tasks, telling.sending);
        let mut few_at_once = in_order.clone();
        few_at_once.options.lanes = MAILS_AT_ONCE;
        self.follow("tasks-notifier", app, &few_at_once, notifier);
        if let Some(log) = telling.log {
            self.publish("tasks-events-log", app, &in_order, log);
        }
        if let Some(webhook) = telling.webhook {
            self.publish("tasks-events-webhook", app, &in_order, webhook);
        }
        if let Some(bus) = telling.bus {
            self.publish("tasks-events-bus", app, &in_order, bus);
        }
        self
    }

    fn publish(&mut self, name: &'static str, app: &App, following: &Following, sink: impl Sink) {
        let publisher = Publisher::<TasksEvent, _>::new(sink);
        self.follow(name, app, following, publisher);
    }

    /// One more, under a name of its own. What cannot be reached when it begins is tried again.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn follow(
        &mut self,
        name: &'static str,
        app: &App,
        following: &Following,
        handler: impl Handler,
    ) {
        let consumer = Consumer::new(
            name,
            app.store(),
            following.streams.clone(),
            &Task::descriptor().table,
            following.options,
            handler,
        );
        let mut told = self.tell.subscribe();
        self.running.spawn(async move {
            let stop = async {
                let _ = told.wait_for(|told| *told).await;
            };
            consumer.run_when_possible(stop).await;
        });
    }

    /// Lets all finish what they have begun.
    pub async fn stop(mut self) {
        self.tell.send_replace(true);
        while let Some(ended) = self.running.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a consumer broke");
            }
        }
    }
}
