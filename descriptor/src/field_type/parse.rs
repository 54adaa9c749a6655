//! The parser of type strings.

use std::ops::Range;

use tablewright_keys::Precision;

use super::{DeclaredType, FieldType, Length};
use crate::suggest;

/// Why a type string cannot be read, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeError {
    /// The characters at fault, in bytes of the type string.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// The words that begin a type.
const WORDS: &[&str] = &[
    "string",
    "id",
    "uuid",
    "ulid",
    "email",
    "bool",
    "int",
    "decimal",
    "date",
    "timestamp",
    "epoch_seconds",
    "epoch_millis",
    "enum",
    "ordered",
    "binary",
    "list",
    "set",
    "map",
    "json",
];

/// Nesting a type string may have; deeper is refused, not followed.
const DEPTH: usize = 16;

/// Reads a type string such as `list(string(..20), 1..5)?`.
///
/// ```
/// use tablewright_descriptor::field_type::{parse, FieldType};
/// let declared = parse("enum(open, done)? = open").unwrap();
/// assert!(declared.optional);
/// assert_eq!(declared.default.as_deref(), Some("open"));
/// assert_eq!(declared.kind.to_string(), "enum(open, done)");
/// ```
pub fn parse(text: &str) -> Result<DeclaredType, TypeError> {
    let mut parser = Parser { text, at: 0 };
    let kind = parser.kind(0)?;
    let optional = parser.eat('?');
    let default = if parser.eat('=') {
        let value = parser.rest().trim();
        let start = text.len() - parser.rest().trim_start().len();
        check_default(&kind, value).map_err(|(message, help)| TypeError {
            span: start..start + value.len(),
            message,
            help,
        })?;
        parser.at = text.len();
        Some(value.to_owned())
    } else {
        None
    };
    parser.skip_space();
    if parser.at < text.len() {
        return Err(parser.error(
            parser.at..text.len(),
            format!("`{}` is left over behind the type", parser.rest()),
            "a type ends with `?` when optional and `= value` for a default",
        ));
    }
    Ok(DeclaredType {
        kind,
        optional,
        default,
    })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn kind(&mut self, depth: usize) -> Result<FieldType, TypeError> {
        self.skip_space();
        let start = self.at;
        let word = self.word();
        let span = start..self.at;
        if depth > DEPTH {
            return Err(self.error(span, "types are nested too deeply".into(), "use a [struct]"));
        }
        if word.is_empty() {
            let end = self.text[start..]
                .chars()
                .next()
                .map_or(start, |c| start + c.len_utf8());
            return Err(self.error(
                start..end,
                "a type is expected here".into(),
                "for instance string(1..200), id, int(0..100), enum(open, done)",
            ));
        }
        if word.starts_with(|first: char| first.is_ascii_uppercase()) {
            return Ok(FieldType::Struct(word.to_owned()));
        }
        let plain = |kind| Ok(kind);
        match word {
            "string" => Ok(FieldType::String(self.length()?)),
            "binary" => Ok(FieldType::Binary(self.length()?)),
            "json" => Ok(FieldType::Json(self.length()?)),
            "int" => self.int(),
            "timestamp" => self.timestamp(),
            "enum" => Ok(FieldType::Enum(self.words(span)?)),
            "ordered" => Ok(FieldType::Ordered(self.words(span)?)),
            "list" => self.several(span, depth, FieldType::List),
            "map" => self.several(span, depth, FieldType::Map),
            "set" => {
                let set = self.several(span.clone(), depth, FieldType::Set)?;
                match &set {
                    FieldType::Set(of, _) if !matches!(of.stored_as(), "S" | "N") => Err(self
                        .error(
                            span,
                            format!("a set cannot hold {of}"),
                            "DynamoDB has sets of strings and of numbers; use a list",
                        )),
                    _ => Ok(set),
                }
            }
            "id" => plain(FieldType::Id),
            "uuid" => plain(FieldType::Uuid),
            "ulid" => plain(FieldType::Ulid),
            "email" => plain(FieldType::Email),
            "bool" => plain(FieldType::Bool),
            "decimal" => plain(FieldType::Decimal),
            "date" => plain(FieldType::Date),
            "epoch_seconds" => plain(FieldType::EpochSeconds),
            "epoch_millis" => plain(FieldType::EpochMillis),
            _ => Err(TypeError {
                span,
                message: format!("there is no type `{word}`"),
                help: suggest::hint(word, WORDS.iter().copied())
                    .map(|hint| format!("{hint}; a [struct] begins with a capital letter")),
            }),
        }
    }

    fn int(&mut self) -> Result<FieldType, TypeError> {
        let Some((min, max, span)) = self.range()? else {
            return Ok(FieldType::Int {
                min: None,
                max: None,
            });
        };
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            return Err(self.error(
                span,
                format!("{min}..{max} is empty"),
                "write the lesser end first",
            ));
        }
        Ok(FieldType::Int { min, max })
    }

    fn length(&mut self) -> Result<Length, TypeError> {
        let Some((min, max, span)) = self.range()? else {
            return Ok(Length::default());
        };
        self.as_length(min, max, span)
    }

    fn as_length(
        &self,
        min: Option<i64>,
        max: Option<i64>,
        span: Range<usize>,
    ) -> Result<Length, TypeError> {
        let in_range = |end: i64| u32::try_from(end).ok();
        let length = min.map_or(Some(0), in_range).and_then(|min| match max {
            None => Some(Length { min, max: None }),
            Some(max) => in_range(max)
                .filter(|max| *max >= min && *max > 0)
                .map(|max| Length {
                    min,
                    max: Some(max),
                }),
        });
        length.ok_or_else(|| {
            self.error(
                span,
                "this is no length".into(),
                "a length is a range from 0 on, the lesser end first: 1..200, or ..200",
            )
        })
    }

    fn timestamp(&mut self) -> Result<FieldType, TypeError> {
        if !self.eat('(') {
            return Ok(FieldType::Timestamp(Precision::Millis));
        }
        self.skip_space();
        let start = self.at;
        let word = self.word();
        let span = start..self.at;
        let kind = match word {
            "s" => FieldType::Timestamp(Precision::Seconds),
            "ms" => FieldType::Timestamp(Precision::Millis),
            "us" => FieldType::Timestamp(Precision::Micros),
            "any" => FieldType::UnevenTimestamp,
            _ => {
                return Err(self.error(
                    span,
                    format!("`{word}` is no precision"),
                    "it can be `s`, `ms`, `us` or `any`",
                ));
            }
        };
        self.close()?;
        Ok(kind)
    }

    fn words(&mut self, word: Range<usize>) -> Result<Vec<String>, TypeError> {
        if !self.eat('(') {
            return Err(self.error(word, "which words?".into(), "list them: enum(open, done)"));
        }
        let mut words: Vec<String> = Vec::new();
        loop {
            self.skip_space();
            let start = self.at;
            let word = self.word();
            let span = start..self.at;
            if word.is_empty() {
                return Err(self.error(
                    start..self.text.len().min(start + 1),
                    "a word is expected here".into(),
                    "words are letters, digits, `_` and `-`, divided by commas",
                ));
            }
            if words.iter().any(|other| other == word) {
                return Err(self.error(span, format!("`{word}` is there twice"), "each word once"));
            }
            words.push(word.to_owned());
            if !self.eat(',') {
                break;
            }
        }
        self.close()?;
        Ok(words)
    }

    fn several(
        &mut self,
        word: Range<usize>,
        depth: usize,
        build: fn(Box<FieldType>, Length) -> FieldType,
    ) -> Result<FieldType, TypeError> {
        if !self.eat('(') {
            return Err(self.error(
                word,
                "of what?".into(),
                "say what it holds and how many: list(string(..50), ..10)",
            ));
        }
        let of = self.kind(depth + 1)?;
        let mut length = Length::default();
        if self.eat(',') {
            let (min, max, span) = self.ends()?;
            length = self.as_length(min, max, span)?;
        }
        self.close()?;
        Ok(build(Box::new(of), length))
    }

    /// A range in parentheses, if there is one.
    #[allow(clippy::type_complexity)]
    fn range(&mut self) -> Result<Option<(Option<i64>, Option<i64>, Range<usize>)>, TypeError> {
        if !self.eat('(') {
            return Ok(None);
        }
        let range = self.ends()?;
        self.close()?;
        Ok(Some(range))
    }

    /// The two ends of a range: `1..200`, `..200`, `1..`.
    #[allow(clippy::type_complexity)]
    fn ends(&mut self) -> Result<(Option<i64>, Option<i64>, Range<usize>), TypeError> {
        self.skip_space();
        let start = self.at;
        let min = self.number()?;
        self.skip_space();
        if !self.rest().starts_with("..") {
            let end = self.text.len().min(self.at + 1).max(start);
            return Err(self.error(
                self.boundary(start)..self.boundary(end),
                "a range is expected here".into(),
                "both ends are included: 1..200, ..200, 1..",
            ));
        }
        self.at += 2;
        let max = self.number()?;
        Ok((min, max, start..self.at))
    }

    fn number(&mut self) -> Result<Option<i64>, TypeError> {
        self.skip_space();
        let start = self.at;
        let rest = self.rest();
        let digits = rest
            .char_indices()
            .find(|(at, c)| !(c.is_ascii_digit() || *c == '_' || (*at == 0 && *c == '-')))
            .map_or(rest.len(), |(at, _)| at);
        self.at += digits;
        if digits == 0 {
            return Ok(None);
        }
        let plain: String = rest[..digits].chars().filter(|c| *c != '_').collect();
        plain.parse().map(Some).map_err(|_| {
            self.error(
                start..start + digits,
                "this number is too large".into(),
                "it must fit in 64 bits",
            )
        })
    }

    fn close(&mut self) -> Result<(), TypeError> {
        if self.eat(')') {
            return Ok(());
        }
        let end = self.boundary(self.text.len().min(self.at + 1));
        Err(self.error(
            self.at..end,
            "a `)` is missing here".into(),
            "close the parenthesis",
        ))
    }

    fn word(&mut self) -> &'t str {
        self.skip_space();
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn boundary(&self, mut at: usize) -> usize {
        while !self.text.is_char_boundary(at) {
            at += 1;
        }
        at
    }

    fn error(&self, span: Range<usize>, message: String, help: &str) -> TypeError {
        TypeError {
            span,
            message,
            help: Some(help.to_owned()),
        }
    }
}

/// Whether a default is a value of its type.
fn check_default(kind: &FieldType, value: &str) -> Result<(), (String, Option<String>)> {
    let ok = match kind {
        FieldType::Bool => matches!(value, "true" | "false"),
        FieldType::Int { min, max } => value.parse::<i64>().is_ok_and(|value| {
            min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
        }),
        FieldType::Decimal => value.parse::<f64>().is_ok_and(f64::is_finite),
        FieldType::Enum(words) | FieldType::Ordered(words) => {
            if !words.iter().any(|word| word == value) {
                let hint = suggest::hint(value, words.iter().map(String::as_str));
                return Err((format!("the default `{value}` is none of the words"), hint));
            }
            true
        }
        FieldType::String(length) => {
            let count = u32::try_from(value.chars().count()).unwrap_or(u32::MAX);
            count >= length.min && length.max.is_none_or(|max| count <= max)
        }
        _ => {
            return Err((
                format!("a default cannot be given for {kind}"),
                Some("defaults are for string, bool, int, decimal, enum and ordered".to_owned()),
            ));
        }
    };
    if ok && !value.is_empty() {
        Ok(())
    } else {
        Err((format!("the default `{value}` is no {kind}"), None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_print_back_as_they_were_written() {
        for text in [
            "string",
            "string(1..200)",
            "string(..1000)",
            "id",
            "uuid",
            "ulid",
            "email",
            "bool",
            "int",
            "int(-5..5)",
            "int(0..)",
            "decimal",
            "date",
            "timestamp",
            "timestamp(s)",
            "timestamp(us)",
            "timestamp(any)",
            "epoch_seconds",
            "epoch_millis",
            "enum(a, b)",
            "ordered(low, in-between, high)",
            "binary(..1024)",
            "list(string(..20), 1..5)",
            "list(Address, ..5)",
            "set(int, ..3)",
            "map(list(int, ..2), ..9)",
            "json(..4096)",
            "Address",
        ] {
            let declared = parse(text).unwrap();
            assert_eq!(declared.kind.to_string(), text);
            assert!(!declared.optional);
        }
    }

    #[test]
    fn a_fault_points_at_its_characters() {
        for (text, at, message) in [
            ("strng(1..2)", "strng", "there is no type `strng`"),
            ("string(5..2)", "5..2", "this is no length"),
            ("string(-1..2)", "-1..2", "this is no length"),
            ("string(1..2", "", "a `)` is missing here"),
            ("enum(a, a)", "a", "`a` is there twice"),
            ("enum()", ")", "a word is expected here"),
            (
                "enum(a, b) = c",
                "c",
                "the default `c` is none of the words",
            ),
            ("int(0..10) = 11", "11", "the default `11` is no int(0..10)"),
            ("int(9..1)", "9..1", "9..1 is empty"),
            (
                "int(99999999999999999999..)",
                "99999999999999999999",
                "this number is too large",
            ),
            ("list", "list", "of what?"),
            ("set(bool, ..2)", "set", "a set cannot hold bool"),
            ("id x", "x", "`x` is left over behind the type"),
            ("", "", "a type is expected here"),
            ("timestamp(ns)", "ns", "`ns` is no precision"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.message, message, "{text}");
            assert_eq!(&text[error.span.clone()], at, "{text}");
        }
    }
}
