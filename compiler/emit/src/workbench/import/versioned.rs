//! Entities that this library versions, known by their bookkeeping.

use super::entity::Versioned;
use super::groups::Group;
use super::source::{Item, Sample};

/// The bookkeeping of versioned entities.
pub(super) const STAMPS: [&str; 2] = ["data_version", "last_write"];

/// Whether an entity has the bookkeeping of this library; then what is wrapped is unwrapped.
pub(super) fn versioned(group: &mut Group) -> Option<Versioned> {
    let has = |name: &str| group.attributes.iter().any(|attribute| attribute == name);
    if !STAMPS.iter().all(|stamp| has(stamp)) {
        return None;
    }
    let versions = group
        .items
        .iter()
        .filter_map(|item| match item.get(STAMPS[0]) {
            Some(Sample::Number(number)) => number.parse::<u64>().ok(),
            _ => None,
        });
    let data_version = versions.max().unwrap_or(1).clamp(1, u64::from(u16::MAX));
    let is_map = |item: &Item| matches!(item.get("data"), Some(Sample::Map(_)));
    let wrapped = has("data") && !group.items.is_empty() && group.items.iter().all(is_map);
    if wrapped {
        let at = group
            .attributes
            .iter()
            .position(|name| name == "data")
            .unwrap_or(0);
        group.attributes.remove(at);
        let mut inside: Vec<String> = Vec::new();
        for item in &mut group.items {
            if let Some(Sample::Map(data)) = item.remove("data") {
                for (name, value) in data {
                    if !inside.contains(&name) {
                        inside.push(name.clone());
                    }
                    item.entry(name).or_insert(value);
                }
            }
        }
        inside.retain(|name| !group.attributes.contains(name));
        group.attributes.splice(at..at, inside);
    }
    Some(Versioned {
        data_version,
        wrapped,
    })
}
