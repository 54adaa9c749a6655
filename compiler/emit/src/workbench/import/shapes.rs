//! Maps in samples: a nested shape, or values by name.

use std::collections::BTreeSet;

use super::fields::{can_be_field, kind};
use super::names::{entity_name, unique_name};
use super::source::{Item, Sample};

/// The structs that were found.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    found: Vec<StructDraft>,
}

/// A nested shape.
#[derive(Debug, Clone)]
pub(super) struct StructDraft {
    pub(super) name: String,
    pub(super) fields: Vec<(String, String)>,
}

impl Shapes {
    /// The type of maps with these entries.
    pub(super) fn map(&mut self, name: &str, maps: &[&Item], depth: usize) -> String {
        let mut names: Vec<&String> = Vec::new();
        for entry in maps.iter().flat_map(|map| map.keys()) {
            if !names.contains(&entry) {
                names.push(entry);
            }
        }
        let shared = maps.iter().all(|map| map.len() * 2 >= names.len());
        if !names.is_empty() && shared && names.iter().all(|name| can_be_field(name)) {
            let fields = names
                .iter()
                .map(|entry| self.entry(entry, maps, depth))
                .collect();
            return self.structure(name, fields);
        }
        let values: Vec<&Sample> = maps.iter().flat_map(|map| map.values()).collect();
        if values.is_empty() {
            return "json".to_owned();
        }
        match kind(name, &values, self, depth + 1).as_str() {
            "json" => "json".to_owned(),
            of => format!("map({of})"),
        }
    }

    fn entry(&mut self, entry: &str, maps: &[&Item], depth: usize) -> (String, String) {
        let values: Vec<&Sample> = maps
            .iter()
            .filter_map(|map| map.get(entry))
            .filter(|value| **value != Sample::Null)
            .collect();
        let of = match values.is_empty() {
            true => "json".to_owned(),
            false => kind(entry, &values, self, depth + 1),
        };
        let mark = if values.len() < maps.len() { "?" } else { "" };
        (entry.to_owned(), format!("{of}{mark}"))
    }

    /// The struct with these fields: one that is there, or a new one.
    fn structure(&mut self, name: &str, fields: Vec<(String, String)>) -> String {
        if let Some(known) = self.found.iter().find(|known| known.fields == fields) {
            return known.name.clone();
        }
        // Another ending than any entity has keeps the names apart.
        let mut taken: BTreeSet<String> =
            self.found.iter().map(|known| known.name.clone()).collect();
        let name = unique_name(&format!("{}Shape", entity_name(name)), &mut taken);
        self.found.push(StructDraft {
            name: name.clone(),
            fields,
        });
        name
    }

    /// All of them.
    pub(super) fn into_structs(self) -> Vec<StructDraft> {
        self.found
    }
}
