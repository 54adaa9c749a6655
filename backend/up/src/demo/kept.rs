//! Which services have something to show already, and what is shown of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};

/// By service: what is shown, by whose it is.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Kept(BTreeMap<String, BTreeMap<String, String>>);

impl Kept {
    /// What stands in a file. One that cannot be read says nothing.
    pub(crate) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        let begun = path.with_extension("json.new");
        fs::write(&begun, text)?;
        fs::rename(begun, path)
    }

    pub(crate) fn has(&self, service: &str) -> bool {
        self.0.contains_key(service)
    }

    pub(crate) fn add(&mut self, service: &str, shown: BTreeMap<String, String>) {
        self.0.insert(service.to_owned(), shown);
    }

    /// What is shown of a service, by whose it is.
    pub(crate) fn shown(&self, service: &str) -> Vec<(String, String)> {
        let shown = self.0.get(service).into_iter().flatten();
        shown
            .map(|(who, what)| (who.clone(), what.clone()))
            .collect()
    }
}
