//! `tablewright events`: what happened, from a log, again.

use std::collections::BTreeSet;
use std::env;
use std::path::Path;

use jiff::Timestamp;
use tablewright_model::suggest;
use tablewright_stream::events::{Event, EventBridge, EventLog, Secret, Sink, Webhook};

use crate::Outcome;
use crate::arguments::events::{EventsArguments, EventsCommand, Span};
use crate::error::Failure;
use crate::output::Output;

const SECRET: &str = "TABLEWRIGHT_WEBHOOK_SECRET";

pub(crate) fn run(arguments: &EventsArguments, output: &mut Output) -> Result<Outcome, Failure> {
    match &arguments.command {
        EventsCommand::List(span) => {
            for event in events(span)? {
                output.print(&format!("{}\n", event?.to_json()))?;
            }
        }
        EventsCommand::Replay {
            span,
            webhook,
            eventbridge,
        } => {
            let runtime = tokio::runtime::Runtime::new().map_err(Failure::Server)?;
            runtime.block_on(async {
                match (webhook, eventbridge) {
                    (Some(url), _) => {
                        replay(span, &Webhook::new(url, vec![secret()?]), output).await
                    }
                    (None, Some(bus)) => {
                        let settings = tablewright_local::aws_settings().await;
                        replay(span, &EventBridge::new(&settings, bus), output).await
                    }
                    (None, None) => Ok(()),
                }
            })?;
        }
    }
    Ok(Outcome::Clean)
}

/// The events of a span, or why they cannot be read.
fn events(span: &Span) -> Result<impl Iterator<Item = Result<Event, Failure>>, Failure> {
    if !span.folder.is_dir() {
        let path = span.folder.display().to_string();
        return Err(Failure::NoLog { path });
    }
    let until = span.until.unwrap_or(Timestamp::MAX);
    let logged = EventLog::read(&span.folder, span.since, until).map_err(Failure::Log)?;
    if let Some(name) = &span.named {
        known(&span.folder, name)?;
    }
    let named = span.named.clone();
    let wanted = move |event: &Event| named.as_ref().is_none_or(|name| *name == event.detail_type);
    Ok(logged
        .map(|event| event.map_err(Failure::Log))
        .filter(move |event| event.as_ref().map_or(true, &wanted)))
}

/// Refuses a name that no event of the log has, whenever it happened: it is misspelt.
fn known(folder: &Path, name: &str) -> Result<(), Failure> {
    let mut others = BTreeSet::new();
    let all = EventLog::read(folder, Timestamp::UNIX_EPOCH, Timestamp::MAX);
    for event in all.map_err(Failure::Log)? {
        let event = event.map_err(Failure::Log)?;
        if event.detail_type == name {
            return Ok(());
        }
        others.insert(event.detail_type);
    }
    if others.is_empty() {
        return Ok(());
    }
    Err(Failure::NoSuchEvent {
        hint: suggest::hint(name, others.iter().map(String::as_str)),
        name: name.to_owned(),
    })
}

async fn replay(span: &Span, sink: &impl Sink, output: &mut Output) -> Result<(), Failure> {
    let mut told = 0;
    for event in events(span)? {
        let event = event?;
        let delivered = sink.deliver(&event).await;
        delivered.map_err(|why| Failure::NotDelivered {
            event: event.id.clone(),
            why: why.to_string(),
            told,
        })?;
        told += 1;
    }
    let events = if told == 1 {
        "event was"
    } else {
        "events were"
    };
    output.print(&format!("{told} {events} told again\n"))
}

fn secret() -> Result<Secret, Failure> {
    let text = env::var(SECRET).map_err(|_| Failure::NoSecret)?;
    text.parse().map_err(Failure::Secret)
}
