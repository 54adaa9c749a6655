//! Where in a value something is wrong, from what serde says.

use serde_path_to_error::{Path, Segment};

use crate::problem::FieldError;

/// The field and the reason.
pub(crate) fn fault_of(path: &Path, message: &str) -> FieldError {
    let mut field = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => field.push_str(&format!("[{index}]")),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                if !field.is_empty() {
                    field.push('.');
                }
                field.push_str(key);
            }
            Segment::Unknown => {}
        }
    }
    // serde_json adds the place in the text, which says nothing that the field does not.
    let reason = message
        .rsplit_once(" at line ")
        .map_or(message, |(reason, _)| reason);
    for (start, told) in [
        ("unknown field `", "there is no such field"),
        ("missing field `", "it is missing"),
        ("duplicate field `", "it is there twice"),
    ] {
        let Some(name) = reason
            .strip_prefix(start)
            .and_then(|rest| rest.split('`').next())
        else {
            continue;
        };
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
        field,
        reason: reason.to_owned(),
    }
}
