//! The command line.

pub(crate) mod events;
pub(crate) mod lake;
pub(crate) mod stream;
pub(crate) mod up;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tablewright_local::Endpoint;
use tablewright_model::Severity;

/// Write the data model once: check it, plan it, generate from it, keep it tidy.
#[derive(Debug, Parser)]
#[command(
    name = "tablewright",
    version,
    about = "A model-first toolkit for DynamoDB",
    after_help = "\
Without a MODEL a command reads tablewright.toml, here or in a folder above.
Exit status: 0 all is well, 1 something was found, 2 the command could not run.

Examples:
  tablewright new shop                     a model to start from
  tablewright check                        every model of the project
  tablewright plan todo tasks_due          how one pattern is answered
  tablewright prove todo                   every pattern run, its answer compared, its cost measured
  tablewright explain open-prefix          what a rule finds, and why it hurts
  tablewright up                           everything the project runs, on this machine
  tablewright local                        a DynamoDB on this machine
  tablewright token --sub ada              a token for a service on this machine"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colours. NO_COLOR and CLICOLOR_FORCE are respected.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find modelling mistakes, with what to write instead
    Check(CheckArguments),
    /// Show how each access pattern is answered: request, condition, cost
    Plan(PlanArguments),
    /// Run every access pattern for real, and compare it with what it means
    Prove(ProveArguments),
    /// Write the generated files, or verify them
    Generate(GenerateArguments),
    /// Explain a rule, or list them all
    Explain(ExplainArguments),
    /// Write models in their canonical form, comments kept
    Fmt(FmtArguments),
    /// Write a model to start from
    New(NewArguments),
    /// Make a model of a data model of NoSQL Workbench
    Import(ImportArguments),
    /// Print the JSON Schema of the model language, for editors
    Schema,
    /// Start the engine, the services and a front page, with something to show
    Up(up::UpArguments),
    /// Serve DynamoDB from a folder of this machine, for every SDK and tool
    Local(LocalArguments),
    /// Print a token for a service of this machine
    Token(TokenArguments),
    /// Show what consumers of change streams do, and try again what they could not
    Stream(stream::StreamArguments),
    /// Show the events of a log, and tell somebody of them again
    Events(events::EventsArguments),
    /// Show what is in a data lake, put its files together, make its state anew
    Lake(lake::LakeArguments),
}

/// What `check` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 clean or notes only, 1 errors or warnings, 2 the command could not run.

Examples:
  tablewright check                              every model tablewright.toml names
  tablewright check todo                         the project's model of that name
  tablewright check models/todo.toml other/      a file, and every .toml file in a folder
  tablewright check --fix                        mend what can be mended mechanically
  tablewright check --format sarif > check.sarif
  cat todo.toml | tablewright check -            standard input")]
pub(crate) struct CheckArguments {
    /// Files, folders, names of the project's models, or `-` for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) models: Vec<PathBuf>,

    /// How findings are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: CheckFormat,

    /// Apply the fixes that are mechanical, then report what is left
    #[arg(long)]
    pub(crate) fix: bool,

    /// The least severity that counts as a finding for the exit status
    #[arg(long, value_name = "SEVERITY", default_value = "warning")]
    pub(crate) fail_on: FailOn,

    /// The same as `--fail-on warning`, which is the default
    #[arg(long, conflicts_with = "fail_on", hide = true)]
    pub(crate) deny_warnings: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people.
    Text,
    /// For programs: {"diagnostics": […]}.
    Json,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FailOn {
    /// Only errors.
    Error,
    /// Errors and warnings.
    Warning,
    /// Everything.
    Note,
}

impl FailOn {
    pub(crate) fn severity(self) -> Severity {
        match self {
            FailOn::Error => Severity::Error,
            FailOn::Warning => Severity::Warning,
            FailOn::Note => Severity::Note,
        }
    }
}

/// What `plan` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 every pattern is answered, 1 one is not or the model has errors, 2 the command could not run.

Examples:
  tablewright plan                         every pattern of every model of the project
  tablewright plan todo                    every pattern of one model
  tablewright plan models/todo.toml tasks_due --format json
  tablewright plan todo --cost             what a month costs at the declared rates
  tablewright plan todo --against old.toml what another design would cost under the same load")]
pub(crate) struct PlanArguments {
    /// A file, a folder, the name of one of the project's models, or `-` for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,

    /// The access pattern to show; all of them unless given
    #[arg(value_name = "PATTERN")]
    pub(crate) pattern: Option<String>,

    /// Show what a month costs instead: units and money of each pattern, table and index
    #[arg(long, conflicts_with = "pattern", group = "priced")]
    pub(crate) cost: bool,

    /// Hold the cost against another model of the same thing, which gets the same load
    #[arg(
        long,
        value_name = "MODEL",
        requires = "model",
        conflicts_with = "pattern",
        group = "priced"
    )]
    pub(crate) against: Option<PathBuf>,

    /// A file of prices of another region or day, for --cost and --against
    #[arg(long, value_name = "FILE", requires = "priced")]
    pub(crate) prices: Option<PathBuf>,

    /// How plans are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PlanFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanFormat {
    /// For people.
    Text,
    /// For programs: {"patterns": […]}.
    Json,
}

/// What `prove` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
Data is made from the model: skewed, hanging together, with awkward values. It is written as
services write it, into tables of its own that are removed at the end, also after Ctrl-C. Every
read is asked with many values, in pages of several sizes, and every answer is compared with what
the pattern means; every write is done, and refused where it must be. Costs are what the engine
reports, at two sizes ten-fold apart.

Exit status: 0 everything is proved, 1 a proof failed or differs from the kept one,
2 the command could not run, or its tables could not be removed: then the proofs
are told and kept all the same.

Examples:
  tablewright prove                              every model tablewright.toml names
  tablewright prove todo --items 1000            one model, with 1,000 items and then 10,000
  tablewright prove todo --seed 7                the same data again, on any machine
  tablewright prove --endpoint http://127.0.0.1:8000
  tablewright prove --keep                       write proof.md and proof.json into the project
  tablewright prove --check                      prove again, and compare with what is kept
  tablewright prove --format json > proof.json")]
pub(crate) struct ProveArguments {
    /// Files, folders, names of the project's models, or `-` for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) models: Vec<PathBuf>,

    /// Items in the small table, about; the large one has ten times as many
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) items: usize,

    /// What the data is made from: the same seed, the same data
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Where: embedded:DIR, temporary, aws, or an address as http://127.0.0.1:8000
    #[arg(long, value_name = "ENDPOINT", default_value = "temporary")]
    pub(crate) endpoint: Endpoint,

    /// How proofs are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ProveFormat,

    /// Write proof.md and proof.json into the place the project has for them
    #[arg(long)]
    pub(crate) keep: bool,

    /// Prove with the size and the seed of the kept proofs; tell what differs and exit with 1
    #[arg(long, conflicts_with_all = ["keep", "items", "seed"])]
    pub(crate) check: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProveFormat {
    /// For people.
    Text,
    /// For programs: {"models": […], "patterns": […], "heat": […], "run": {…}}.
    Json,
}

/// What `generate` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
What is generated, and where, stands in tablewright.toml; {model} is the name of each model:

  [generate]
  schema = \"backend/schema/{model}\"        a folder: the shapes of stored items, as JSON Schema
  rust   = \"backend/{model}/src/model.rs\"  a file: types, keys and repositories

And for people and other tools: `typescript`, types of entities and items; `workbench`, the model for NoSQL Workbench.

A change of shape with which stored items could not be read is refused, and nothing is written, until `data_version` is raised.

Exit status: 0 all is up to date now, 1 something is not (with --check), was refused or a model has errors, 2 the command could not run.

Examples:
  tablewright generate                     write what differs
  tablewright generate --check             change nothing, tell what would change")]
pub(crate) struct GenerateArguments {
    /// Change nothing; tell what is out of date and exit with 1
    #[arg(long)]
    pub(crate) check: bool,
}

/// What `explain` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tablewright explain                      every rule, by group
  tablewright explain open-prefix          one rule: what, why, bad, good")]
pub(crate) struct ExplainArguments {
    /// The name or the code of a rule
    #[arg(value_name = "RULE")]
    pub(crate) rule: Option<String>,
}

/// What `fmt` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 all is canonical now, 1 a file is not (with --check) or is not TOML, 2 the command could not run.

Examples:
  tablewright fmt                          every model of the project
  tablewright fmt --check                  change nothing, name what would change
  tablewright fmt - < draft.toml           standard input to standard output")]
pub(crate) struct FmtArguments {
    /// Files, folders, names of the project's models, or `-` for standard input to standard output
    #[arg(value_name = "MODEL")]
    pub(crate) models: Vec<PathBuf>,

    /// Change nothing; name the files that are not canonical and exit with 1
    #[arg(long)]
    pub(crate) check: bool,
}

/// What `new` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
Writes models/NAME.toml beside tablewright.toml and adds it there; without a project file, it writes one here.

Examples:
  tablewright new shop                     one table of many entities
  tablewright new shop --table-per-entity  a table for each entity, natural key names")]
pub(crate) struct NewArguments {
    /// The name of the model: letters, digits, `-` and `_`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// Several entities in one table, with generic key names (the default)
    #[arg(long, conflicts_with = "table_per_entity")]
    pub(crate) single_table: bool,

    /// A table for each entity, with natural key names
    #[arg(long)]
    pub(crate) table_per_entity: bool,
}

/// What `import` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
Reads a data model that NoSQL Workbench for Amazon DynamoDB exported and writes models/NAME.toml beside tablewright.toml, as `new` does.
Tables, keys, indexes, projections and capacity are taken over; facets become entities; types and key templates come from the sample data.
What could not be kept, or was guessed, is listed on standard error and in the file. A model that is there is never written over.

Examples:
  tablewright import shop.json               the name is that of the data model
  tablewright import shop.json --name shop   models/shop.toml")]
pub(crate) struct ImportArguments {
    /// The exported file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The name of the model; that of the data model unless given
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// What `local` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
Any credentials and any region do: signatures are not checked, so keep to loopback.
One process opens a data folder at a time. Ctrl-C stops it; what was written stays.
Exit status: 0 it was stopped, 2 it could not run.

Examples:
  tablewright local                        http://127.0.0.1:8000, data in .tablewright
  tablewright local --port 0 --temporary   a free port, and data that goes with it
  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000")]
pub(crate) struct LocalArguments {
    /// The port to listen on; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 8000)]
    pub(crate) port: u16,

    /// The address to listen on
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    pub(crate) host: String,

    /// The folder of the data; it is made if it is not there
    #[arg(long, value_name = "DIR", default_value = tablewright_local::DEFAULT_DIRECTORY)]
    pub(crate) data: PathBuf,

    /// Keep the data in a folder that is removed at the end
    #[arg(long, conflicts_with = "data")]
    pub(crate) temporary: bool,
}

/// What `token` is told.
#[derive(Debug, Args)]
#[command(after_help = "\
A service without an issuer takes such tokens, and listens on loopback only. Its key is in issuer.key of the data folder, and
is made if it is not there. Whoever can read it can make tokens: they are for development.
Exit status: 0 the token is printed, 2 the command could not run.

Examples:
  tablewright token --sub ada
  tablewright token --sub ada --email ada@example.org --group admins --group staff
  curl -H \"Authorization: Bearer $(tablewright token --sub ada)\" http://127.0.0.1:8081/api/v1/tasks")]
pub(crate) struct TokenArguments {
    /// Who it is for: the subject, by which a service knows people
    #[arg(long, value_name = "NAME")]
    pub(crate) sub: String,

    /// Their address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) email: Option<String>,

    /// Their name, for people to read
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// A group they are in; may be given several times
    #[arg(long = "group", value_name = "GROUP")]
    pub(crate) groups: Vec<String>,

    /// For how long it is good
    #[arg(long, value_name = "HOURS", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=8760))]
    pub(crate) hours: u32,

    /// The folder of the key [default: that of the service: TABLEWRIGHT_ISSUER_KEYS, the data folder, or .tablewright]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}
