//! Where settings come from: the environment, and one file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use toml::de::{DeTable, DeValue};

use super::elsewhere::is_read_by_somebody;
use super::{Setting, SettingsError};

/// The variable that names the file of settings.
pub const FILE_VARIABLE: &str = "TABLEWRIGHT_SETTINGS";

/// The file that is read when no other is named: the project's.
const FILE: &str = "tablewright.toml";

/// The section of the file.
const SECTION: &str = "service";

/// Where settings come from. [`Sources::of_process`] are the usual ones; tests and programs that start several services make their own.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    variables: BTreeMap<String, String>,
    file: Option<(PathBuf, String)>,
}

/// A value that was found, as text, and where. The text may be a secret, and is not shown.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) text: String,
    pub(super) origin: String,
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.origin)
    }
}

/// What one file says for one service: settings with their values, or why one has none.
pub(super) type InFile = BTreeMap<String, Result<Found, String>>;

impl Sources {
    /// Nothing is said.
    pub fn none() -> Self {
        Sources::default()
    }

    /// The environment of this process, and the file it names in `TABLEWRIGHT_SETTINGS`, or `tablewright.toml` if there is one here.
    ///
    /// # Errors
    /// [`SettingsError::Unreadable`] when a file is named and cannot be read.
    pub fn of_process() -> Result<Self, SettingsError> {
        let is_ours = |name: &str| name == "PORT" || name.starts_with("TABLEWRIGHT_");
        let variables: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, _)| is_ours(name))
            // What is no text is refused as a value, with its replacement characters.
            .map(|(name, value)| (name, value.to_string_lossy().into_owned()))
            .collect();
        let named = variables.get(FILE_VARIABLE).filter(|path| !path.is_empty());
        let path = PathBuf::from(named.map_or(FILE, String::as_str));
        let file = match fs::read_to_string(&path) {
            Ok(text) => Some((path, text)),
            Err(why) if named.is_none() && why.kind() == io::ErrorKind::NotFound => None,
            Err(why) => {
                let why = why.to_string();
                return Err(SettingsError::Unreadable { path, why });
            }
        };
        Ok(Sources { variables, file })
    }

    /// With a variable of the environment.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// With the text of a file.
    #[must_use]
    pub fn file(mut self, path: impl AsRef<Path>, text: impl Into<String>) -> Self {
        self.file = Some((path.as_ref().to_owned(), text.into()));
        self
    }

    /// What the environment says of a setting of a service: what is about the service alone is obeyed before what is about all.
    pub(super) fn in_environment(&self, service: &str, setting: &str) -> Option<Found> {
        let capitals = |text: &str| text.to_ascii_uppercase().replace('-', "_");
        let (service, name) = (capitals(service), capitals(setting));
        let mut names = vec![
            format!("TABLEWRIGHT_{service}_{name}"),
            format!("TABLEWRIGHT_{name}"),
        ];
        if setting == "port" {
            names.insert(0, String::from("PORT"));
        }
        let mut found = names.into_iter().filter_map(|origin| {
            let text = self.variables.get(&origin)?.trim().to_owned();
            // A variable that is set to nothing is how a shell says that it is not set.
            (!text.is_empty()).then_some(Found { text, origin })
        });
        found.next()
    }

    /// Variables that look like settings, and are none of these nor of any other service.
    pub(super) fn unknown(&self, own: &[Setting]) -> Vec<String> {
        let is_own = |name: &str| {
            let mut own = own.iter().filter_map(|own| name.strip_suffix(own.name));
            own.any(|before| before.is_empty() || before.ends_with('_'))
        };
        let unread = |variable: &&String| {
            let name = variable.strip_prefix("TABLEWRIGHT_");
            let name = name.map(str::to_ascii_lowercase);
            name.is_some_and(|name| !is_own(&name) && !is_read_by_somebody(&name))
        };
        self.variables.keys().filter(unread).cloned().collect()
    }

    /// What the file says for a service, in `[service]` and `[service.NAME]`.
    pub(super) fn in_file(&self, service: &str) -> Result<InFile, SettingsError> {
        let Some((path, text)) = &self.file else {
            return Ok(InFile::new());
        };
        let document = DeTable::parse(text).map_err(|error| SettingsError::Unreadable {
            path: path.clone(),
            why: error.to_string().trim_end().to_owned(),
        })?;
        let mut found = InFile::new();
        let Some(section) = document.get_ref().get(SECTION) else {
            return Ok(found);
        };
        let DeValue::Table(section) = section.get_ref() else {
            return Err(SettingsError::Unreadable {
                path: path.clone(),
                why: format!("`{SECTION}` is not a table"),
            });
        };
        let origin = |section: &str| format!("[{section}] of {}", path.display());
        read_section(section, &origin(SECTION), &mut found);
        if let Some(own) = section.get(service)
            && let DeValue::Table(own) = own.get_ref()
        {
            read_section(own, &origin(&format!("{SECTION}.{service}")), &mut found);
        }
        Ok(found)
    }
}

fn read_section(section: &DeTable<'_>, origin: &str, found: &mut InFile) {
    for (name, value) in section.iter() {
        // A table is the section of a service, of this one or of another.
        if matches!(value.get_ref(), DeValue::Table(_)) {
            continue;
        }
        let text = text_of(value.get_ref()).map(|text| Found {
            text,
            origin: origin.to_owned(),
        });
        let text = text.ok_or_else(|| origin.to_owned());
        found.insert(name.get_ref().to_string(), text);
    }
}

/// The text of a value, as the environment would have it.
fn text_of(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(truth) => Some(truth.to_string()),
        DeValue::Array(values) => {
            let texts = values.iter().map(|value| match value.get_ref() {
                DeValue::String(text) => Some(text.to_string()),
                _ => None,
            });
            Some(texts.collect::<Option<Vec<String>>>()?.join(","))
        }
        DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}
