//! The canonical form of a model file: comments kept, meaning unchanged, and the same again when formatted twice.
//!
//! * `key = value`, with the `=` of consecutive lines in one column. A dotted key does not stand in the column of plain ones.
//! * One space inside `{ … }` and after commas. A collection that was written over several lines stays so, two spaces in.
//! * One blank line between tables, at most one elsewhere, none at either end.
//! * A comment behind a value follows after one space; comments of one paragraph that stand in one column stay in one.
//!
//! ```
//! let text = "[model]\nname='notes'\ntitle =\"Notes\"   # for people\n[table.notes]\npartition_key=\"PK\"\n";
//! let canonical = r#"[model]
//! name  = 'notes'
//! title = "Notes" # for people
//!
//! [table.notes]
//! partition_key = "PK"
//! "#;
//! assert_eq!(tablewright_model::format::format(text).unwrap(), canonical);
//! assert_eq!(tablewright_model::format::format(canonical).unwrap(), canonical);
//! ```

mod layout;
mod lines;
mod spacing;
#[cfg(test)]
mod tests;
mod tree;

use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::{MAX_BYTES, source};

/// Writes a model file in its canonical form.
///
/// The file need not be a correct model, but it must be TOML.
///
/// # Errors
/// The places where the text is not TOML.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    if text.len() > MAX_BYTES {
        let message = "the file is too large to be a model, which has at most 16 MB";
        return Err(vec![Diagnostic::language(
            "syntax",
            Span::new(0, 0),
            message,
        )]);
    }
    let faults = source::read(text).faults;
    let syntax: Vec<Diagnostic> = faults
        .into_iter()
        .filter(|fault| fault.rule == "syntax")
        .collect();
    if !syntax.is_empty() {
        return Err(syntax);
    }
    let statements = spacing::canonical(tree::read(text));
    Ok(layout::write(&statements))
}
