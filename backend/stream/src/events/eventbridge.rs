//! A sink: a bus of Amazon EventBridge.

use aws_sdk_eventbridge::error::{DisplayErrorContext, ProvideErrorMetadata as _};
use aws_sdk_eventbridge::primitives::DateTime;
use aws_sdk_eventbridge::types::{PutEventsRequestEntry, PutEventsResultEntry};
use aws_sdk_eventbridge::{Client, Config};

use super::event::Event;
use super::publisher::Sink;
use super::together::Together;
use crate::handler::Failure;

/// How many events a request takes.
const MOST: usize = 10;

/// How many bytes they may have together.
const LARGEST: usize = 256 * 1024;

/// What an entry has for its time.
const TIME: usize = 14;

/// Puts events on a bus, as many in a request as are there.
#[derive(Debug)]
pub struct EventBridge {
    together: Together<Event>,
}

impl EventBridge {
    /// The bus of this name or ARN. The settings of the SDK say how EventBridge is reached.
    pub fn new(settings: impl Into<Config>, bus: impl Into<String>) -> Self {
        let (client, bus) = (Client::from_conf(settings.into()), bus.into());
        let put = move |events: Vec<Event>| {
            let (client, bus) = (client.clone(), bus.clone());
            async move { put_all(&client, &bus, &events).await }
        };
        EventBridge {
            together: Together::new(MOST, put),
        }
    }
}

impl Sink for EventBridge {
    async fn deliver(&self, event: &Event) -> Result<(), Failure> {
        let size = size(event);
        if size > LARGEST {
            return Err(Failure::Record(format!(
                "the event has {size} bytes, and EventBridge takes {LARGEST}"
            )));
        }
        self.together.one(event.clone()).await
    }
}

/// Puts them in as few requests as their sizes allow.
async fn put_all(client: &Client, bus: &str, events: &[Event]) -> Vec<Result<(), Failure>> {
    let mut results = Vec::new();
    let mut rest = events;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = rest.iter().take_while(|event| {
            bytes += size(event);
            bytes <= LARGEST
        });
        let (now, later) = rest.split_at(fits.count().max(1));
        results.extend(put(client, bus, now).await);
        rest = later;
    }
    results
}

async fn put(client: &Client, bus: &str, events: &[Event]) -> Vec<Result<(), Failure>> {
    let entries = events.iter().map(|event| entry(bus, event)).collect();
    let sent = client.put_events().set_entries(Some(entries)).send().await;
    match sent {
        Ok(answer) => {
            let mut answers = answer.entries.unwrap_or_default().into_iter();
            let unanswered = || {
                Err(Failure::World(String::from(
                    "EventBridge said nothing of it",
                )))
            };
            let each = events.iter();
            each.map(|_| answers.next().map_or_else(unanswered, judged))
                .collect()
        }
        // The request as a whole is refused for who we are, what it is like or how much there is, not for one event.
        Err(error) => {
            let code = error.code().unwrap_or("no answer");
            let why = match error.message() {
                Some(message) => format!("EventBridge: {code}: {message}"),
                None => format!("EventBridge: {code}: {}", DisplayErrorContext(&error)),
            };
            vec![Err(Failure::World(why)); events.len()]
        }
    }
}

fn judged(answer: PutEventsResultEntry) -> Result<(), Failure> {
    let Some(code) = answer.error_code else {
        return Ok(());
    };
    let why = format!(
        "EventBridge: {code}: {}",
        answer.error_message.unwrap_or_default()
    );
    match code.as_str() {
        "MalformedDetail" | "InvalidArgument" | "ValidationException" => Err(Failure::Record(why)),
        _ => Err(Failure::World(why)),
    }
}

fn entry(bus: &str, event: &Event) -> PutEventsRequestEntry {
    PutEventsRequestEntry::builder()
        .event_bus_name(bus)
        .source(&event.source)
        .detail_type(&event.detail_type)
        .time(DateTime::from_millis(event.time.as_millisecond()))
        .detail(detail(event))
        .build()
}

fn detail(event: &Event) -> String {
    serde_json::Value::Object(event.detail.clone()).to_string()
}

/// As EventBridge counts.
fn size(event: &Event) -> usize {
    TIME + event.source.len() + event.detail_type.len() + detail(event).len()
}
