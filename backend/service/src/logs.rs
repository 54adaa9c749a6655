//! The log: an object a line for programs, text for people.

mod json;

use std::io::{self, IsTerminal as _};
use std::sync::Once;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, Registry, fmt};

use self::json::JsonLines;
use crate::settings::{LogFormat, Settings};

static STARTED: Once = Once::new();

/// Begins to log to standard error, as the settings say. The first call in a process counts.
pub fn start_logs(settings: &Settings) {
    STARTED.call_once(|| {
        let filter: Targets = settings.log.parse().unwrap_or_default();
        let for_people = match settings.log_format {
            LogFormat::Json => false,
            LogFormat::Text => true,
            LogFormat::Auto => io::stderr().is_terminal(),
        };
        let layer = if for_people {
            fmt::layer()
                .with_writer(io::stderr)
                .with_ansi(io::stderr().is_terminal())
                .with_target(false)
                .compact()
                .boxed()
        } else {
            JsonLines::new(settings.about.name, io::stderr).boxed()
        };
        // The usual text of a panic is no line of the log, and does not say of which request it is.
        std::panic::set_hook(Box::new(|panic| {
            let at = panic.location().map(ToString::to_string);
            let why = panic.payload_as_str().unwrap_or("without a message");
            tracing::error!(at, why, "panicked");
        }));
        // Somebody else may log already; then they do.
        let _ = Registry::default()
            .with(layer.with_filter(filter))
            .try_init();
        for name in &settings.unknown {
            tracing::warn!(
                variable = name,
                "nobody reads this variable: is its name right?"
            );
        }
    });
}
