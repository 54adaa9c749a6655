//! The arguments of `lake`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use tablewright_local::Endpoint;

/// What `lake` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
A lake has every change of a model's tables and their current state, as Parquet files (docs/lake.md). A service with the setting `lake` writes it.
Exit status: 0 all is well, 1 a model has errors, 2 the command could not run.

Examples:
  tablewright lake status lake                       what is in it, and how far it has come
  tablewright lake compact lake todo --target 64MB   small files put together
  tablewright lake rebuild lake todo                 the current state, made from the tables
  tablewright lake rebuild lake todo --export AWSDynamoDB/01693685827463-2d8752fd
                                                     made from an export to S3 and the changes since, without reading the tables")]
pub(crate) struct LakeArguments {
    #[command(subcommand)]
    pub(crate) command: LakeCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LakeCommand {
    /// What is in a lake, and how far it has come
    Status(Where),
    /// Put small files of changes together
    Compact {
        #[command(flatten)]
        at: Where,

        /// How large files become, about: a number of bytes, or as 500KB, 64MB, 1GB
        #[arg(long, value_name = "SIZE", default_value = "128MB", value_parser = size)]
        target: u64,
    },
    /// Make the current state from the tables, or from exports of them
    Rebuild {
        #[command(flatten)]
        at: Where,

        /// How many files the state of an entity has [default: as it is, or 8]
        #[arg(long, value_name = "PARTS", value_parser = clap::value_parser!(u16).range(1..=1000))]
        parts: Option<u16>,

        /// Where the tables are: embedded:DIR, aws, or an address as http://127.0.0.1:8000 [default: TABLEWRIGHT_ENDPOINT, or embedded:.tablewright]
        #[arg(long, value_name = "ENDPOINT")]
        endpoint: Option<Endpoint>,

        /// A full export of a table to S3, in DynamoDB's JSON: the folder with its manifest-summary.json, on this machine or as s3://bucket/…; once for each table
        #[arg(long, value_name = "FOLDER")]
        export: Vec<String>,

        /// What the names of the tables begin with
        #[arg(long, value_name = "PREFIX", default_value = "")]
        table_prefix: String,
    },
}

/// Which lakes.
#[derive(Debug, Args)]
pub(crate) struct Where {
    /// Where the lakes are: a folder, or s3://bucket/prefix
    pub(crate) place: String,

    /// The models whose lakes are meant: files, or names of the project's [default: all of the project]
    #[arg(value_name = "MODEL")]
    pub(crate) models: Vec<PathBuf>,
}

/// A number of bytes, as people write it.
fn size(written: &str) -> Result<u64, String> {
    let digits = written.chars().take_while(char::is_ascii_digit).count();
    let (number, unit) = written.split_at(digits);
    let unit: u64 = match unit.trim().to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "KB" => 1 << 10,
        "MB" => 1 << 20,
        "GB" => 1 << 30,
        _ => return Err(String::from("a size is a number with KB, MB or GB")),
    };
    let number = number.parse::<u64>().ok().filter(|number| *number > 0);
    let bytes = number.and_then(|number| number.checked_mul(unit));
    bytes.ok_or_else(|| String::from("a size is a number with KB, MB or GB"))
}
