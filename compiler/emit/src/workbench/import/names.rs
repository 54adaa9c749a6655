//! Names as the language writes them.

use std::collections::BTreeSet;

use crate::rust::names::pascal;

/// As the language writes the names of entities.
pub(super) fn entity_name(wanted: &str) -> String {
    let words: String = wanted
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' })
        .collect();
    let has_case = words.contains(|c: char| c.is_ascii_lowercase());
    let name: String = words
        .split_whitespace()
        .map(|word| match has_case {
            true => pascal_kept(word),
            false => pascal(word),
        })
        .collect();
    let name = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let name: String = name.chars().take(60).collect();
    match name.is_empty() {
        true => "Entity".to_owned(),
        false => pascal_kept(&name),
    }
}

/// With a capital letter at the beginning.
fn pascal_kept(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// The name, or one that is not taken.
pub(super) fn unique_name(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let mut name = wanted.to_owned();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wanted}{number}");
        number += 1;
    }
    name
}
