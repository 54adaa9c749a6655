//! Those who follow what changes, beside the server, or each as a function of AWS Lambda.

use std::time::{Duration, Instant};

use tablewright::Entity as _;
use tablewright_stream::events::{Publisher, Sink};
use tablewright_stream::{
    self as stream, Following, Function, Handler, LambdaConsumer, Options, Order, whenever_called,
};

use crate::cleaner::Cleaner;
use crate::historian::Historian;
use crate::model::{Task, TasksEvent};
use crate::notifier::Notifier;
use crate::state::App;
use crate::telling::Telling;

/// How many tasks people are mailed about at once in each shard; to as many people go mails that waited, and beside both go those a server is slow with. Of a process that dies, so many mails may be on the wire, and are sent again.
const MAILS_AT_ONCE: usize = 4;

/// How long mails that are on the wire may take when a notifier is told to stop: one that is broken off is sent again.
const LAST_MAILS: Duration = Duration::from_secs(60);

/// How much more seldom it is looked for mails that are due than for changes: every second on this machine, every ten on AWS.
const LOOKS: u32 = 10;

/// How long one mail may take: a server may think for ten minutes before it says that it has it, and who gives up sooner sends it twice.
const LONGEST_MAIL: Duration = Duration::from_secs(11 * 60);

/// Consumers that run until they are told to stop.
#[derive(Debug, Default)]
#[must_use = "consumers run until they are stopped"]
pub struct Consumers(stream::Consumers);

impl Consumers {
    /// Nobody yet.
    pub fn none() -> Self {
        Consumers::default()
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
        few_at_once.options.grace = LAST_MAILS;
        self.notify("tasks-notifier", app, &few_at_once, notifier);
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

    /// A notifier, and who sends what it could not send at once.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn notify(
        &mut self,
        name: &'static str,
        app: &App,
        following: &Following,
        notifier: Notifier,
    ) {
        let (pause, last) = (following.options.poll * LOOKS, following.options.grace);
        let waiting = notifier.clone();
        waiting.attend();
        self.0
            .beside(move |stop| waiting.send_what_waits(pause, last, stop));
        self.follow(name, app, following, notifier);
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
        let table = &Task::descriptor().table;
        self.0.follow(name, app.store(), table, following, handler);
    }

    /// Lets all finish what they have begun.
    pub async fn stop(self) {
        self.0.stop().await;
    }
}

/// The names of all of them. A schedule calls `tasks-waiting-mails`; beside a server that is a part of the notifier.
pub const CONSUMERS: [&str; 7] = [
    "tasks-cleaner",
    "tasks-historian",
    "tasks-notifier",
    "tasks-waiting-mails",
    "tasks-events-log",
    "tasks-events-webhook",
    "tasks-events-bus",
];

/// The consumer of this name as a function; none where there is no such consumer, or the settings name nobody it could tell. Records of a
/// shard come one after another, so the order of each task holds.
pub fn as_function(name: &str, app: &App, options: Options, telling: Telling) -> Option<Function> {
    let name = CONSUMERS.into_iter().find(|known| *known == name)?;
    Some(match name {
        "tasks-cleaner" => function(name, app, options, Cleaner::new(app)),
        "tasks-historian" => function(name, app, options, Historian::new(&app.tasks)),
        "tasks-notifier" => {
            let notifier = Notifier::new(&app.tasks, telling.sending);
            let mut options = options;
            options.attempt = LONGEST_MAIL;
            function(name, app, options, notifier)
        }
        "tasks-waiting-mails" => waiting_mails(Notifier::new(&app.tasks, telling.sending)),
        "tasks-events-log" => {
            let publisher = Publisher::<TasksEvent, _>::new(telling.log?);
            function(name, app, options, publisher)
        }
        "tasks-events-webhook" => {
            let publisher = Publisher::<TasksEvent, _>::new(telling.webhook?);
            function(name, app, options, publisher)
        }
        _ => {
            let publisher = Publisher::<TasksEvent, _>::new(telling.bus?);
            function(name, app, options, publisher)
        }
    })
}

/// Sends what waited and is due. What may not end before the call does is left to the next one.
fn waiting_mails(notifier: Notifier) -> Function {
    whenever_called(move |deadline| {
        let notifier = notifier.clone();
        // A machine that has not run for so long has no such moment.
        let begins_until = deadline.checked_sub(LONGEST_MAIL);
        let begins_until = begins_until.unwrap_or_else(Instant::now);
        async move {
            let sent = notifier.send_what_is_due(Some(begins_until)).await;
            sent.map_err(|failure| failure.to_string())
        }
    })
}

fn function(name: &'static str, app: &App, options: Options, handler: impl Handler) -> Function {
    let table = &Task::descriptor().table;
    let consumer = LambdaConsumer::new(name, app.store(), table, options, handler);
    consumer.into_function()
}
