//! What `up` is told.

use std::path::PathBuf;

use clap::Args;
use tablewright_local::Endpoint;

/// What `up` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
What is started stands in tablewright.toml:

  [up]
  build = \"cargo build --release\"     run first

  [up.services.todo]
  run   = \"target/release/todo\"       a program, which finds its tables by TABLEWRIGHT_ENDPOINT
  port  = 8081
  demo  = \"demo/todo.toml\"            requests that make something to show

Ctrl-C stops it; what was written stays. Logs of the services are in the folder `logs` of the data.
Exit status: 0 it was stopped, 2 it could not run.

Examples:
  tablewright up                           http://127.0.0.1:8080 leads to everything
  tablewright up --port 9000               the front page is there instead
  tablewright up --data /tmp/fresh         with other data
  tablewright up --endpoint http://127.0.0.1:8000")]
pub(crate) struct UpArguments {
    /// The folder of data and logs, as seen from here [default: .tablewright beside tablewright.toml]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// Another DynamoDB instead of the engine: aws, or an address as http://127.0.0.1:8000
    #[arg(long, value_name = "ENDPOINT", value_parser = elsewhere)]
    pub(crate) endpoint: Option<Endpoint>,

    /// The port of the front page [default: the variable PORT, `port` of [up], or 8080]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,

    /// Start what was built before
    #[arg(long)]
    pub(crate) no_build: bool,

    /// Make something to show although this is not the first start
    #[arg(long, conflicts_with = "no_demo")]
    pub(crate) demo: bool,

    /// Make nothing to show at the first start
    #[arg(long)]
    pub(crate) no_demo: bool,
}

/// An endpoint that several programs can share.
fn elsewhere(text: &str) -> Result<Endpoint, String> {
    match text.parse::<Endpoint>() {
        Ok(endpoint @ (Endpoint::Aws | Endpoint::Url(_))) => Ok(endpoint),
        Ok(_) => Err(String::from(
            "one program at a time opens it: leave --endpoint out, and say where by --data",
        )),
        Err(why) => Err(why.to_string()),
    }
}
