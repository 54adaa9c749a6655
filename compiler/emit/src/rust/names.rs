//! Names of the model as names of Rust.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span};

pub(crate) use tablewright_check::generated_names::{plural, snake, words};

use crate::EmitError;

/// A way to write the words of a name.
pub(super) type Spelling = fn(&str) -> String;

/// `TaskId`
pub(crate) fn pascal(name: &str) -> String {
    words(name).iter().map(|word| capital(word)).collect()
}

/// `TASK_ID`
pub(super) fn screaming(name: &str) -> String {
    words(name).join("_").to_uppercase()
}

/// `taskId`
pub(super) fn camel(name: &str) -> String {
    let pascal = pascal(name);
    let mut chars = pascal.chars();
    chars
        .next()
        .map(|first| first.to_lowercase().chain(chars).collect())
        .unwrap_or_default()
}

/// `task-id`
pub(super) fn kebab(name: &str) -> String {
    words(name).join("-")
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

/// What one of them is called, as far as that is plain.
pub(super) fn singular(name: &str) -> String {
    if let Some(stem) = name.strip_suffix("ies") {
        return format!("{stem}y");
    }
    match name.strip_suffix('s') {
        Some(stem) if !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// An identifier; a keyword is written raw, and one that cannot be gets an underscore.
pub(super) fn ident(name: &str, of: &str, what: &str) -> Result<Ident, EmitError> {
    // `gen` is a keyword since the edition of 2024, which the parser does not know.
    if let Ok(ident) = syn::parse_str::<Ident>(name)
        && name != "gen"
    {
        return Ok(ident);
    }
    let bad = || EmitError::BadName {
        name: of.to_owned(),
        what: what.to_owned(),
    };
    if matches!(name, "self" | "Self" | "super" | "crate") {
        return Ok(Ident::new(&format!("{name}_"), Span::call_site()));
    }
    let raw = syn::parse_str::<Ident>(&format!("r#{name}"));
    raw.map_err(|_| bad())
}

/// The identifier of a field, a parameter or a method.
pub(super) fn value_ident(name: &str, what: &str) -> Result<Ident, EmitError> {
    ident(&snake(name), name, what)
}

/// An identifier that is known to be one.
pub(super) fn known_ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// Names in one scope, each with what has it.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    taken: BTreeMap<String, String>,
}

impl Scope {
    /// A scope in which these names have a meaning already.
    pub(crate) fn with(names: &[&str], what: &str) -> Self {
        let names = names.iter();
        Scope {
            taken: names
                .map(|name| ((*name).to_owned(), what.to_owned()))
                .collect(),
        }
    }

    /// Takes a name.
    ///
    /// # Errors
    /// When something else has it.
    pub(crate) fn take(&mut self, name: &str, what: &str) -> Result<(), EmitError> {
        match self.taken.insert(name.to_owned(), what.to_owned()) {
            None => Ok(()),
            Some(first) => Err(EmitError::SameName {
                name: name.to_owned(),
                first,
                second: what.to_owned(),
            }),
        }
    }

    /// Whether something has the name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.taken.contains_key(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        for (name, expected) in [
            ("TaskId", "task_id"),
            ("HTTPStatusCode", "http_status_code"),
            ("IN_PROGRESS", "in_progress"),
            ("in-between", "in_between"),
            ("by_status_2", "by_status_2"),
            ("Version2Date", "version2_date"),
            ("_leaderboard", "_leaderboard"),
            ("ID", "id"),
        ] {
            assert_eq!(snake(name), expected);
        }
        assert_eq!(pascal("tasks_by_status"), "TasksByStatus");
        assert_eq!(camel("HTTP_STATUS"), "httpStatus");
        assert_eq!(screaming("inProgress"), "IN_PROGRESS");
    }

    #[test]
    fn one_and_several() {
        for (one, several) in [
            ("task", "tasks"),
            ("category", "categories"),
            ("key", "keys"),
            ("group", "groups"),
        ] {
            assert_eq!(plural(one), several);
            assert_eq!(singular(several), one);
        }
        assert_eq!(plural("box"), "boxes");
        assert_eq!(plural("user_stats"), "user_stats");
        assert_eq!(singular("status"), "status");
        assert_eq!(singular("address"), "address");
    }

    #[test]
    fn keywords_are_written_raw_and_nonsense_is_refused() {
        assert_eq!(
            value_ident("type", "a field").unwrap().to_string(),
            "r#type"
        );
        assert_eq!(value_ident("self", "a field").unwrap().to_string(), "self_");
        let error = value_ident("_", "a field of Task").unwrap_err();
        assert!(matches!(error, EmitError::BadName { name, .. } if name == "_"));
    }

    #[test]
    fn a_name_is_taken_once() {
        let mut scope = Scope::with(&["Vec"], "a type of Rust");
        assert!(scope.take("Task", "the entity Task").is_ok());
        let error = scope.take("Vec", "the entity Vec").unwrap_err().to_string();
        assert_eq!(
            error,
            "a type of Rust and the entity Vec would both be called `Vec` in the generated code; rename one of them"
        );
        assert!(scope.has("Task"));
    }
}
