//! Proofs that are kept in the project.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tablewright_emit::proof::{KeptProof, ProofError};
use tablewright_model::Model;
use tablewright_prove::report::{json, markdown};
use tablewright_prove::{Proof, Settings};

use super::files_of;
use crate::command::generate::stored;
use crate::command::outdated;
use crate::error::{Failure, shown};
use crate::file;
use crate::project::Project;

/// The project whose proofs are kept.
pub(super) struct Kept {
    project: Project,
}

impl Kept {
    pub(super) fn find() -> Result<Self, Failure> {
        let project = Project::find()?.ok_or(Failure::NoProject)?;
        Ok(Kept { project })
    }

    /// Where the proof of a model is kept.
    pub(super) fn folder(&self, model: &str) -> Result<PathBuf, Failure> {
        let folder = self.project.kept("proof", model)?;
        folder.ok_or_else(|| Failure::NoPlaceForProofs {
            path: self.project.path(),
        })
    }

    /// What the kept proof of a model was made with.
    pub(super) fn settings(&self, model: &str) -> Result<Settings, Failure> {
        let [_, path] = files_of(&self.folder(model)?);
        let bytes = stored(&path)?.ok_or_else(|| Failure::NoProof { path: shown(&path) })?;
        let text = String::from_utf8_lossy(&bytes);
        let bad = |why| Failure::BadProof {
            path: shown(&path),
            why,
        };
        KeptProof::parse(&text).map_err(bad)?;
        let value: Value = serde_json::from_str(&text).map_err(|why| {
            bad(ProofError::NotJson {
                why: why.to_string(),
            })
        })?;
        let made_with = &value["models"][0];
        let number = |key: &'static str| {
            made_with[key]
                .as_u64()
                .ok_or_else(|| bad(ProofError::NotMadeWith { key }))
        };
        Ok(Settings {
            items: usize::try_from(number("items")?).unwrap_or(usize::MAX),
            seed: number("seed")?,
        })
    }

    /// The files of a proof.
    fn files(&self, model: &Model, proof: &Proof) -> Result<[(PathBuf, String); 2], Failure> {
        let [document, data] = files_of(&self.folder(&proof.model)?);
        let title = model.title.as_ref().unwrap_or(&model.name);
        Ok([
            (document, markdown::render(proof, title.as_str())),
            (data, json::render(std::slice::from_ref(proof))),
        ])
    }

    /// Refuses to keep a proof where somebody wrote a file themselves.
    pub(super) fn may_be_written(&self, model: &str) -> Result<(), Failure> {
        let [document, data] = files_of(&self.folder(model)?);
        let is_ours = |path: &PathBuf, is_ours: fn(&str) -> bool| {
            let stored = stored(path)?;
            let text = stored.as_deref().map(String::from_utf8_lossy);
            match text.is_none_or(|text| is_ours(&text)) {
                true => Ok(()),
                false => Err(Failure::NotGenerated { path: shown(path) }),
            }
        };
        is_ours(&document, |text| text.starts_with(markdown::MARK))?;
        is_ours(&data, |text| {
            let value: Option<Value> = serde_json::from_str(text).ok();
            value.is_some_and(|value| value["models"].is_array() && value["patterns"].is_array())
        })
    }

    /// Writes what differs, and tells it.
    pub(super) fn write(&self, model: &Model, proof: &Proof) -> Result<String, Failure> {
        self.may_be_written(&proof.model)?;
        let mut told = String::new();
        for (path, text) in self.files(model, proof)? {
            let name = shown(&path);
            if stored(&path)?.as_deref() == Some(text.as_bytes()) {
                told.push_str(&format!("{name} is up to date\n"));
                continue;
            }
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(Failure::unwritable(&name))?;
            }
            file::replace(&path, &text).map_err(Failure::unwritable(&name))?;
            told.push_str(&format!("wrote {name}\n"));
        }
        Ok(told)
    }

    /// Tells what is not as it is kept; nothing when all is.
    pub(super) fn differences(&self, model: &Model, proof: &Proof) -> Result<String, Failure> {
        let mut told = String::new();
        for (path, text) in self.files(model, proof)? {
            let stored = stored(&path)?;
            if stored.as_deref() != Some(text.as_bytes()) {
                let command = "tablewright prove --keep";
                told.push_str(&outdated::told(
                    &shown(&path),
                    stored.as_deref(),
                    &text,
                    command,
                ));
            }
        }
        Ok(told)
    }
}
