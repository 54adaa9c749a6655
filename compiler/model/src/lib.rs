//! The model language: from the text of a TOML file to a resolved [`Model`], with the place of every value.
//!
//! ```
//! let text = r##"
//! [model]
//! name = "notes"
//!
//! [table.notes]
//! partition_key = "PK"
//! sort_key      = "SK"
//!
//! [entity.Note]
//! table = "notes"
//! key   = { partition = "USER#{user_id}", sort = "NOTE#{note_id}" }
//! fields = { user_id = "id", note_id = "ulid", text = "string(1..2000)" }
//! "##;
//! let model = tablewright_model::parse(text).unwrap();
//! assert_eq!(model.entities[0].name.as_str(), "Note");
//!
//! let faults = tablewright_model::parse(&text.replace("USER#{user_id}", "USER#{usr_id}")).unwrap_err();
//! assert_eq!(faults[0].message, "there is no field of Note `usr_id`");
//! assert_eq!(faults[0].help.as_deref(), Some("did you mean `user_id`?"));
//! ```

pub mod diagnostic;
pub mod format;
pub mod model;
mod resolve;
pub mod schema;
pub mod source;
pub mod span;
pub mod suggest;

pub use tablewright_descriptor::{condition, field_type};

pub use diagnostic::{Diagnostic, Edit, Fix, Related, Severity};
pub use model::Model;
pub use span::{Span, Spanned, Text};

/// The largest file that is read: a model of a thousand entities is a twentieth of it.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Reads and resolves the text of a model.
///
/// # Errors
/// Every fault of the file, in the order of the text. Then there is no model: it is never half-resolved.
pub fn parse(text: &str) -> Result<Model, Vec<Diagnostic>> {
    if text.len() > MAX_BYTES {
        return Err(vec![Diagnostic::language(
            "syntax",
            Span::new(0, 0),
            format!(
                "the file has {} MB; a model has at most 16",
                text.len() / 1024 / 1024
            ),
        )]);
    }
    let reading = source::read(text);
    let mut faults = reading.faults;
    let mut model = None;
    if let Some(file) = reading.file {
        match resolve::resolve(&file, reading.unreadable) {
            Ok(resolved) => model = Some(resolved),
            Err(more) => faults.extend(more),
        }
    }
    faults.sort_by_key(|fault| fault.span);
    match model {
        Some(model) if faults.is_empty() => Ok(model),
        _ => Err(faults),
    }
}
