//! `tablewright prove`: every access pattern run for real.

mod kept;
mod progress;

use std::cell::Cell;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::{Duration, Instant};

use tablewright_check::report::{self, Findings};
use tablewright_local::{Connection, Endpoint, Engine, connect};
use tablewright_model::Model;
use tablewright_prove::report::{Measure, json, text};
use tablewright_prove::{LeftBehind, Place, Proof, Settings, prove};

use self::kept::Kept;
use self::progress::Progress;
use crate::Outcome;
use crate::arguments::{ProveArguments, ProveFormat};
use crate::error::{Failure, shown};
use crate::input::{self, Input};
use crate::output::Output;
use crate::signals;

/// How long an index of an endpoint elsewhere may lag behind its table.
const SETTLES_WITHIN: Duration = Duration::from_secs(10);

pub(crate) fn run(arguments: &ProveArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let began = Instant::now();
    let subjects = match subjects(input::read(&arguments.models)?) {
        Ok(subjects) => subjects,
        Err(broken) => {
            match arguments.format {
                ProveFormat::Text => {
                    for findings in &broken {
                        output.print(&report::text::render(findings, output.style()))?;
                    }
                }
                ProveFormat::Json => output.print(&report::json::render(&broken))?,
            }
            return Ok(Outcome::Findings);
        }
    };
    // Before anything is run: what cannot be kept need not be proved.
    let kept = match arguments.keep || arguments.check {
        true => Some(Kept::find()?),
        false => None,
    };
    if let Some(kept) = &kept {
        for subject in &subjects {
            kept.folder(&subject.model.name.value)?;
            if arguments.keep {
                kept.may_be_written(&subject.model.name.value)?;
            }
        }
    }
    let runtime = tokio::runtime::Runtime::new().map_err(Failure::Server)?;
    let proving = prove_all(arguments, &subjects, kept.as_ref(), began, output);
    let outcome = runtime.block_on(proving);
    // What is still under way has nobody who waits for it.
    runtime.shutdown_timeout(Duration::from_secs(1));
    outcome
}

/// A model, and how it was named.
struct Subject {
    model: Model,
    named: String,
}

fn subjects(inputs: Vec<Input>) -> Result<Vec<Subject>, Vec<Findings>> {
    let mut subjects = Vec::new();
    let mut broken = Vec::new();
    for input in inputs {
        match tablewright_model::parse(input.file.text()) {
            Ok(model) => subjects.push(Subject {
                named: input
                    .path
                    .as_ref()
                    .map_or_else(|| "-".to_owned(), |path| shown(path)),
                model,
            }),
            Err(faults) => broken.push(Findings::new(input.file, faults)),
        }
    }
    if broken.is_empty() {
        Ok(subjects)
    } else {
        Err(broken)
    }
}

type Stopped = Pin<Box<dyn Future<Output = ()> + Send>>;

async fn prove_all(
    arguments: &ProveArguments,
    subjects: &[Subject],
    kept: Option<&Kept>,
    began: Instant,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    // From the first moment, so that nobody who stops it early leaves a table.
    let mut stopped: Stopped = Box::pin(signals::stop().map_err(Failure::Server)?);
    let mut proofs = Vec::new();
    let mut found = false;
    let mut left_behind = None;
    for subject in subjects {
        let name = &subject.model.name.value;
        let settings = match kept.filter(|_| arguments.check) {
            Some(kept) => kept.settings(name)?,
            None => Settings {
                items: arguments.items,
                seed: arguments.seed,
            },
        };
        let place = Ground::at(&arguments.endpoint).await?;
        let proved = prove_one(subject, settings, &place, &mut stopped).await;
        let (proof, left) = proved.map_err(|failure| named(failure, &arguments.endpoint))?;
        drop(place);
        if let Some(left) = left {
            output.print_beside(&format!("warning: {left}\n"));
            left_behind.get_or_insert(left);
        }
        found |= !proof.passes();
        if arguments.format == ProveFormat::Text {
            output.print(&told(arguments, subject, &proof, output))?;
        }
        if let Some(kept) = kept {
            let told = if arguments.check {
                let differences = kept.differences(&subject.model, &proof)?;
                found |= !differences.is_empty();
                differences
            } else {
                kept.write(&subject.model, &proof)?
            };
            match arguments.format {
                ProveFormat::Text => output.print(&told)?,
                ProveFormat::Json => output.print_beside(&told),
            }
        }
        proofs.push(proof);
    }
    let measure = Measure::since(began);
    match arguments.format {
        // Beside the answer, which is the same every time.
        ProveFormat::Text => output.print_beside(&format!("took {measure}\n")),
        ProveFormat::Json => output.print(&json::render_with(&proofs, measure))?,
    }
    // The proofs stand, and are kept; what they left is for somebody to remove.
    match left_behind {
        Some(left) => Err(Failure::LeftBehind(left)),
        None => Ok(Outcome::findings_if(found)),
    }
}

/// What people read: everything, or in a check that found all as it was, one line.
fn told(arguments: &ProveArguments, subject: &Subject, proof: &Proof, output: &Output) -> String {
    let style = output.style();
    let look = text::Look {
        color: style.color,
        width: style.width,
    };
    if arguments.check && proof.passes() {
        return format!("{}\n", text::summary(proof, look));
    }
    let mut told = text::render(proof, look);
    if !proof.passes() {
        let at = match &arguments.endpoint {
            Endpoint::Temporary => String::new(),
            endpoint => format!(" --endpoint {}", for_a_shell(&endpoint.to_string())),
        };
        told.push_str(&format!(
            "again: tablewright prove {} --items {} --seed {}{at}\n",
            for_a_shell(&subject.named),
            proof.settings.items,
            proof.settings.seed
        ));
    }
    told.push('\n');
    told
}

/// One word to a shell, in quotes where it would be several or another.
fn for_a_shell(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,@%+=".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Where one model is proved. A temporary engine goes with it, and its data.
struct Ground {
    place: Place,
    _connection: Option<Connection>,
    _engine: Option<Engine>,
}

impl Ground {
    async fn at(endpoint: &Endpoint) -> Result<Self, Failure> {
        if *endpoint == Endpoint::Temporary {
            let engine = Engine::temporary().map_err(Failure::Data)?;
            return Ok(Ground {
                place: Place::new(engine.dynamodb(), Duration::ZERO),
                _connection: None,
                _engine: Some(engine),
            });
        }
        let connection = connect(endpoint).await.map_err(Failure::Connect)?;
        let settles = match connection.engine {
            Some(_) => Duration::ZERO,
            None => SETTLES_WITHIN,
        };
        Ok(Ground {
            place: Place::new(connection.dynamodb.clone(), settles),
            _connection: Some(connection),
            _engine: None,
        })
    }
}

/// Proves a model, and removes its tables whatever became of that. A proof stands also where they could not be removed.
async fn prove_one(
    subject: &Subject,
    settings: Settings,
    ground: &Ground,
    stopped: &mut Stopped,
) -> Result<(Proof, Option<LeftBehind>), Failure> {
    let name = &subject.model.name.value;
    let progress = Progress::of(name);
    let place = &ground.place;
    let watch = |step, done, of| progress.tell(step, done, of);
    let proved = tokio::select! {
        proved = prove(&subject.model, settings, place, &watch) => Some(proved),
        () = &mut *stopped => None,
    };
    progress.clear();
    // The first signal ends the proof and not the clearing away; a second ends it for good.
    let interrupted = Cell::new(proved.is_none());
    let again = signals::stop().map_err(Failure::Server)?;
    let twice = async {
        if !interrupted.get() {
            stopped.await;
            interrupted.set(true);
        }
        again.await;
    };
    let cleared = tokio::select! {
        cleared = place.clear() => cleared,
        () = twice => return Err(Failure::LeftBehind(place.left_behind("it was interrupted"))),
    };
    match (proved, cleared) {
        (Some(Ok(_)), Ok(())) if interrupted.get() => Err(Failure::Interrupted),
        (Some(Ok(proof)), cleared) => Ok((proof, cleared.err())),
        (Some(Err(why)), Ok(())) => Err(Failure::Prove {
            model: name.clone(),
            endpoint: None,
            why: Box::new(why),
        }),
        (None, Ok(())) => Err(Failure::Interrupted),
        // Why it failed comes first; the endpoint that failed cannot be cleared either.
        (Some(Err(why)), Err(left)) => Err(Failure::ProveAndLeave {
            model: name.clone(),
            endpoint: None,
            why: Box::new(why),
            left,
        }),
        (None, Err(left)) => Err(Failure::LeftBehind(left)),
    }
}

/// A failure with the endpoint at which it happened.
fn named(failure: Failure, at: &Endpoint) -> Failure {
    let there = (*at != Endpoint::Temporary).then(|| at.to_string());
    match failure {
        Failure::Prove { model, why, .. } => Failure::Prove {
            model,
            endpoint: there,
            why,
        },
        Failure::ProveAndLeave {
            model, why, left, ..
        } => Failure::ProveAndLeave {
            model,
            endpoint: there,
            why,
            left,
        },
        other => other,
    }
}

/// Where a model's proof is kept, as the project says.
pub(super) fn files_of(folder: &std::path::Path) -> [PathBuf; 2] {
    [folder.join("proof.md"), folder.join("proof.json")]
}
