//! The answers, by what they are about.

pub(super) mod access;
pub(super) mod architecture;
pub(super) mod cost;
pub(super) mod gates;
pub(super) mod indexes;
pub(super) mod keys;
pub(super) mod relationships;
pub(super) mod schemas;

use super::{Evidence, Named};
use crate::markdown::listed;

/// Patterns with links, shortened where there are very many.
fn patterns(evidence: &Evidence<'_>, names: &[&str]) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| evidence.links().pattern(name))
        .collect();
    listed(&names)
}

/// Patterns as evidence.
fn as_evidence(names: &[&str]) -> Vec<Named> {
    names
        .iter()
        .map(|name| Named::Pattern((*name).to_owned()))
        .collect()
}
