//! `tablewright generate`: every artefact of every model, written or verified.
//!
//! Everything is computed before anything is written: a refused change leaves all files as they were.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use tablewright_check::check_text;
use tablewright_check::report::{Findings, Summary, text};
use tablewright_emit::artefacts::{ArtefactError, Generated, Job, Places};
use tablewright_emit::proof::KeptProof;
use tablewright_emit::snapshots::Finding;
use tablewright_model::{Model, Severity};

use crate::Outcome;
use crate::arguments::GenerateArguments;
use crate::command::outdated;
use crate::error::{Failure, shown};
use crate::file;
use crate::input::{self, Input};
use crate::output::Output;
use crate::project::{Asked, Project};

pub(crate) fn run(arguments: &GenerateArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let project = Project::find()?.ok_or(Failure::NoProject)?;
    let asked = project.generate()?;
    let inputs = input::read_project(&project)?;
    let Some(models) = models(inputs, output)? else {
        return Ok(Outcome::Findings);
    };
    let (generated, faults) = generate(&project, &asked, &models)?;
    if !faults.is_empty() {
        output.print(&faults)?;
        output.print("nothing was written\n")?;
        return Ok(Outcome::Findings);
    }
    let refused = generated.findings.iter().any(Finding::refuses);
    if arguments.check || refused {
        return report(&generated, arguments.check, output);
    }
    write(&generated, output)
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

/// The files of every artefact that is asked for, of every model; and on lines what of a model cannot be generated.
fn generate(
    project: &Project,
    asked: &[Asked],
    models: &[Model],
) -> Result<(Generated, String), Failure> {
    let mut all = Generated::default();
    let mut faults = String::new();
    let mut used: Vec<PathBuf> = Vec::new();
    // Nothing is generated over what it is generated from.
    let mut taken: BTreeSet<PathBuf> = project.models().map(|model| plain(&model)).collect();
    taken.insert(plain(Path::new(&project.path())));
    let mut beside = Vec::new();
    for (model, source) in models.iter().zip(project.sources()) {
        let places = project.places(&model.name.value, source)?;
        let proof = kept_proof(&places)?;
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
    Ok((all, faults))
}

/// What `prove --keep` wrote of a model; none when it did not.
fn kept_proof(places: &Places) -> Result<Option<KeptProof>, Failure> {
    let Some(folder) = places.get("proof") else {
        return Ok(None);
    };
    let path = folder.join("proof.json");
    let Some(bytes) = stored(&path)? else {
        return Ok(None);
    };
    let proof = KeptProof::parse(&String::from_utf8_lossy(&bytes));
    proof.map(Some).map_err(|why| Failure::BadProof {
        path: shown(&path),
        why,
    })
}

/// A path without detours, so that one file has one.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            component => plain.push(component),
        }
    }
    plain
}

/// Writes the files that differ, and tells which.
fn write(generated: &Generated, output: &mut Output) -> Result<Outcome, Failure> {
    let mut current = 0;
    for (path, text) in &generated.files {
        if stored(path)?.as_deref() == Some(text.as_bytes()) {
            current += 1;
            continue;
        }
        let name = shown(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(Failure::unwritable(&name))?;
        }
        file::replace(path, text).map_err(Failure::unwritable(&name))?;
        let mut told = format!("wrote {name}\n");
        let findings = generated.findings.iter();
        for finding in findings.filter(|finding| finding.path == *path) {
            let details = finding.details();
            told.extend(details.iter().map(|line| format!("  {line}\n")));
        }
        output.print(&told)?;
    }
    for path in &generated.left_over {
        let name = shown(path);
        fs::remove_file(path).map_err(Failure::unwritable(&name))?;
        output.print(&format!("removed {name}: nothing generates it any more\n"))?;
    }
    for finding in generated
        .findings
        .iter()
        .filter(|f| !is_written(generated, f))
    {
        output.print(&format!("{finding}\n"))?;
    }
    if current > 0 {
        output.print(&format!("{} up to date\n", files(current)))?;
    }
    Ok(Outcome::Clean)
}

/// Says what is out of date, or why nothing is written.
fn report(generated: &Generated, check: bool, output: &mut Output) -> Result<Outcome, Failure> {
    let mut count = 0;
    for finding in &generated.findings {
        if check || finding.refuses() {
            count += 1;
            output.print(&format!("{finding}\n"))?;
        }
    }
    if !check {
        output.print("nothing was written\n")?;
        return Ok(Outcome::Findings);
    }
    for (path, text) in &generated.files {
        // What a finding speaks of has been told, and with it the version that is to be kept.
        if generated
            .findings
            .iter()
            .any(|finding| finding.is_about(path))
        {
            continue;
        }
        let stored = stored(path)?;
        if stored.as_deref() != Some(text.as_bytes()) {
            count += 1;
            let command = "tablewright generate";
            output.print(&outdated::told(
                &shown(path),
                stored.as_deref(),
                text,
                command,
            ))?;
        }
    }
    for path in &generated.left_over {
        count += 1;
        let name = shown(path);
        output.print(&format!(
            "{name} is left over: nothing generates it any more\n  help: run `tablewright generate`, which removes it\n"
        ))?;
    }
    if count == 0 {
        let all = files(generated.files.len());
        output.print(&format!("{all} up to date\n"))?;
    } else {
        let things = if count == 1 { "finding" } else { "findings" };
        output.print(&format!("{count} {things}\n"))?;
    }
    Ok(Outcome::findings_if(count > 0))
}

/// Whether generating has mended it.
fn is_written(generated: &Generated, finding: &Finding) -> bool {
    let mut files = generated.files.iter();
    files.any(|(path, _)| *path == finding.path)
}

/// What a file holds; nothing when there is none.
pub(crate) fn stored(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(why) => Err(Failure::unreadable(&shown(path))(why)),
    }
}

fn files(count: usize) -> String {
    if count == 1 {
        String::from("1 file")
    } else {
        format!("{count} files")
    }
}
