//! Why a command could not run, and what to do about it.

use std::fmt;
use std::io;
use std::path::Path;

use tablewright_emit::artefacts::ARTEFACTS;
use tablewright_emit::proof::ProofError;
use tablewright_emit::workbench::import::ImportError;
use tablewright_lake::LakeError;
use tablewright_local::{ConnectError, EndpointError, OpenError};
use tablewright_plan::bill::PricesError;
use tablewright_prove::{LeftBehind, ProveError};
use tablewright_service::{IssuerError, SettingsError};
use tablewright_stream::events::{BadSecret, LogError};
use tablewright_up::{PortOf, UpError};

/// What a project file says of a service, in a hint.
const A_SERVICE: &str = "\n  [up.services.NAME]\n  run  = \"target/release/NAME\"\n  port = 8081";

/// A reason to exit with 2.
#[derive(Debug)]
pub(crate) enum Failure {
    /// No model was named and there is no project file to name them.
    NoProject,
    /// Standard input is named twice, and can be read once.
    StandardInputTwice,
    /// The project file is not what it should be.
    BadProject { path: String, why: String },
    /// The table `[up]` of the project file is not what it should be.
    BadUp { path: String, why: String },
    /// The table `[generate]` of the project file is not what it should be.
    BadGenerate {
        path: String,
        why: String,
        hint: Option<String>,
    },
    /// The project file names no model.
    EmptyProject { path: String },
    /// A model that was asked for is not there.
    NoSuchModel {
        path: String,
        /// One of the project's that may have been meant.
        near: Option<String>,
    },
    /// A model that the project file names is not there.
    ModelGone { path: String, project: String },
    /// A folder has no models.
    EmptyFolder { path: String },
    /// A file exists and cannot be read.
    Unreadable { path: String, why: io::Error },
    /// A file is not text.
    NotUtf8 {
        path: String,
        /// The line with the first byte that is no text.
        line: usize,
    },
    /// A file cannot be written.
    Unwritable { path: String, why: io::Error },
    /// A file stands where one is to be generated, and was not generated.
    NotGenerated { path: String },
    /// A link leads out of the project from where something is to be generated.
    LeadsAway { path: String, to: String },
    /// `--fix` of standard input.
    NothingToFix,
    /// There is no such rule.
    NoSuchRule { name: String, near: Option<String> },
    /// There is no such pattern.
    NoSuchPattern { name: String, near: Option<String> },
    /// The name cannot be that of a model.
    BadName { name: String },
    /// There is no such consumer of a stream.
    NoSuchConsumer { name: String, known: Vec<String> },
    /// There is no such dead letter, or it cannot be read.
    NoLetter { event: String, why: String },
    /// There is no such log of events.
    NoLog { path: String },
    /// No event of a log has this name.
    NoSuchEvent { name: String, hint: Option<String> },
    /// A log of events cannot be read.
    Log(LogError),
    /// Somebody could not be told of an event.
    NotDelivered {
        event: String,
        why: String,
        /// How many were told before.
        told: usize,
    },
    /// There is no secret to sign with.
    NoSecret,
    /// The secret is none.
    Secret(BadSecret),
    /// The variable that names the endpoint names none.
    Endpoint(EndpointError),
    /// What consumers remember cannot be read.
    Store(tablewright::Error),
    /// A lake cannot be read or written.
    Lake(LakeError),
    /// A model cannot be used at run time.
    NoLakeOf { why: String },
    /// Exports are given, and not of which model's tables.
    ExportOfWhich,
    /// There are no tables where they are said to be.
    NoEngine { folder: String },
    /// The model to be written exists.
    Exists { path: String },
    /// Something else listens there.
    AddressInUse { address: String },
    /// The address cannot be listened on.
    CannotListen { address: String, why: io::Error },
    /// The data of the embedded engine cannot be opened.
    Data(OpenError),
    /// The subject of a token cannot be one.
    BadSubject { sub: String },
    /// The settings that say where the key of the development issuer is cannot be used.
    Settings(SettingsError),
    /// The development issuer has no key.
    Issuer(IssuerError),
    /// The server, or what it runs on, failed.
    Server(io::Error),
    /// There is no project file that says what to start.
    NoProjectToStart,
    /// The variable PORT is no port.
    BadPort { text: String },
    /// The project file does not say what to start.
    NothingToStart { path: String },
    /// What is to be started cannot be, or ended.
    Up(UpError),
    /// The project file does not say what to generate.
    NothingToGenerate { path: String },
    /// Two things would be generated into one place.
    SamePlace {
        /// The artefact, as the project file names it.
        key: &'static str,
        place: String,
        project: String,
    },
    /// A file of prices is not one.
    Prices { file: String, why: PricesError },
    /// The measurements that were kept of a model are not what `prove` writes.
    BadProof { path: String, why: ProofError },
    /// A file cannot become a model.
    NoImport { path: String, why: ImportError },
    /// There are no clients for an endpoint.
    Connect(ConnectError),
    /// A model could not be proved.
    Prove {
        model: String,
        /// Where, if it was not here.
        endpoint: Option<String>,
        why: Box<ProveError>,
    },
    /// The same, and its tables could not be removed.
    ProveAndLeave {
        model: String,
        endpoint: Option<String>,
        why: Box<ProveError>,
        left: LeftBehind,
    },
    /// The command was stopped before its end.
    Interrupted,
    /// Tables of a proof are still there.
    LeftBehind(LeftBehind),
    /// The project does not say where proofs are kept.
    NoPlaceForProofs { path: String },
    /// No proof is kept of a model.
    NoProof { path: String },
    /// The answer cannot be written.
    Output(io::Error),
}

impl Failure {
    /// For use with `map_err` where a file could not be read.
    pub(crate) fn unreadable(path: &str) -> impl FnOnce(io::Error) -> Self + '_ {
        |why| Failure::Unreadable {
            path: path.to_owned(),
            why,
        }
    }

    /// For use with `map_err` where a file could not be written.
    pub(crate) fn unwritable(path: &str) -> impl FnOnce(io::Error) -> Self + '_ {
        |why| Failure::Unwritable {
            path: path.to_owned(),
            why,
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Failure::NoProject => Some(String::from(
                "name a model, as in `tablewright check models/todo.toml`, or begin a project with `tablewright new NAME`",
            )),
            Failure::StandardInputTwice => Some(String::from(
                "write one of the models to a file, and name that",
            )),
            Failure::BadProject { .. } => Some(String::from(
                "it says which models there are: models = [\"models/todo.toml\"]",
            )),
            Failure::BadGenerate { hint, .. } => hint.clone(),
            Failure::EmptyProject { .. } => Some(String::from(
                "`tablewright new NAME` writes a model and adds it",
            )),
            Failure::NoSuchModel { near, .. } => near.as_ref().map(|near| did_you_mean(near)),
            Failure::ModelGone { project, .. } => {
                Some(format!("write it, or take it out of {project}"))
            }
            Failure::EmptyFolder { .. } => Some(String::from(
                "models are the files that end in .toml, in the folder itself",
            )),
            Failure::NotGenerated { .. } => Some(String::from(
                "move it away, or give what is generated another place in tablewright.toml",
            )),
            Failure::LeadsAway { .. } => Some(String::from(
                "replace the link by a folder of the project, or name the place itself in tablewright.toml",
            )),
            Failure::NotUtf8 { .. } => Some(String::from("save it as UTF-8")),
            Failure::Prices { .. } => Some(String::from("docs/costs.md shows such a file")),
            Failure::NothingToFix => Some(String::from("save the model to a file, and fix that")),
            Failure::NoSuchRule { near, .. } => Some(near.as_ref().map_or_else(
                || String::from("`tablewright explain` lists all rules"),
                |near| did_you_mean(near),
            )),
            Failure::NoSuchPattern { near, .. } => Some(near.as_ref().map_or_else(
                || String::from("`tablewright plan MODEL` shows all patterns"),
                |near| did_you_mean(near),
            )),
            Failure::NoProjectToStart => Some(format!(
                "go to the folder of a project, or begin one with `tablewright new NAME` and say in tablewright.toml what to start:{A_SERVICE}"
            )),
            Failure::BadUp { .. } => Some(format!("its table [up] says what to start:{A_SERVICE}")),
            Failure::BadPort { .. } => Some(String::from(
                "it is where the front page listens: take it away, or say `--port`",
            )),
            Failure::NothingToStart { .. } => Some(format!("say what:{A_SERVICE}")),
            Failure::Up(UpError::PortTaken { whose, .. }) => Some(format!(
                "stop what listens there, or choose another {}",
                whose.is_chosen_by()
            )),
            Failure::Up(UpError::NoPort { whose, .. }) => Some(format!(
                "choose another {}; those below 1024 may be the system's own",
                whose.is_chosen_by()
            )),
            Failure::Up(UpError::BadPlan { .. }) => {
                Some(format!("choose another {}", PortOf::Front.is_chosen_by()))
            }
            Failure::Up(UpError::Data(OpenError::Held { .. })) => Some(String::from(
                "stop it, or choose another folder with `--data`",
            )),
            Failure::Up(UpError::NoFolder { .. }) => Some(String::from(
                "name a folder, which is made if it is not there: --data FOLDER",
            )),
            Failure::Up(UpError::NoProgram { .. }) => Some(String::from(
                "`run` of its [up.services] names a program from the folder of tablewright.toml; `build` of [up] is run first, unless `--no-build` is said",
            )),
            Failure::NothingToGenerate { .. } => {
                let keys = ARTEFACTS.iter().map(|artefact| {
                    let (name, example) = (artefact.name, artefact.example);
                    format!("\n  {name} = \"{example}\"")
                });
                Some(format!(
                    "say what and where:\n  [generate]{}",
                    keys.collect::<String>()
                ))
            }
            Failure::SamePlace { key, project, .. } => Some(format!(
                "give every model a name of its own, and every artefact a place of its own: `{{model}}` in `{key}` of {project}"
            )),
            Failure::BadProof { .. } => Some(String::from(
                "run `tablewright prove --keep` again, or delete it: then nothing is said to be measured",
            )),
            Failure::NoImport { why, .. } => match why {
                ImportError::NotJson { .. }
                | ImportError::NotAModel
                | ImportError::OtherService { .. }
                | ImportError::Version { .. } => Some(String::from(
                    "export it from NoSQL Workbench for Amazon DynamoDB as a NoSQL Workbench model, of version 3.0",
                )),
                _ => None,
            },
            Failure::NoPlaceForProofs { .. } => Some(String::from(
                "say where: [generate] proof = \"docs/specs/jobs/{model}\"",
            )),
            Failure::NoProof { .. } => Some(String::from("`tablewright prove --keep` writes one")),
            Failure::LeftBehind(_) | Failure::ProveAndLeave { .. } => Some(String::from(
                "remove them by hand: their names begin with `tablewright-prove-`",
            )),
            Failure::BadName { .. } => Some(String::from(
                "a name begins with a letter and has letters, digits, `-` and `_`; the file becomes models/NAME.toml",
            )),
            Failure::Exists { .. } => Some(String::from(
                "choose another name, or delete the file first",
            )),
            Failure::AddressInUse { .. } => Some(String::from(
                "stop what listens there, or choose another with `--port`; `--port 0` takes any that is free",
            )),
            Failure::Data(OpenError::Held { .. }) => Some(String::from(
                "stop it, speak to it over its own address, or choose another folder with `--data`",
            )),
            Failure::Connect(ConnectError::Open(OpenError::Held { .. })) => Some(String::from(
                "`tablewright local` on the folder lets several in: give its address to both, with `--endpoint` or TABLEWRIGHT_ENDPOINT",
            )),
            Failure::BadSubject { .. } => Some(String::from(
                "it has 1 to 128 letters, digits and `-_.:@|+=/~`",
            )),
            Failure::NoSuchConsumer { known, .. } if known.is_empty() => {
                Some(String::from("no consumer has run here"))
            }
            Failure::NoSuchConsumer { known, .. } => {
                Some(format!("there are: {}", known.join(", ")))
            }
            Failure::NoLetter { .. } => Some(String::from(
                "`tablewright stream dead CONSUMER` lists them",
            )),
            Failure::NoLog { .. } => Some(String::from(
                "a service says with its setting `events_log` where its log is",
            )),
            Failure::NoSuchEvent { hint, .. } => hint.clone(),
            Failure::NotDelivered { told, .. } => Some(format!("{told} were told before it")),
            Failure::NoSecret | Failure::Secret(_) => Some(String::from(
                "set TABLEWRIGHT_WEBHOOK_SECRET, for example to whsec_$(openssl rand -base64 32)",
            )),
            Failure::NoEngine { .. } => Some(String::from(
                "`--endpoint`, or TABLEWRIGHT_ENDPOINT, names where the tables are: embedded:DIR, aws, or an address",
            )),
            Failure::ExportOfWhich => Some(String::from(
                "name it behind the lake: `tablewright lake rebuild lake todo --export FOLDER`",
            )),
            Failure::CannotListen { .. }
            | Failure::Endpoint(_)
            | Failure::Log(_)
            | Failure::Store(_)
            | Failure::Lake(_)
            | Failure::NoLakeOf { .. }
            | Failure::Settings(_)
            | Failure::Issuer(_)
            | Failure::Connect(_)
            | Failure::Prove { .. }
            | Failure::Up(_)
            | Failure::Interrupted
            | Failure::Data(_)
            | Failure::Server(_)
            | Failure::Unreadable { .. }
            | Failure::Unwritable { .. }
            | Failure::Output(_) => None,
        }
    }
}

fn at(endpoint: Option<&str>) -> String {
    endpoint.map_or_else(String::new, |endpoint| format!(" at {endpoint}"))
}

fn did_you_mean(near: &str) -> String {
    format!("did you mean `{near}`?")
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NoProject | Failure::NoProjectToStart => {
                write!(f, "there is no tablewright.toml here or in a folder above")
            }
            Failure::StandardInputTwice => {
                write!(
                    f,
                    "standard input (`-`) is named twice, and can be read once"
                )
            }
            Failure::BadProject { path, why } | Failure::BadUp { path, why } => {
                write!(f, "{path}: {why}")
            }
            Failure::EmptyProject { path } => write!(f, "{path} names no model"),
            Failure::NoSuchModel { path, .. } => write!(f, "there is no model {path}"),
            Failure::ModelGone { path, project } => {
                write!(f, "there is no {path}, which {project} names")
            }
            Failure::EmptyFolder { path } => write!(f, "there is no model in {path}"),
            Failure::Unreadable { path, why } => write!(f, "{path} cannot be read: {why}"),
            Failure::NotUtf8 { path, line } => {
                write!(f, "{path} is not UTF-8 text: see line {line}")
            }
            Failure::Unwritable { path, why } => write!(f, "{path} cannot be written: {why}"),
            Failure::NotGenerated { path } => write!(
                f,
                "{path} was not generated, so it is not written over: nothing was written"
            ),
            Failure::LeadsAway { path, to } => write!(
                f,
                "{path} is not written: a link leads out of the project, to {to}; nothing was written"
            ),
            Failure::NothingToFix => write!(f, "standard input cannot be fixed: it is no file"),
            Failure::NoSuchRule { name, .. } => write!(f, "there is no rule `{name}`"),
            Failure::NoSuchPattern { name, .. } => {
                write!(f, "there is no access pattern `{name}`")
            }
            Failure::BadName { name } => write!(f, "`{name}` cannot be the name of a model"),
            Failure::NoSuchConsumer { name, .. } => write!(f, "there is no consumer `{name}`"),
            Failure::NoLetter { event, why } => write!(f, "{event}: {why}"),
            Failure::NoLog { path } => write!(f, "there is no folder {path}"),
            Failure::NoSuchEvent { name, .. } => write!(f, "the log has no event `{name}`"),
            Failure::Log(why) => write!(f, "{why}"),
            Failure::NotDelivered { event, why, .. } => write!(f, "{event}: {why}"),
            Failure::NoSecret => write!(f, "there is no secret to sign with"),
            Failure::Secret(why) => write!(f, "{why}"),
            Failure::Endpoint(why) => write!(f, "{why}"),
            Failure::Store(why) => write!(f, "{why}"),
            Failure::Lake(why) => write!(f, "{why}"),
            Failure::NoLakeOf { why } => write!(f, "{why}"),
            Failure::ExportOfWhich => {
                f.write_str("an export is of the tables of one model, and it is not said of which")
            }
            Failure::NoEngine { folder } => write!(f, "there is no engine in {folder}"),
            Failure::Exists { path } => write!(f, "{path} exists already"),
            Failure::AddressInUse { address } => write!(f, "{address} is in use"),
            Failure::CannotListen { address, why } => {
                write!(f, "{address} cannot be listened on: {why}")
            }
            Failure::Data(why) => write!(f, "{why}"),
            Failure::BadSubject { sub } => write!(f, "`{sub}` cannot be the subject of a token"),
            Failure::Settings(why) => write!(f, "{why}"),
            Failure::Issuer(why) => write!(f, "{why}"),
            Failure::Server(why) => write!(f, "the server failed: {why}"),
            Failure::BadPort { text } => write!(
                f,
                "the variable PORT is `{text}`, which is no port: a number from 0 to 65535"
            ),
            Failure::NothingToStart { path } => write!(f, "{path} does not say what to start"),
            Failure::Up(why) => write!(f, "{why}"),
            Failure::NothingToGenerate { path } => {
                write!(f, "{path} does not say what to generate")
            }
            Failure::SamePlace { key, place, .. } => {
                write!(
                    f,
                    "`{key}` would be generated into {place}, which is the place of something else"
                )
            }
            Failure::BadGenerate { path, why, .. } => write!(f, "{path}: {why}"),
            Failure::Prices { file, why } => write!(f, "{file} is no file of prices: {why}"),
            Failure::BadProof { path, why } => write!(f, "{path} is no proof: {why}"),
            Failure::NoImport { path, why } => write!(f, "{path} cannot become a model: {why}"),
            Failure::Connect(why) => write!(f, "{why}"),
            Failure::Prove {
                model,
                endpoint,
                why,
            } => {
                let at = at(endpoint.as_deref());
                write!(f, "{model} could not be proved{at}: {why}")
            }
            Failure::ProveAndLeave {
                model,
                endpoint,
                why,
                left,
            } => {
                let at = at(endpoint.as_deref());
                write!(f, "{model} could not be proved{at}: {why}; and {left}")
            }
            Failure::Interrupted => write!(f, "interrupted; the tables of the proof are removed"),
            Failure::LeftBehind(why) => write!(f, "{why}"),
            Failure::NoPlaceForProofs { path } => {
                write!(f, "{path} does not say where proofs are kept")
            }
            Failure::NoProof { path } => write!(f, "there is no {path}"),
            Failure::Output(why) => write!(f, "the answer cannot be written: {why}"),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Failure::Unreadable { why, .. }
            | Failure::Unwritable { why, .. }
            | Failure::CannotListen { why, .. }
            | Failure::Server(why)
            | Failure::Output(why) => Some(why),
            Failure::Data(why) => why.source(),
            Failure::Issuer(why) => why.source(),
            Failure::BadProof { why, .. } => Some(why),
            _ => None,
        }
    }
}

/// A path as it is shown: with `/` on every system, so that reports do not differ.
pub(crate) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.into_owned()
    }
}

/// The path of standard input on the command line.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}
