//! What the tool has to say about a model, and where.

use crate::span::Span;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// It works, and it will hurt.
    Warning,
    /// It cannot work, or it loses data.
    Error,
}

impl Severity {
    /// The word for it: `error`, `warning` or `note`.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One finding: what is wrong, why, what to write instead, and the characters it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that found it: the name used by `allow` and `explain`.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// The characters to change.
    pub span: Span,
    /// A few words under those characters.
    pub label: String,
    /// Other places that belong to the story.
    pub related: Vec<Related>,
    /// The change that mends it, where that is mechanical.
    pub fix: Option<Fix>,
}

/// A second place a finding speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// What it has to do with it.
    pub label: String,
}

/// A mechanical repair: edits of the source that do not overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, for people: "close the prefix".
    pub title: String,
    /// The replacements.
    pub edits: Vec<Edit>,
}

/// Replace the characters of a span by a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What goes away; empty for an insertion.
    pub span: Span,
    /// What comes instead.
    pub text: String,
}

impl Diagnostic {
    /// A finding with its place; add the rest with the methods below.
    pub fn new(
        rule: &'static str,
        severity: Severity,
        span: Span,
        message: impl Into<String>,
    ) -> Self {
        Diagnostic {
            rule,
            severity,
            message: message.into(),
            help: None,
            span,
            label: String::new(),
            related: Vec::new(),
            fix: None,
        }
    }

    /// A fault of the language itself: the model cannot be understood.
    pub fn language(rule: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Error, span, message)
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Puts a few words under the primary span.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Points at a second place.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push(Related {
            span,
            label: label.into(),
        });
        self
    }

    /// Offers a replacement of the text at `span`.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        let edit = Edit {
            span,
            text: text.into(),
        };
        match &mut self.fix {
            Some(fix) => fix.edits.push(edit),
            None => {
                self.fix = Some(Fix {
                    title: title.into(),
                    edits: vec![edit],
                });
            }
        }
        self
    }
}
