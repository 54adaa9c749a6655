//! The parser of conditions.

use std::ops::Range;

use super::{Condition, Named, Operator, Value, ValueKind};

/// Why a condition cannot be read, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionError {
    /// The characters at fault.
    pub span: Range<usize>,
    /// What is wrong and what to write.
    pub message: String,
}

/// Parentheses a condition may nest; deeper is refused, not followed.
const DEPTH: usize = 32;

/// Reads a condition.
///
/// ```
/// let condition = tablewright_descriptor::condition::parse("status in (open, done) and due exists").unwrap();
/// assert_eq!(condition.to_string(), "status in (open, done) and due exists");
/// ```
pub fn parse(text: &str) -> Result<Condition, ConditionError> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        end: text.len(),
    };
    let condition = parser.any(0)?;
    match parser.tokens.get(parser.at) {
        None => Ok(condition),
        Some(token) => Err(error(
            token.span.clone(),
            format!(
                "`{}` is left over; join conditions by `and` or `or`",
                &text[token.span.clone()]
            ),
        )),
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Word(String),
    Quoted(String),
    Number(String),
    Parameter(String),
    Operator(Operator),
    Open,
    Close,
    Comma,
}

#[derive(Debug, Clone)]
struct Token {
    kind: Kind,
    span: Range<usize>,
}

fn error(span: Range<usize>, message: impl Into<String>) -> ConditionError {
    ConditionError {
        span,
        message: message.into(),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, ConditionError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let word_end = |from: usize| {
            rest[from..]
                .find(|c: char| !is_word(c))
                .map_or(rest.len(), |end| from + end)
        };
        let (kind, length) = match first {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '(' => (Kind::Open, 1),
            ')' => (Kind::Close, 1),
            ',' => (Kind::Comma, 1),
            '=' if rest.starts_with("==") => {
                return Err(error(at..at + 2, "`==` is written `=` here"));
            }
            '=' => (Kind::Operator(Operator::Equal), 1),
            '!' if rest.starts_with("!=") => (Kind::Operator(Operator::NotEqual), 2),
            '<' if rest.starts_with("<=") => (Kind::Operator(Operator::LessOrEqual), 2),
            '<' if rest.starts_with("<>") => {
                return Err(error(at..at + 2, "`<>` is written `!=` here"));
            }
            '<' => (Kind::Operator(Operator::Less), 1),
            '>' if rest.starts_with(">=") => (Kind::Operator(Operator::GreaterOrEqual), 2),
            '>' => (Kind::Operator(Operator::Greater), 1),
            '\'' => {
                let (value, length) = quoted(rest)
                    .ok_or_else(|| error(at..text.len(), "the text has no closing quote `'`"))?;
                (Kind::Quoted(value), length)
            }
            ':' => {
                let end = word_end(1);
                if end == 1 {
                    return Err(error(at..at + 1, "a name is expected behind `:`"));
                }
                (Kind::Parameter(rest[1..end].to_owned()), end)
            }
            c if c.is_ascii_digit()
                || (c == '-' && rest[1..].starts_with(|next: char| next.is_ascii_digit())) =>
            {
                let end = rest[1..]
                    .find(|c: char| !(c.is_ascii_digit() || c == '.'))
                    .map_or(rest.len(), |end| end + 1);
                let number = &rest[..end];
                if number.parse::<f64>().is_err() || rest[end..].starts_with(is_word) {
                    let end = word_end(end.min(rest.len()));
                    return Err(error(
                        at..at + end,
                        format!("`{}` is no number; put text in 'quotes'", &rest[..end]),
                    ));
                }
                (Kind::Number(number.to_owned()), end)
            }
            c if is_word(c) => {
                let end = word_end(0);
                (Kind::Word(rest[..end].to_owned()), end)
            }
            '"' => return Err(error(at..at + 1, "text is put in single quotes: 'text'")),
            c => {
                return Err(error(
                    at..at + c.len_utf8(),
                    format!("`{c}` has no meaning in a condition"),
                ));
            }
        };
        tokens.push(Token {
            kind,
            span: at..at + length,
        });
        at += length;
    }
    Ok(tokens)
}

/// The text in quotes, a doubled quote standing for one, and how many bytes it takes.
fn quoted(rest: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != '\'' {
            value.push(c);
        } else if chars.next_if(|(_, next)| *next == '\'').is_some() {
            value.push('\'');
        } else {
            return Some((value, at + 1));
        }
    }
    None
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    end: usize,
}

impl Parser<'_> {
    fn any(&mut self, depth: usize) -> Result<Condition, ConditionError> {
        self.joined(depth, "or", Condition::Or, |parser| {
            parser.joined(depth, "and", Condition::And, |parser| parser.one(depth))
        })
    }

    fn joined(
        &mut self,
        _depth: usize,
        word: &str,
        build: fn(Vec<Condition>) -> Condition,
        part: impl Fn(&mut Self) -> Result<Condition, ConditionError>,
    ) -> Result<Condition, ConditionError> {
        let first = part(self)?;
        let mut all = vec![first];
        while self.eat_word(word) {
            all.push(part(self)?);
        }
        Ok(match (all.len(), all.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                all.extend(last);
                build(all)
            }
        })
    }

    fn one(&mut self, depth: usize) -> Result<Condition, ConditionError> {
        if depth > DEPTH {
            return Err(error(self.here(), "the condition is nested too deeply"));
        }
        if self.eat_word("not") {
            return Ok(Condition::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.eat(&Kind::Open) {
            let inner = self.any(depth + 1)?;
            if !self.eat(&Kind::Close) {
                return Err(error(self.here(), "a `)` is missing here"));
            }
            return Ok(inner);
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Condition, ConditionError> {
        let Some(Token {
            kind: Kind::Word(name),
            span,
        }) = self.tokens.get(self.at).cloned()
        else {
            return Err(error(
                self.here(),
                "a field is expected here, as in `status = open`",
            ));
        };
        self.at += 1;
        let field = Named { name, span };
        if self.eat_word("exists") {
            return Ok(Condition::Exists {
                field,
                present: true,
            });
        }
        if self.eat_word("in") {
            return self.members(field);
        }
        if self.eat_word("contains") {
            let value = self.value()?;
            return Ok(Condition::Contains { field, value });
        }
        if self.eat_word("not") {
            if self.eat_word("exists") {
                return Ok(Condition::Exists {
                    field,
                    present: false,
                });
            }
            if self.eat_word("in") {
                return Ok(Condition::Not(Box::new(self.members(field)?)));
            }
            return Err(error(
                self.here(),
                "`exists` or `in` is expected behind `not`",
            ));
        }
        let Some(Token {
            kind: Kind::Operator(operator),
            ..
        }) = self.tokens.get(self.at).cloned()
        else {
            return Err(error(
                self.here(),
                format!(
                    "a comparison is expected behind `{}`: =, !=, <, <=, >, >=, in (…), contains, exists or not exists",
                    field.name
                ),
            ));
        };
        self.at += 1;
        let value = self.value()?;
        Ok(Condition::Compare {
            field,
            operator,
            value,
        })
    }

    fn members(&mut self, field: Named) -> Result<Condition, ConditionError> {
        if !self.eat(&Kind::Open) {
            return Err(error(
                self.here(),
                "a list in parentheses is expected behind `in`",
            ));
        }
        let mut values = vec![self.value()?];
        while self.eat(&Kind::Comma) {
            values.push(self.value()?);
        }
        if !self.eat(&Kind::Close) {
            return Err(error(self.here(), "a `)` or `,` is missing here"));
        }
        Ok(Condition::In { field, values })
    }

    fn value(&mut self) -> Result<Value, ConditionError> {
        let here = self.here();
        let kind = match self.tokens.get(self.at).map(|token| &token.kind) {
            Some(Kind::Word(word)) => ValueKind::Word(word.clone()),
            Some(Kind::Quoted(text)) => ValueKind::Quoted(text.clone()),
            Some(Kind::Number(number)) => ValueKind::Number(number.clone()),
            Some(Kind::Parameter(name)) => ValueKind::Parameter(name.clone()),
            _ => {
                return Err(error(
                    here,
                    "a value is expected here: a word, a number, 'text' or :name",
                ));
            }
        };
        self.at += 1;
        Ok(Value { kind, span: here })
    }

    fn eat(&mut self, wanted: &Kind) -> bool {
        let found = self
            .tokens
            .get(self.at)
            .is_some_and(|token| token.kind == *wanted);
        self.at += usize::from(found);
        found
    }

    fn eat_word(&mut self, wanted: &str) -> bool {
        let found = matches!(
            self.tokens.get(self.at).map(|token| &token.kind),
            Some(Kind::Word(word)) if word.eq_ignore_ascii_case(wanted)
        );
        self.at += usize::from(found);
        found
    }

    /// The token that is next, or the place behind the last.
    fn here(&self) -> Range<usize> {
        self.tokens
            .get(self.at)
            .map_or(self.end..self.end, |token| token.span.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_print_back() {
        for text in [
            "status = open",
            "status in (open, done)",
            "a = 1 and b != 'it''s' and c exists",
            "a < -1.5 or (b >= :least and c not exists)",
            "not (a = b)",
            "tags contains :tag and title contains 'x'",
        ] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn and_binds_closer_than_or() {
        let condition = parse("a = 1 or b = 2 and c = 3").unwrap();
        assert_eq!(condition.to_string(), "a = 1 or (b = 2 and c = 3)");
    }

    #[test]
    fn the_same_is_said_in_any_order_and_however_deep() {
        let deep = |left: &str, right: &str| {
            let inner = (0..DEPTH).fold(String::from("z = 0"), |inner, level| match level % 2 {
                0 => format!("({inner}) {left} a{level} = 1"),
                _ => format!("b{level} = 2 {right} ({inner})"),
            });
            parse(&inner).unwrap()
        };
        let (one, other) = (deep("or", "and"), deep("and", "or"));
        assert!(one.says_the_same(&one) && !one.says_the_same(&other));
        let swapped =
            |text: &str, other: &str| parse(text).unwrap().says_the_same(&parse(other).unwrap());
        assert!(swapped(
            "a = 1 and (b = 2 or c = 3)",
            "(c = 3 or b = 2 or c = 3) and a = 1"
        ));
        assert!(!swapped("a = 1 and b = 2", "a = 1 or b = 2"));
        assert!(!swapped("not (a = 1)", "a = 1"));
    }

    #[test]
    fn a_fault_points_at_its_characters() {
        for (text, at, message) in [
            ("status == open", "==", "`==` is written `=` here"),
            ("a <> 1", "<>", "`<>` is written `!=` here"),
            ("a = \"x\"", "\"", "text is put in single quotes: 'text'"),
            ("a = 'x", "'x", "the text has no closing quote `'`"),
            ("a = 12x", "12x", "`12x` is no number; put text in 'quotes'"),
            (
                "a = 1 b",
                "b",
                "`b` is left over; join conditions by `and` or `or`",
            ),
            (
                "a in open",
                "open",
                "a list in parentheses is expected behind `in`",
            ),
            ("(a = 1", "", "a `)` is missing here"),
            ("", "", "a field is expected here, as in `status = open`"),
            ("a = 1 & b", "&", "`&` has no meaning in a condition"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.message, message);
            assert_eq!(&text[error.span.clone()], at, "{text}");
        }
        let deep = "(".repeat(10_000);
        assert_eq!(
            parse(&deep).unwrap_err().message,
            "the condition is nested too deeply"
        );
    }
}
