//! The arguments of `events`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use jiff::{SpanRelativeTo, Timestamp};

/// What `events` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
A service that publishes events to a log keeps them there for a while (docs/streams.md). They are told again with the ids they had.
Exit status: 0 all is well, 2 the command could not run; what was sent until then is said.

Examples:
  tablewright events list .tablewright/events/tasks --since 2h
  tablewright events list .tablewright/events/tasks --since 2026-03-01T12:00:00Z --until 2026-03-01T13:00:00Z
  tablewright events replay .tablewright/events/tasks --type TaskAssigned --webhook https://example.org/hook
  tablewright events replay .tablewright/events/tasks --since 7d --eventbridge my-bus")]
pub(crate) struct EventsArguments {
    #[command(subcommand)]
    pub(crate) command: EventsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommand {
    /// Events of a log, an object a line
    List(Span),
    /// Tell somebody of events again
    Replay {
        #[command(flatten)]
        span: Span,

        /// An address that gets them by POST, signed with the secret in TABLEWRIGHT_WEBHOOK_SECRET
        #[arg(long, value_name = "URL", required_unless_present = "eventbridge")]
        webhook: Option<String>,

        /// A bus of Amazon EventBridge
        #[arg(long, value_name = "BUS", conflicts_with = "webhook")]
        eventbridge: Option<String>,
    },
}

/// Which events.
#[derive(Debug, Args)]
pub(crate) struct Span {
    /// The folder of the log
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,

    /// From when on: a moment, or how long ago, as 30m, 2h or 7d
    #[arg(long, value_name = "WHEN", default_value = "1h", value_parser = moment)]
    pub(crate) since: Timestamp,

    /// Before when
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(crate) until: Option<Timestamp>,

    /// Only events of this name
    #[arg(long = "type", value_name = "EVENT")]
    pub(crate) named: Option<String>,
}

fn moment(text: &str) -> Result<Timestamp, String> {
    if let Ok(moment) = text.parse() {
        return Ok(moment);
    }
    let ago = text.parse::<jiff::Span>().ok().and_then(|span| {
        let span = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
        Timestamp::now().checked_sub(span).ok()
    });
    ago.ok_or_else(|| {
        String::from("neither a moment, as 2026-03-01T12:00:00Z, nor how long ago, as 2h")
    })
}
