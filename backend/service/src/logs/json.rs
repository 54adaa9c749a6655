//! One flat JSON object a line: when, how bad, what, and everything the request it belongs to is known by.

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// Writes JSON lines.
pub(super) struct JsonLines<W> {
    service: &'static str,
    writer: fn() -> W,
    kind: PhantomData<W>,
}

impl<W> JsonLines<W> {
    pub(super) fn new(service: &'static str, writer: fn() -> W) -> Self {
        JsonLines {
            service,
            writer,
            kind: PhantomData,
        }
    }
}

/// The fields of a span.
struct Fields(Map<String, Value>);

impl<S, W> Layer<S> for JsonLines<W>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    W: Write + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Map::new();
        attributes.record(&mut Collect(&mut fields));
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(Fields(fields));
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(Fields(fields)) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(&mut Collect(fields));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut line = Map::new();
        line.insert("timestamp".into(), now().into());
        let level = event.metadata().level().as_str();
        line.insert("level".into(), level.into());
        line.insert("service".into(), self.service.into());
        line.insert("target".into(), event.metadata().target().into());
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(Fields(fields)) = span.extensions().get::<Fields>() {
                for (name, value) in fields {
                    // The innermost says it best.
                    line.entry(name).or_insert_with(|| value.clone());
                }
            }
        }
        event.record(&mut Collect(&mut line));
        let mut text = Value::Object(line).to_string();
        text.push('\n');
        // At once, so that lines of several threads do not mix. Where it cannot be written there is nobody to tell.
        let _ = (self.writer)().write_all(text.as_bytes());
    }
}

fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

struct Collect<'m>(&'m mut Map<String, Value>);

impl Collect<'_> {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Collect<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::io;

    use tracing_subscriber::Registry;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    thread_local! {
        static WRITTEN: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }

    struct Here;

    impl Write for Here {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            WRITTEN.with_borrow_mut(|written| written.extend_from_slice(bytes));
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_has_all_that_is_known_of_its_request_and_cannot_be_forged() {
        let lines = Registry::default().with(JsonLines::new("notes", || Here));
        tracing::subscriber::with_default(lines, || {
            let span =
                tracing::info_span!("request", request_id = "r-1", user = tracing::field::Empty);
            span.record("user", "ada");
            let _entered = span.enter();
            tracing::info!(status = 200_u16, duration_ms = 1.5, "answered");
            tracing::warn!(why = "a\n{\"level\":\"ERROR\"}", "odd");
        });
        let written = WRITTEN.take();
        let lines: Vec<Value> = String::from_utf8(written)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 2);
        let first = &lines[0];
        for (name, value) in [
            ("level", Value::from("INFO")),
            ("service", "notes".into()),
            ("message", "answered".into()),
            ("request_id", "r-1".into()),
            ("user", "ada".into()),
            ("status", 200.into()),
            ("duration_ms", 1.5.into()),
        ] {
            assert_eq!(first[name], value, "{name}");
        }
        let timestamp: jiff::Timestamp = first["timestamp"].as_str().unwrap().parse().unwrap();
        assert!(timestamp <= jiff::Timestamp::now());
        assert_eq!(lines[1]["level"], "WARN");
        assert_eq!(lines[1]["request_id"], "r-1");
    }
}
