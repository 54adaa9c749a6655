//! One line that says how it went.

use std::fmt;

use tablewright_model::Severity;

use super::Findings;

/// How much was found in how many models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// What cannot work.
    pub errors: usize,
    /// What will hurt.
    pub warnings: usize,
    /// What is worth knowing.
    pub notes: usize,
    /// Files looked at.
    pub models: usize,
}

impl Summary {
    /// Counts the findings of a run.
    pub fn of(all: &[Findings]) -> Self {
        let count = |severity| {
            all.iter()
                .flat_map(Findings::diagnostics)
                .filter(|diagnostic| diagnostic.severity == severity)
                .count()
        };
        Summary {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            notes: count(Severity::Note),
            models: all.len(),
        }
    }
}

/// `2 errors, 1 warning in 4 models`; nothing at all is `no findings in 1 model`.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.errors, "error"),
            (self.warnings, "warning"),
            (self.notes, "note"),
        ];
        let mut first = true;
        for (count, word) in counts.into_iter().filter(|(count, _)| *count > 0) {
            let comma = if std::mem::take(&mut first) { "" } else { ", " };
            write!(f, "{comma}{}", counted(count, word))?;
        }
        if first {
            f.write_str("no findings")?;
        }
        write!(f, " in {}", counted(self.models, "model"))
    }
}

fn counted(count: usize, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {word}{plural}")
}
