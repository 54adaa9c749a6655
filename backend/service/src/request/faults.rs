//! Where in a value something is wrong, from what serde says.

use serde_path_to_error::{Path, Segment};

use crate::problem::FieldError;

/// Why a name is refused that is none of those that are known.
pub(crate) const NO_SUCH_FIELD: &str = "there is no such field";

/// The field and the reason. What is wrong as a whole is called `whole`.
pub(crate) fn fault_of(path: &Path, message: &str, whole: &str) -> FieldError {
    let mut field = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => field.push_str(&format!("[{index}]")),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                if !field.is_empty() {
                    field.push('.');
                }
                field.push_str(shown(key));
            }
            Segment::Unknown => {}
        }
    }
    // serde_json adds the place in the text, which says nothing that the field does not.
    let reason = message
        .rsplit_once(" at line ")
        .map_or(message, |(reason, _)| reason);
    for (start, told) in [
        ("unknown field `", NO_SUCH_FIELD),
        ("missing field `", "it is missing"),
        ("duplicate field `", "it is there twice"),
    ] {
        let Some(name) = reason
            .strip_prefix(start)
            .and_then(|rest| rest.split('`').next())
        else {
            continue;
        };
        let name = shown(name);
        // The path ends where the field is looked for, or at the field itself.
        let ends_with_it = field == name || field.ends_with(&format!(".{name}"));
        let field = match field.as_str() {
            _ if ends_with_it => field,
            "" => name.to_owned(),
            _ => format!("{field}.{name}"),
        };
        return FieldError {
            field,
            reason: told.to_owned(),
        };
    }
    FieldError {
        field: match field.is_empty() {
            true => whole.to_owned(),
            false => field,
        },
        reason: none_of_its_words(reason)
            .or_else(|| of_another_kind(reason))
            .unwrap_or_else(|| reason.to_owned()),
    }
}

/// A name as it is told: one without a letter must be seen too.
pub(crate) fn shown(name: &str) -> &str {
    match name {
        "" => "\"\"",
        name => name,
    }
}

/// "invalid type: null, expected a string", for people: what it is to be, and what this is.
fn of_another_kind(reason: &str) -> Option<String> {
    if reason.starts_with("provided string was not `true` or `false`") {
        return Some(String::from("it is true or false"));
    }
    let rest = reason.strip_prefix("invalid ")?;
    let (_, rest) = rest.split_once(": ")?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let found = match found {
        "map" => "an object",
        "sequence" => "a list",
        found => found,
    };
    let expected = match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        expected => expected,
    };
    Some(format!("it must be {expected}, and this is {found}"))
}

/// "unknown variant `done`, expected one of `open`, `closed`", for people: which words there are.
fn none_of_its_words(reason: &str) -> Option<String> {
    let (word, expected) = reason
        .strip_prefix("unknown variant `")?
        .split_once("`, expected ")?;
    let words = expected.strip_prefix("one of ").unwrap_or(expected);
    Some(format!(
        "`{word}` is none of {}",
        words.replace('`', "").replace(" or ", ", ")
    ))
}
