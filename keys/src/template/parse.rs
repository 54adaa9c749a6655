use std::ops::Range;

use super::encodings::add_encoding;
use super::{Encodings, FieldRef, Piece, Template, TemplateError, TemplateErrorKind as Kind};
use crate::ESCAPE;

/// Reads the whole text even after an error, so that one run reports everything.
pub(super) fn parse(text: &str) -> Result<Template, Vec<TemplateError>> {
    let mut parser = Parser::default();
    if text.is_empty() {
        parser.error(0..0, Kind::Empty);
    }
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at = match c {
            '{' if text[at + 1..].starts_with('{') => parser.literal(c, at..at + 2),
            '}' if text[at + 1..].starts_with('}') => parser.literal(c, at..at + 2),
            '{' => parser.field(text, at),
            '}' => {
                parser.error(at..at + 1, Kind::StrayBrace);
                at + 1
            }
            _ => parser.literal(c, at..at + c.len_utf8()),
        };
    }
    if parser.errors.is_empty() {
        Ok(Template {
            pieces: parser.pieces,
        })
    } else {
        Err(parser.errors)
    }
}

#[derive(Default)]
struct Parser {
    pieces: Vec<Piece>,
    errors: Vec<TemplateError>,
}

impl Parser {
    fn error(&mut self, span: Range<usize>, kind: Kind) {
        self.errors.push(TemplateError { span, kind });
    }

    /// Adds one character to the literal under way. Returns where to read on, as [`Self::field`] does.
    fn literal(&mut self, c: char, span: Range<usize>) -> usize {
        if c == ESCAPE {
            self.error(span.clone(), Kind::DollarInLiteral);
        } else if c.is_control() {
            self.error(span.clone(), Kind::ControlCharacter(c));
        }
        let end = span.end;
        match self.pieces.last_mut() {
            Some(Piece::Literal { text, span }) => {
                text.push(c);
                span.end = end;
            }
            _ => self.pieces.push(Piece::Literal {
                text: c.into(),
                span,
            }),
        }
        end
    }

    /// Reads `{name:encoding…}` from its `{` at `open`.
    fn field(&mut self, text: &str, open: usize) -> usize {
        let inside_from = open + 1;
        // A second `{` before the `}` means the first was never closed; reading on from it keeps its errors apart.
        let Some(length) = text[inside_from..].find(['{', '}']) else {
            self.error(open..text.len(), Kind::UnclosedBrace);
            return text.len();
        };
        let inside = &text[inside_from..inside_from + length];
        let close = inside_from + length;
        if text[close..].starts_with('{') {
            self.error(open..close, Kind::UnclosedBrace);
            return close;
        }

        let mut words = inside.split(':');
        let name = words.next().unwrap_or_default();
        let name_span = inside_from..inside_from + name.len();
        if name.is_empty() {
            self.error(open..close + 1, Kind::EmptyField);
        } else if !is_field_name(name) {
            self.error(name_span.clone(), Kind::BadFieldName(name.to_owned()));
        }
        let mut encodings = Encodings::default();
        let mut earlier: Vec<&str> = Vec::new();
        let mut at = name_span.end + 1;
        for word in words {
            match add_encoding(&mut encodings, word, &earlier) {
                Ok(()) => earlier.push(word),
                Err(kind) if word.is_empty() => self.error(at - 1..at, kind),
                Err(kind) => self.error(at..at + word.len(), kind),
            }
            at += word.len() + 1;
        }
        let span = open..close + 1;
        self.pieces.push(Piece::Field(FieldRef {
            name: name.to_owned(),
            encodings,
            span,
            name_span,
        }));
        close + 1
    }
}

fn is_field_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Range<usize>, Kind)> {
        let errors = parse(text).unwrap_err();
        errors
            .into_iter()
            .map(|error| (error.span, error.kind))
            .collect()
    }

    #[test]
    fn literals_and_fields_know_where_they_stand() {
        let template = parse("é#{a}{b:08}").unwrap();
        let fields: Vec<_> = template.fields().collect();
        assert_eq!(template.leading_literal(), "é#");
        assert_eq!(
            (fields[0].span.clone(), fields[0].name_span.clone()),
            (3..6, 4..5)
        );
        assert_eq!(
            (fields[1].span.clone(), fields[1].name_span.clone()),
            (6..12, 7..8)
        );
        assert_eq!(
            fields[1].encodings,
            Encodings {
                pad: Some(8),
                ..Encodings::default()
            }
        );
        assert!(!template.is_constant());
    }

    #[test]
    fn doubled_braces_are_braces() {
        let template = parse("{{{a}}}x").unwrap();
        assert_eq!(template.leading_literal(), "{");
        assert_eq!(template.pieces.len(), 3);
        assert_eq!(template.to_string(), "{{{a}}}x");
        assert!(parse("{{}}").unwrap().is_constant());
    }

    #[test]
    fn braces_must_pair() {
        assert_eq!(kinds("A#{b"), [(2..4, Kind::UnclosedBrace)]);
        assert_eq!(kinds("A}#"), [(1..2, Kind::StrayBrace)]);
        assert_eq!(kinds("{a{b}"), [(0..2, Kind::UnclosedBrace)]);
        assert_eq!(
            kinds("{}}"),
            [(0..2, Kind::EmptyField), (2..3, Kind::StrayBrace)]
        );
    }

    #[test]
    fn names_are_plain() {
        assert_eq!(kinds("{a.b}"), [(1..4, Kind::BadFieldName("a.b".into()))]);
        assert_eq!(kinds("{1a}"), [(1..3, Kind::BadFieldName("1a".into()))]);
        assert_eq!(kinds("{ a}"), [(1..3, Kind::BadFieldName(" a".into()))]);
        assert_eq!(kinds("{é}"), [(1..3, Kind::BadFieldName("é".into()))]);
        assert_eq!(kinds("{:08}"), [(0..5, Kind::EmptyField)]);
        assert!(parse("{_a1}").is_ok());
    }

    #[test]
    fn everything_wrong_is_reported_at_once() {
        let all = kinds("A$\n{a.b:dsc:0}{}}");
        let spans: Vec<_> = all.iter().map(|(span, _)| span.clone()).collect();
        assert_eq!(spans, [1..2, 2..3, 4..7, 8..11, 12..13, 14..16, 16..17]);
        assert_eq!(all[0].1, Kind::DollarInLiteral);
        assert_eq!(all[1].1, Kind::ControlCharacter('\n'));
        assert_eq!(kinds(""), [(0..0, Kind::Empty)]);
    }
}
