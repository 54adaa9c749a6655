use std::fmt;
use std::ops::Range;

use crate::nearest::distance_within;

/// Something wrong in the text of a template. Displays what is wrong and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    /// Where, in bytes of the template's text.
    pub span: Range<usize>,
    /// What.
    pub kind: TemplateErrorKind,
}

/// What can be wrong in the text of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateErrorKind {
    /// The template has no text.
    Empty,
    /// A `{` without its `}`.
    UnclosedBrace,
    /// A `}` without its `{`.
    StrayBrace,
    /// `{}`, or encodings without a name.
    EmptyField,
    /// A name that no field can have.
    BadFieldName(String),
    /// An encoding that does not exist, as it was written; empty after a lone `:`.
    UnknownEncoding(String),
    /// A padding that is not `0` and a width from 1 to 19, as it was written.
    BadPad(String),
    /// A shard count that is not `shard(2)` to `shard(1000)`, as it was written.
    BadShard(String),
    /// The same encoding twice, as it was written the second time.
    RepeatedEncoding(String),
    /// Two encodings that cannot be combined.
    ConflictingEncodings {
        /// The one written first.
        first: String,
        /// The one that does not go with it.
        second: String,
    },
    /// The escape character in a literal.
    DollarInLiteral,
    /// A control character in a literal.
    ControlCharacter(char),
}

impl fmt::Display for TemplateErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                f.write_str("the template is empty; write at least a literal such as `TASK#`")
            }
            Self::UnclosedBrace => f.write_str(
                "this `{` is never closed; close the field with `}`, or write `{{` for a brace",
            ),
            Self::StrayBrace => f.write_str("this `}` closes nothing; write `}}` for a brace"),
            Self::EmptyField => {
                f.write_str("the field has no name; write it between the braces: `{name}`")
            }
            Self::BadFieldName(name) if name.contains('.') => {
                write!(
                    f,
                    "`{}` reaches into a field; a key takes top-level fields only, without dots",
                    name.escape_debug()
                )
            }
            Self::BadFieldName(name) => write!(
                f,
                "`{}` is not a field name; names are letters, digits and `_`, and do not start with a digit",
                name.escape_debug()
            ),
            Self::UnknownEncoding(written) if written.is_empty() => {
                f.write_str("an encoding is missing after this `:`; name one, or remove the `:`")
            }
            Self::UnknownEncoding(written) => {
                write!(
                    f,
                    "there is no encoding `{}`; {}",
                    written.escape_debug(),
                    advice_for(written)
                )
            }
            Self::BadPad(written) => write!(
                f,
                "`{written}` is not a padding; write a zero and the width, from `01` to `019`, such as `{{n:08}}`"
            ),
            Self::BadShard(written) => {
                write!(
                    f,
                    "`{written}` is not a shard count; write `shard(2)` to `shard(1000)`"
                )
            }
            Self::RepeatedEncoding(written) => {
                write!(f, "`{written}` repeats an encoding; remove one of the two")
            }
            Self::ConflictingEncodings { first, second } => {
                write!(
                    f,
                    "`{first}` and `{second}` cannot be combined; remove one of the two"
                )
            }
            Self::DollarInLiteral => f.write_str(
                "`$` is the escape character and cannot stand in a literal; use another character",
            ),
            Self::ControlCharacter(c) => {
                write!(
                    f,
                    "the control character {c:?} cannot stand in a literal; remove it"
                )
            }
        }
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for TemplateError {}

/// What people write elsewhere for the same thing, and what it is called here.
const ALSO_CALLED: [(&str, &str); 9] = [
    ("descending", "desc"),
    ("reverse", "desc"),
    ("rev", "desc"),
    ("lowercase", "lower"),
    ("lc", "lower"),
    ("order", "rank"),
    ("ordinal", "rank"),
    ("hash", "shard(16)"),
    ("pad", "08"),
];

fn advice_for(written: &str) -> String {
    let lower = written.to_ascii_lowercase();
    if matches!(lower.as_str(), "asc" | "ascending") {
        return "keys sort in ascending order anyway, leave it out".to_owned();
    }
    let synonym = ALSO_CALLED
        .iter()
        .find(|(other, _)| *other == lower)
        .map(|(_, name)| *name);
    let name = lower.split('(').next().unwrap_or_default();
    let near = ["rank", "desc", "lower", "raw", "shard"]
        .into_iter()
        .find(|known| is_near(known, name));
    match synonym.or(near) {
        Some("shard") => "did you mean `shard(16)`?".to_owned(),
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "the encodings are `08`, `rank`, `desc`, `lower`, `shard(16)` and `raw`".to_owned(),
    }
}

/// Whether at most one edit for short names, two for longer ones, leads from one to the other.
fn is_near(known: &str, written: &str) -> bool {
    let allowed = known.len().saturating_sub(2).min(2);
    distance_within(known, written, allowed).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_encoding_is_recognised() {
        for (written, meant) in [
            ("dsc", "`desc`"),
            ("DESC", "`desc`"),
            ("reverse", "`desc`"),
            ("lowre", "`lower`"),
            ("ranks", "`rank`"),
            ("row", "`raw`"),
            ("shar(4)", "`shard(16)`"),
            ("hash", "`shard(16)`"),
            ("ascending", "leave it out"),
            ("base64", "the encodings are"),
        ] {
            let advice = advice_for(written);
            assert!(advice.contains(meant), "{written}: {advice}");
        }
    }
}
