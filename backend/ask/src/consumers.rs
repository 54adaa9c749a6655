//! Those who work beside the server, or each as a function of AWS Lambda: notifications, deadlines, webhooks.

use std::time::{Duration, Instant};

use tablewright::Entity as _;
use tablewright_stream::events::Publisher;
use tablewright_stream::{
    Consumers, CountOut, Following, Function, LambdaConsumer, Options, whenever_called,
};

use crate::dispatcher::Dispatcher;
use crate::model::{AskEvent, Question};
use crate::state::App;
use crate::sweeper::Sweeper;
use crate::telling::Telling;
use crate::told::{AgentWebhooks, Trying};

/// Of how many questions people are told at once.
const QUESTIONS_AT_ONCE: usize = 4;

/// How often an agent's receiver is tried with an event, and how long is waited after the first time: half a minute at most if it refuses at once, a minute if it never answers.
const WEBHOOK_ATTEMPTS: u32 = 7;
const WEBHOOK_WAIT: Duration = Duration::from_millis(500);

/// How many events are sent at once, how many wait for another attempt, and past how many that have come to no end the stream is read on. Each agent has four at once: before others
/// wait, sixteen agents must be silent at the same time, or so many events wait.
const WEBHOOK_LANES: usize = 64;
const WEBHOOK_ASIDE: usize = 256;
const WEBHOOK_AHEAD: usize = 4000;

/// How often a receiver is tried under AWS Lambda. The records of a call share its time, so an agent whose last event was not taken within `WEBHOOK_SILENCE` is tried once with each.
const WEBHOOK_ATTEMPTS_IN_A_CALL: u32 = 5;
/// How long all of them may take: each as long as a receiver is waited for, and the waits between them.
const WEBHOOK_ATTEMPTS_TAKE: Duration = Duration::from_secs(90);
const WEBHOOK_SILENCE: Duration = Duration::from_secs(600);

/// What telling people of one question takes at most, and some more: the [pace](crate::Pace) of a line, what the last notification of it may take, and the claims.
const LONGEST_QUESTION: Duration = Duration::from_secs(120);

/// What marking one question takes at most.
const LONGEST_MARK: Duration = Duration::from_secs(30);

/// The names of all of them.
pub const CONSUMERS: [&str; 5] = [
    "ask-dispatcher",
    "ask-webhooks",
    "ask-places",
    "ask-catch-up",
    "ask-sweeper",
];

/// All of them: one line for each.
///
/// # Panics
/// Outside of a tokio runtime.
pub fn consumers(app: &App, following: &Following, telling: Telling) -> Consumers {
    let mut all = Consumers::none();
    let (store, table) = (app.store(), &Question::descriptor().table);

    let dispatcher = Dispatcher::new(&app.ask, telling.sending);
    let mut few_at_once = following.clone();
    few_at_once.options.lanes = QUESTIONS_AT_ONCE;
    all.follow(
        "ask-dispatcher",
        store,
        table,
        &few_at_once,
        dispatcher.clone(),
    );

    let webhooks = Publisher::<AskEvent, _>::new(AgentWebhooks::new(&app.ask));
    let mut patiently = following.clone();
    of_webhooks(&mut patiently.options);
    all.follow("ask-webhooks", store, table, &patiently, webhooks);

    all.follow("ask-places", store, table, following, places(app));

    all.every(telling.sweep_every, move || {
        let dispatcher = dispatcher.clone();
        async move {
            if let Err(error) = dispatcher.catch_up().await {
                tracing::warn!(%error, "questions that lack answers cannot be looked for");
            }
        }
    });

    let sweeper = Sweeper::new(app);
    all.every(telling.sweep_every, move || {
        let sweeper = sweeper.clone();
        async move {
            if let Err(error) = sweeper.sweep().await {
                tracing::warn!(%error, "questions that are over cannot be marked");
            }
        }
    });
    all
}

fn of_webhooks(options: &mut Options) {
    options.attempts = WEBHOOK_ATTEMPTS;
    options.first_wait = WEBHOOK_WAIT;
    options.lanes = WEBHOOK_LANES;
    options.aside = WEBHOOK_ASIDE;
    options.ahead = WEBHOOK_AHEAD;
}

/// The one of this name as a function of AWS Lambda; none where there is no such. The first three are called by the stream of questions, the others by a schedule.
pub fn as_function(
    name: &str,
    app: &App,
    mut options: Options,
    telling: Telling,
) -> Option<Function> {
    let name = CONSUMERS.into_iter().find(|known| *known == name)?;
    let (store, table) = (app.store(), &Question::descriptor().table);
    let dispatcher = || Dispatcher::new(&app.ask, telling.sending);
    Some(match name {
        "ask-dispatcher" => {
            LambdaConsumer::new(name, store, table, options, dispatcher()).into_function()
        }
        "ask-webhooks" => {
            let webhooks = AgentWebhooks::new(&app.ask).trying(Trying {
                attempts: WEBHOOK_ATTEMPTS_IN_A_CALL,
                first_wait: WEBHOOK_WAIT,
                silence: WEBHOOK_SILENCE,
            });
            let webhooks = Publisher::<AskEvent, _>::new(webhooks);
            options.attempts = 1;
            options.attempt = WEBHOOK_ATTEMPTS_TAKE;
            options.lanes = WEBHOOK_LANES;
            let consumer = LambdaConsumer::new(name, store, table, options, webhooks);
            consumer.side_by_side().into_function()
        }
        "ask-places" => {
            LambdaConsumer::new(name, store, table, options, places(app)).into_function()
        }
        "ask-catch-up" => {
            let dispatcher = dispatcher();
            whenever_called(move |deadline| {
                let dispatcher = dispatcher.clone();
                async move {
                    let until = before(deadline, LONGEST_QUESTION);
                    let caught_up = dispatcher.catch_up_until(Some(until)).await;
                    caught_up.map_err(in_words)
                }
            })
        }
        _ => {
            let sweeper = Sweeper::new(app);
            whenever_called(move |deadline| {
                let sweeper = sweeper.clone();
                async move {
                    let until = before(deadline, LONGEST_MARK);
                    let swept = sweeper.sweep_until(Some(until)).await;
                    swept.map(drop).map_err(in_words)
                }
            })
        }
    })
}

/// A question that DynamoDB deletes with its place, since nobody has marked it for a day, gives it back as well.
fn places(app: &App) -> CountOut {
    CountOut::new("ask-places", app.store()).of::<Question>()
}

/// So long before the end of a call. A machine that has not run for so long has no such moment.
fn before(deadline: Instant, time: Duration) -> Instant {
    deadline.checked_sub(time).unwrap_or_else(Instant::now)
}

fn in_words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
