//! The arguments of `stream`.

use clap::{Args, Subcommand};
use tablewright_local::Endpoint;

/// What `stream` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
Consumers keep in the table tablewright-stream who reads which shard, how far, and what they could not handle (docs/streams.md).
One process opens a data folder at a time: of an embedded endpoint, stop its services first, or name the address of `tablewright local`.
Exit status: 0 all is well, 1 there are dead letters, 2 the command could not run.

Examples:
  tablewright stream status                          consumers, their shards, their dead letters
  tablewright stream dead mailer                     what the consumer mailer could not handle
  tablewright stream show mailer EVENT               the record, as JSON
  tablewright stream replay mailer EVENT             try it again, once a consumer of that name runs
  tablewright stream replay mailer --all
  tablewright stream forget mailer EVENT")]
pub(crate) struct StreamArguments {
    #[command(subcommand)]
    pub(crate) command: StreamCommand,

    /// Where: embedded:DIR, aws, or an address as http://127.0.0.1:8000 [default: TABLEWRIGHT_ENDPOINT, or embedded:.tablewright]
    #[arg(long, global = true, value_name = "ENDPOINT")]
    pub(crate) endpoint: Option<Endpoint>,

    /// What the names of the tables begin with
    #[arg(long, global = true, value_name = "PREFIX", default_value = "")]
    pub(crate) table_prefix: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StreamCommand {
    /// Consumers, the shards they read, and how many dead letters they have
    Status,
    /// What a consumer could not handle
    Dead {
        /// The name of the consumer
        consumer: String,
    },
    /// One record that could not be handled, as JSON
    Show {
        /// The name of the consumer
        consumer: String,
        /// The id of the event, as `dead` shows it
        event: String,
    },
    /// Ask that records be tried again
    Replay(Which),
    /// Forget records that could not be handled
    Forget(Which),
}

/// Which dead letters.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The name of the consumer
    pub(crate) consumer: String,

    /// The id of the event, as `dead` shows it
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub(crate) event: Option<String>,

    /// All of the consumer's
    #[arg(long)]
    pub(crate) all: bool,
}
