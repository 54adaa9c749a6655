//! Every artefact, one line each: what the table `[generate]` of a project may ask for.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use tablewright_model::Model;

use crate::proof::KeptProof;
use crate::snapshots::{self, Finding};
use crate::{
    EmitError, charts, cloudformation, diagrams, export, iam, patterns, relationships, review,
    rust, typescript, workbench,
};

/// Everything that can be generated, in the order in which it is.
#[rustfmt::skip]
pub static ARTEFACTS: &[Artefact] = &[
    Artefact { name: "schema", example: "backend/schema/{model}", generate: snapshots_of },
    Artefact { name: "charts", example: "docs/specs/jobs/{model}", generate: |job| charts::generate(job).map_err(ArtefactError::Read) },
    Artefact { name: "relationships", example: "docs/specs/jobs/{model}/relationship-decisions.md", generate: |job| job.document(relationships::page) },
    Artefact { name: "patterns", example: "docs/specs/jobs/{model}/access-patterns.md", generate: |job| job.document(patterns::page) },
    Artefact { name: "review", example: "docs/specs/jobs/{model}/anti-pattern-review.md", generate: |job| review::generate(job).map_err(ArtefactError::Read) },
    Artefact { name: "diagrams", example: "docs/specs/jobs/{model}/diagrams.md", generate: |job| job.document(diagrams::page) },
    Artefact { name: "rust", example: "backend/{model}/src/model.rs", generate: |job| job.file(rust::module) },
    Artefact { name: "cloudformation", example: "infrastructure/models/{model}.template.json", generate: |job| job.file(cloudformation::template) },
    Artefact { name: "iam", example: "infrastructure/models/{model}.iam.json", generate: |job| job.file(iam::template) },
    Artefact { name: "export", example: "infrastructure/models/{model}.json", generate: |job| job.file(export::export) },
    Artefact { name: "typescript", example: "docs/specs/jobs/{model}/entity-schemas.ts", generate: |job| job.file(typescript::module) },
    Artefact { name: "workbench", example: "docs/specs/jobs/{model}/workbench.json", generate: |job| job.file(workbench::model) },
];

/// What the table `[generate]` may name besides: files that something else writes, and that artefacts use or point at.
#[rustfmt::skip]
pub static KEPT: &[Kept] = &[
    Kept { name: "proof", example: "docs/specs/jobs/{model}" },
    Kept { name: "rules", example: "docs/rules" },
];

/// Files that artefacts use or point at, and that `generate` does not write.
#[derive(Debug)]
pub struct Kept {
    /// Its key in the table `[generate]`: `proof`, the folder where `prove --keep` writes, or `rules`, the folder with the pages of the rules.
    pub name: &'static str,
    /// A path of it.
    pub example: &'static str,
}

/// Something that is generated from a model.
#[derive(Debug)]
pub struct Artefact {
    /// Its key in the table `[generate]`, whose value is a path with `{model}` for the model's name.
    pub name: &'static str,
    /// Such a path.
    pub example: &'static str,
    /// Generates it.
    pub generate: fn(&Job<'_>) -> Result<Generated, ArtefactError>,
}

/// What an artefact is generated from, and where to.
#[derive(Debug, Clone, Copy)]
pub struct Job<'j> {
    /// The model.
    pub model: &'j Model,
    /// The file it was read from, as the project names it.
    pub source: &'j str,
    /// The file, or the folder of an artefact of several files.
    pub place: &'j Path,
    /// Where everything else of the model stands.
    pub places: &'j Places,
    /// What was measured of the model, when that was kept.
    pub proof: Option<&'j KeptProof>,
}

/// Where things of one model stand, by their keys in the table `[generate]`, so that one document can point at another. Under
/// `model` it has the model itself.
#[derive(Debug, Clone, Default)]
pub struct Places {
    paths: BTreeMap<String, PathBuf>,
}

impl Places {
    /// The file or folder of a key; none when nothing is asked for under it.
    pub fn get(&self, key: &str) -> Option<&Path> {
        self.paths.get(key).map(PathBuf::as_path)
    }

    /// The same with one more.
    #[must_use]
    pub fn with(mut self, key: &str, path: impl Into<PathBuf>) -> Self {
        self.paths.insert(key.to_owned(), path.into());
        self
    }
}

impl Job<'_> {
    /// A document that every model has.
    fn document(&self, page: fn(&Job<'_>) -> String) -> Result<Generated, ArtefactError> {
        Ok(Generated {
            files: vec![(self.place.to_owned(), page(self))],
            ..Generated::default()
        })
    }

    /// The one file of an artefact that is one.
    fn file(
        &self,
        text: fn(&Model, &str) -> Result<String, EmitError>,
    ) -> Result<Generated, ArtefactError> {
        let text = text(self.model, self.source).map_err(ArtefactError::Emit)?;
        Ok(Generated {
            files: vec![(self.place.to_owned(), text)],
            ..Generated::default()
        })
    }
}

/// The files of an artefact.
#[derive(Debug, Clone, Default)]
pub struct Generated {
    /// Their paths and texts.
    pub files: Vec<(PathBuf, String)>,
    /// What is to be said of what is there already.
    pub findings: Vec<Finding>,
    /// Files that were generated once, and nothing generates any more: they are removed.
    pub left_over: Vec<PathBuf>,
}

/// Why an artefact could not be generated.
#[derive(Debug)]
pub enum ArtefactError {
    /// What is there could not be read.
    Read(io::Error),
    /// The model has something that cannot be generated.
    Emit(EmitError),
}

impl fmt::Display for ArtefactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArtefactError::Read(why) => write!(f, "what is there could not be read: {why}"),
            ArtefactError::Emit(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for ArtefactError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ArtefactError::Read(why) => Some(why),
            ArtefactError::Emit(why) => Some(why),
        }
    }
}

fn snapshots_of(job: &Job<'_>) -> Result<Generated, ArtefactError> {
    let examined = snapshots::examine(job.model, job.place).map_err(ArtefactError::Read)?;
    Ok(Generated {
        files: examined.files,
        findings: examined.findings,
        ..Generated::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let artefacts = ARTEFACTS.iter().map(|artefact| artefact.name);
        let mut names: Vec<&str> = artefacts.chain(KEPT.iter().map(|kept| kept.name)).collect();
        // The key of the model itself.
        names.push("model");
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
