//! The project file: `tablewright.toml` names the models, so that a command needs no arguments.

use std::path::{Path, PathBuf};
use std::{fs, io};

use tablewright_emit::artefacts::{ARTEFACTS, Artefact, KEPT, Places};
use tablewright_model::suggest;
use toml_edit::{Array, DocumentMut, Item, Value};

use crate::error::{Failure, shown};
use crate::file::Together;

/// The name of the project file.
pub(crate) const FILE_NAME: &str = "tablewright.toml";

/// A project file that was found and read.
#[derive(Debug)]
pub(crate) struct Project {
    /// The folder it stands in, as seen from the current one: empty, or `..` some times.
    folder: PathBuf,
    document: DocumentMut,
    models: Vec<String>,
}

/// What stands in the path of an artefact for the name of a model.
const PLACEHOLDER: &str = "{model}";

/// An artefact the project file asks for.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) artefact: &'static Artefact,
    /// Where to, with a placeholder for the model.
    pattern: String,
}

impl Asked {
    /// Where it goes for one model, as seen from the project file.
    pub(crate) fn place(&self, model: &str) -> PathBuf {
        PathBuf::from(self.pattern.replace(PLACEHOLDER, model))
    }
}

impl Project {
    /// The project of the current folder: its own, or that of the nearest folder above that has one.
    pub(crate) fn find() -> Result<Option<Self>, Failure> {
        let here = std::env::current_dir().map_err(Failure::unreadable("the current folder"))?;
        let mut folder = PathBuf::new();
        for _ in here.ancestors() {
            let path = folder.join(FILE_NAME);
            match fs::read_to_string(&path) {
                Ok(text) => return Self::read(folder, &text).map(Some),
                Err(why) if why.kind() == io::ErrorKind::NotFound => folder.push(".."),
                Err(why) => return Err(Failure::unreadable(&shown(&path))(why)),
            }
        }
        Ok(None)
    }

    /// A project without models in the current folder.
    pub(crate) fn begin() -> Self {
        let mut document = DocumentMut::new();
        document.insert("models", Item::Value(Value::Array(Array::new())));
        if let Some(mut key) = document.key_mut("models") {
            key.leaf_decor_mut().set_prefix(
                "# The models of this project, in the order in which they are checked.\n",
            );
        }
        Project {
            folder: PathBuf::new(),
            document,
            models: Vec::new(),
        }
    }

    fn read(folder: PathBuf, text: &str) -> Result<Self, Failure> {
        let path = shown(&folder.join(FILE_NAME));
        let bad = |why: String| Failure::BadProject {
            path: path.clone(),
            why,
        };
        let document: DocumentMut = text
            .parse()
            .map_err(|error: toml_edit::TomlError| bad(error.to_string().trim_end().to_owned()))?;
        let models = document
            .get("models")
            .ok_or_else(|| bad(String::from("the key `models` is missing")))?
            .as_array()
            .ok_or_else(|| bad(String::from("`models` is not a list")))?
            .iter()
            .map(|model| model.as_str().map(str::to_owned))
            .collect::<Option<Vec<String>>>()
            .ok_or_else(|| bad(String::from("`models` is a list of paths, each a string")))?;
        Ok(Project {
            folder,
            document,
            models,
        })
    }

    /// What its table `[generate]` asks for, in the order of the artefacts.
    pub(crate) fn generate(&self) -> Result<Vec<Asked>, Failure> {
        let artefacts = ARTEFACTS.iter().map(|artefact| artefact.name);
        let names: Vec<&str> = artefacts.chain(KEPT.iter().map(|kept| kept.name)).collect();
        let table = self.document.get("generate").and_then(Item::as_table_like);
        for (key, _) in table.iter().flat_map(|table| table.iter()) {
            if !names.contains(&key) {
                let why = format!("there is no `{key}` to generate");
                return Err(self.bad_generate(why, suggest::hint(key, names.iter().copied())));
            }
        }
        let mut asked = Vec::new();
        for artefact in ARTEFACTS {
            if let Some(pattern) = self.pattern(artefact.name, artefact.example)? {
                asked.push(Asked { artefact, pattern });
            }
        }
        if asked.is_empty() {
            return Err(Failure::NothingToGenerate { path: self.path() });
        }
        Ok(asked)
    }

    /// Where something of a model stands that `generate` does not write, as seen from the current folder: `proof` or `rules`.
    pub(crate) fn kept(&self, name: &str, model: &str) -> Result<Option<PathBuf>, Failure> {
        let Some(kept) = KEPT.iter().find(|kept| kept.name == name) else {
            return Ok(None);
        };
        let pattern = self.pattern(kept.name, kept.example)?;
        Ok(pattern.map(|pattern| self.locate(pattern.replace(PLACEHOLDER, model))))
    }

    /// Where everything of a model stands, as seen from the current folder.
    pub(crate) fn places(&self, model: &str, source: &str) -> Result<Places, Failure> {
        let mut places = Places::default().with("model", self.locate(source));
        for asked in self.generate()? {
            places = places.with(asked.artefact.name, self.locate(asked.place(model)));
        }
        for kept in KEPT {
            if let Some(path) = self.kept(kept.name, model)? {
                places = places.with(kept.name, path);
            }
        }
        Ok(places)
    }

    /// The path a key of the table `[generate]` has, with its placeholder; none when it is not there.
    fn pattern(&self, name: &str, example: &str) -> Result<Option<String>, Failure> {
        let Some(item) = self.document.get("generate") else {
            return Ok(None);
        };
        let Some(table) = item.as_table_like() else {
            return Err(self.bad_generate(String::from("`generate` is not a table"), None));
        };
        let Some(item) = table.get(name) else {
            return Ok(None);
        };
        let hint = || Some(format!("{name} = \"{example}\""));
        let pattern = item.as_str().ok_or_else(|| {
            let why = format!("`{name}` of [generate] is a path, as a string");
            self.bad_generate(why, hint())
        })?;
        if pattern.is_empty() || pattern.replace(PLACEHOLDER, "").contains(['{', '}']) {
            let why = format!(
                "`{name}` of [generate] is a path with {PLACEHOLDER} for the name of a model"
            );
            return Err(self.bad_generate(why, hint()));
        }
        Ok(Some(pattern.to_owned()))
    }

    fn bad_generate(&self, why: String, hint: Option<String>) -> Failure {
        Failure::BadGenerate {
            path: self.path(),
            why,
            hint,
        }
    }

    /// The whole text of the project file.
    pub(crate) fn text(&self) -> String {
        self.document.to_string()
    }

    /// Where an artefact of a model stands, as seen from the project file; none where the project does not ask for it.
    pub(crate) fn place(&self, name: &str, model: &str) -> Result<Option<PathBuf>, Failure> {
        let pattern = self.pattern(name, "")?;
        Ok(pattern.map(|pattern| PathBuf::from(pattern.replace(PLACEHOLDER, model))))
    }

    /// The path of the project file.
    pub(crate) fn path(&self) -> String {
        shown(&self.folder.join(FILE_NAME))
    }

    /// A path of the project as seen from the current folder.
    pub(crate) fn locate(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.join(path)
    }

    /// The paths of its models as the project file has them.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &str> {
        self.models.iter().map(String::as_str)
    }

    /// The paths of its models as seen from the current folder.
    pub(crate) fn models(&self) -> impl Iterator<Item = PathBuf> {
        self.models.iter().map(|model| self.locate(model))
    }

    /// The model whose file has this name, without its ending.
    pub(crate) fn model_named(&self, name: &Path) -> Option<PathBuf> {
        self.models()
            .find(|model| model.file_stem() == Some(name.as_os_str()))
    }

    /// The names of its models.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.models
            .iter()
            .filter_map(|model| Path::new(model).file_stem()?.to_str())
    }

    /// Adds a model, unless it is there, and says whether it was. The rest of the file stays as it is.
    fn add(&mut self, model: &str) -> bool {
        if self.models.iter().any(|known| known == model) {
            return false;
        }
        let models = self.document.get_mut("models").and_then(Item::as_array_mut);
        // It was read as a list.
        let Some(models) = models else { return false };
        push_in_style(models, model);
        self.models.push(model.to_owned());
        true
    }

    /// A new model, written and added: both, or neither. What is told of it.
    pub(crate) fn begin_model(&mut self, model: &str, text: &str) -> Result<String, Failure> {
        let path = self.locate(model);
        let mut together = Together::default();
        together.create(&path, text)?;
        let mut told = format!("wrote {}\n", shown(&path));
        if self.add(model) {
            let project = self.folder.join(FILE_NAME);
            together.write(&project, &self.document.to_string())?;
            told.push_str(&format!("added it to {}\n", self.path()));
        }
        together.make()?;
        Ok(told)
    }
}

/// A list with an entry on each line gets one more line; any other goes on in its line.
fn push_in_style(list: &mut Array, entry: &str) {
    let tall = list.iter().last().and_then(|last| {
        let prefix = last.decor().prefix()?.as_str()?;
        let (_, line) = prefix.rsplit_once('\n')?;
        let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
        Some(indent)
    });
    let Some(indent) = tall else {
        list.push(entry);
        return;
    };
    // What stands behind the last entry, its comment above all, now stands before the new one.
    let mut behind = String::new();
    let last = list.len().saturating_sub(1);
    if let Some(last) = list.get_mut(last) {
        let suffix = last.decor().suffix().and_then(|suffix| suffix.as_str());
        behind.push_str(suffix.unwrap_or_default());
        last.decor_mut().set_suffix("");
    }
    behind.push_str(list.trailing().as_str().unwrap_or_default());
    let mut value = Value::from(entry);
    value
        .decor_mut()
        .set_prefix(format!("{}\n{indent}", behind.trim_end()));
    list.push_formatted(value);
    list.set_trailing("\n");
    list.set_trailing_comma(true);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_adding(text: &str, model: &str) -> String {
        let mut project = Project::read(PathBuf::new(), text).unwrap();
        project.add(model);
        project.document.to_string()
    }

    #[test]
    fn a_model_is_added_once_and_the_file_keeps_its_form() {
        let one_line = "# ours\nmodels = [\"a.toml\"] # all\nport = 1\n";
        assert_eq!(
            after_adding(one_line, "b.toml"),
            "# ours\nmodels = [\"a.toml\", \"b.toml\"] # all\nport = 1\n"
        );
        assert_eq!(after_adding(one_line, "a.toml"), one_line);
        assert_eq!(
            after_adding(
                "models = [\n  \"a.toml\",\n  # why\n  \"b.toml\", # because\n]\n",
                "c.toml"
            ),
            "models = [\n  \"a.toml\",\n  # why\n  \"b.toml\", # because\n  \"c.toml\",\n]\n"
        );
        assert_eq!(
            after_adding("models = [\n  \"a.toml\" # because\n]\n", "b.toml"),
            "models = [\n  \"a.toml\", # because\n  \"b.toml\",\n]\n"
        );
        assert_eq!(
            after_adding("models = []\n", "a.toml"),
            "models = [\"a.toml\"]\n"
        );
    }
}
