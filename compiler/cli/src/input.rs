//! From what was named on the command line to the texts of models.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use tablewright_check::report::SourceFile;
use tablewright_model::suggest;

use crate::error::{Failure, is_standard_input, shown};
use crate::project::{self, Project};

/// A model and where it came from.
#[derive(Debug)]
pub(crate) struct Input {
    /// Its text, under the name it is reported with.
    pub(crate) file: SourceFile,
    /// The file, unless it was standard input.
    pub(crate) path: Option<PathBuf>,
}

/// Reads the models that were named, in that order; if none was, those of the project.
pub(crate) fn read(named: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    if named.is_empty() {
        let project = Project::find()?.ok_or(Failure::NoProject)?;
        return read_project(&project);
    }
    if named.iter().filter(|path| is_standard_input(path)).count() > 1 {
        return Err(Failure::StandardInputTwice);
    }
    let mut inputs = Vec::new();
    for path in named {
        if is_standard_input(path) {
            inputs.push(read_standard_input()?);
        } else if let Some(model) = named_like_a_folder(path) {
            inputs.push(read_file(&model)?);
        } else if path.is_dir() {
            inputs.extend(read_folder(path)?);
        } else {
            inputs.push(read_named(path)?);
        }
    }
    Ok(inputs)
}

/// The project's model of a name that is a folder here, too: `todo` is the model, and `todo/` or `./todo` the folder.
fn named_like_a_folder(path: &Path) -> Option<PathBuf> {
    // A folder needs no project, so one that cannot be read is not in its way.
    let project = path.is_dir().then(Project::find)?.ok().flatten();
    project?.model_named(path)
}

/// Reads the models of a project.
pub(crate) fn read_project(project: &Project) -> Result<Vec<Input>, Failure> {
    let inputs = project
        .models()
        .map(|path| match read_file(&path) {
            Err(Failure::Unreadable { path, why }) if why.kind() == io::ErrorKind::NotFound => {
                Err(Failure::ModelGone {
                    path,
                    project: project.path(),
                })
            }
            read => read,
        })
        .collect::<Result<Vec<Input>, Failure>>()?;
    if inputs.is_empty() {
        return Err(Failure::EmptyProject {
            path: project.path(),
        });
    }
    Ok(inputs)
}

/// A file, or else the project's model of that name.
fn read_named(path: &Path) -> Result<Input, Failure> {
    match read_file(path) {
        Err(Failure::Unreadable { why, .. }) if why.kind() == io::ErrorKind::NotFound => {
            let project = Project::find()?;
            if let Some(model) = project.as_ref().and_then(|p| p.model_named(path)) {
                return read_file(&model);
            }
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let near = project
                .as_ref()
                .and_then(|project| suggest::nearest(&name, project.names()))
                .map(str::to_owned);
            Err(Failure::NoSuchModel {
                path: shown(path),
                near,
            })
        }
        read => read,
    }
}

/// Every `.toml` file directly in a folder, by name. The project file is none of them.
fn read_folder(folder: &Path) -> Result<Vec<Input>, Failure> {
    let name = shown(folder);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(Failure::unreadable(&name))? {
        let path = entry.map_err(Failure::unreadable(&name))?.path();
        let is_model = path.extension().is_some_and(|ending| ending == "toml")
            && path
                .file_name()
                .is_none_or(|name| name != project::FILE_NAME)
            && path.is_file();
        if is_model {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(Failure::EmptyFolder { path: name });
    }
    paths.sort();
    paths.iter().map(|path| read_file(path)).collect()
}

fn read_file(path: &Path) -> Result<Input, Failure> {
    let name = shown(path);
    let bytes = fs::read(path).map_err(Failure::unreadable(&name))?;
    Ok(Input {
        file: SourceFile::new(name.clone(), decode(&name, bytes)?),
        path: Some(path.to_owned()),
    })
}

fn read_standard_input() -> Result<Input, Failure> {
    let name = "standard input";
    let mut bytes = Vec::new();
    io::stdin()
        .read_to_end(&mut bytes)
        .map_err(Failure::unreadable(name))?;
    Ok(Input {
        file: SourceFile::new("-", decode(name, bytes)?),
        path: None,
    })
}

/// The text of a file, which is UTF-8.
pub(crate) fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..valid).unwrap_or_default();
        Failure::NotUtf8 {
            path: name.to_owned(),
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
        }
    })
}
