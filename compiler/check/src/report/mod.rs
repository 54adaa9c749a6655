//! Findings for people and for programs: one list of diagnostics, written as text, JSON or SARIF.
//!
//! ```
//! use tablewright_check::report::{Findings, SourceFile, Style, text};
//! use tablewright_model::{Diagnostic, Severity, Span};
//!
//! let file = SourceFile::new("models/notes.toml", "[model]\nname = \"my notes\"\n");
//! let finding = Diagnostic::new("bad-name", Severity::Error, Span::new(15, 25), "a name has no spaces");
//! let findings = Findings::new(file, vec![finding]);
//! assert_eq!(
//!     text::render(&findings, Style::default()),
//!     "\
//! error[bad-name]: a name has no spaces
//!  --> models/notes.toml:2:8
//!   |
//! 2 | name = \"my notes\"
//!   |        ^^^^^^^^^^
//!
//! "
//! );
//! ```

pub mod json;
pub mod language;
pub mod sarif;
mod source_file;
mod summary;
#[cfg(test)]
mod tests;
pub mod text;

use tablewright_model::Diagnostic;

pub use source_file::{Position, SourceFile};
pub use summary::Summary;
pub use text::Style;

/// One file and what was found in it, in the order of its text.
#[derive(Debug, Clone)]
pub struct Findings {
    file: SourceFile,
    diagnostics: Vec<Diagnostic>,
}

impl Findings {
    /// Puts the findings of a file into the order in which every form reports them: by place, the worst first.
    pub fn new(file: SourceFile, mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by(|a, b| {
            let place = (a.span, b.severity, a.rule, &a.message);
            place.cmp(&(b.span, a.severity, b.rule, &b.message))
        });
        Findings { file, diagnostics }
    }

    /// The file.
    pub fn file(&self) -> &SourceFile {
        &self.file
    }

    /// What was found in it.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}
