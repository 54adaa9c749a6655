//! `tablewright generate`: every artefact of every model, written or verified.
//!
//! Everything is computed before anything is written: a refused change leaves all files as they were, and so does a file that cannot be
//! written.

mod target;
mod told;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tablewright_check::check_text;
use tablewright_check::report::{Findings, Summary, text};
use tablewright_emit::artefacts::{ArtefactError, Generated, Job, Places};
use tablewright_emit::on_disk;
use tablewright_emit::proof::KeptProof;
use tablewright_emit::snapshots::Finding;
use tablewright_model::{Model, Severity};

use crate::Outcome;
use crate::arguments::GenerateArguments;
use crate::error::{Failure, shown};
use crate::input::{self, Input};
use crate::output::Output;
use crate::project::{Asked, Project};

use target::{Targets, plain};

pub(crate) fn run(arguments: &GenerateArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let project = Project::find()?.ok_or(Failure::NoProject)?;
    let asked = project.generate()?;
    let inputs = input::read_project(&project)?;
    let Some(models) = models(inputs, output)? else {
        return Ok(Outcome::Findings);
    };
    let (generated, faults, stale) = generate(&project, &asked, &models)?;
    if !faults.is_empty() {
        output.print(&faults)?;
        output.print("nothing was written\n")?;
        return Ok(Outcome::Findings);
    }
    let refused = generated.findings.iter().any(Finding::refuses);
    if arguments.check || refused {
        return told::report(&generated, &stale, arguments.check, output);
    }
    let outcome = told::write(&generated, output)?;
    output.print(&stale.concat())?;
    Ok(outcome)
}

/// The models; none when one has errors, which are shown as `check` shows them.
fn models(inputs: Vec<Input>, output: &mut Output) -> Result<Option<Vec<Model>>, Failure> {
    let mut models = Vec::new();
    let mut broken = Vec::new();
    for input in inputs {
        let errors: Vec<_> = check_text(input.file.text())
            .into_iter()
            .filter(|found| found.severity == Severity::Error)
            .collect();
        match tablewright_model::parse(input.file.text()) {
            Ok(model) if errors.is_empty() => models.push(model),
            _ => broken.push(Findings::new(input.file, errors)),
        }
    }
    if broken.is_empty() {
        return Ok(Some(models));
    }
    for findings in &broken {
        output.print(&text::render(findings, output.style()))?;
    }
    output.print(&format!("{}\n", Summary::of(&broken)))?;
    output.print("nothing was generated: mend the models first\n")?;
    Ok(None)
}

/// The files of every artefact that is asked for, of every model; on lines what of a model cannot be generated; and what
/// kept proofs are of another design.
fn generate(
    project: &Project,
    asked: &[Asked],
    models: &[Model],
) -> Result<(Generated, String, Vec<String>), Failure> {
    let mut stale = Vec::new();
    let mut all = Generated::default();
    let mut faults = String::new();
    let mut used: Vec<PathBuf> = Vec::new();
    // Nothing is generated over what it is generated from.
    let mut taken: BTreeSet<PathBuf> = project.models().map(|model| plain(&model)).collect();
    taken.insert(plain(Path::new(&project.path())));
    let targets = Targets::of(project)?;
    let mut beside = Vec::new();
    for (model, source) in models.iter().zip(project.sources()) {
        let places = project.places(&model.name.value, source)?;
        let (proof, told) = kept_proof(&places, model, source)?;
        stale.extend(told);
        beside.push((places, proof));
    }
    for asked in asked {
        for ((model, source), (places, proof)) in models.iter().zip(project.sources()).zip(&beside)
        {
            let place = project.locate(asked.place(&model.name.value));
            if used.contains(&place) {
                return Err(Failure::SamePlace {
                    key: asked.artefact.name,
                    place: shown(&place),
                    project: project.path(),
                });
            }
            let job = Job {
                model,
                source,
                place: &place,
                places,
                proof: proof.as_ref(),
            };
            match (asked.artefact.generate)(&job) {
                Ok(generated) => {
                    for (path, _) in &generated.files {
                        if !taken.insert(plain(path)) {
                            return Err(Failure::SamePlace {
                                key: asked.artefact.name,
                                place: shown(path),
                                project: project.path(),
                            });
                        }
                        targets.may_be_written(path, asked.artefact.mark)?;
                    }
                    all.files.extend(generated.files);
                    all.findings.extend(generated.findings);
                    all.left_over.extend(generated.left_over);
                }
                Err(ArtefactError::Emit(why)) => faults.push_str(&format!("{source}: {why}\n")),
                Err(ArtefactError::Read(why)) => {
                    return Err(Failure::unreadable(&shown(&place))(why));
                }
            }
            used.push(place);
        }
    }
    Ok((all, faults, stale))
}

/// What `prove --keep` wrote of a model, and what is to be told of it: what was measured of another design is not shown. None where
/// nothing is kept.
fn kept_proof(
    places: &Places,
    model: &Model,
    source: &str,
) -> Result<(Option<KeptProof>, Option<String>), Failure> {
    let Some(folder) = places.get("proof") else {
        return Ok((None, None));
    };
    let path = folder.join("proof.json");
    let Some(bytes) = stored(&path)? else {
        return Ok((None, None));
    };
    let proof = KeptProof::parse(&String::from_utf8_lossy(&bytes));
    let proof = proof.map_err(|why| Failure::BadProof {
        path: shown(&path),
        why,
    })?;
    if proof.is_of(model) {
        return Ok((Some(proof), None));
    }
    let path = shown(&path);
    let told = format!(
        "{path} is of another design of {}, and what it measured is not shown; run `tablewright prove {source} --keep`, then `tablewright generate`\n",
        model.name
    );
    Ok((None, Some(told)))
}

/// What a file holds; nothing when there is none.
pub(crate) fn stored(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    on_disk::bytes(path).map_err(Failure::unreadable(&shown(path)))
}
