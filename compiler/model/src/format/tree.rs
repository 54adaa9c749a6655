//! From tokens to statements. The text is known to be TOML, so nothing here can fail: what it does not expect it steps over.

use toml_parser::Source;
use toml_parser::lexer::{Token, TokenKind};

/// One thing at the top level of the file.
#[derive(Debug)]
pub(super) enum Statement<'t> {
    /// An empty line.
    Blank,
    /// A comment on a line of its own.
    Comment(&'t str),
    /// `[table]` or `[[table]]`.
    Header {
        name: String,
        remark: Option<Remark<'t>>,
    },
    /// `key = value`.
    Pair {
        key: Key,
        value: Value<'t>,
        remark: Option<Remark<'t>>,
    },
}

/// A comment behind something else.
#[derive(Debug, Clone, Copy)]
pub(super) struct Remark<'t> {
    pub(super) text: &'t str,
    /// The column it had in the source, in characters from 0.
    pub(super) column: usize,
}

/// A key without the white space that may surround its dots.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) dotted: bool,
}

/// What stands right of `=` or in an array.
#[derive(Debug)]
pub(super) enum Value<'t> {
    /// Anything without parts of its own, as it was written.
    Scalar(&'t str),
    /// `[ … ]`
    Array(Vec<Piece<'t>>),
    /// `{ … }`
    Table(Vec<Piece<'t>>),
}

/// What stands between the brackets of a collection. Commas are implied.
#[derive(Debug)]
pub(super) enum Piece<'t> {
    Item {
        key: Option<Key>,
        value: Value<'t>,
    },
    Remark(Remark<'t>),
    /// The end of a line.
    Break,
}

impl Value<'_> {
    /// Whether it goes over several lines.
    pub(super) fn is_tall(&self) -> bool {
        match self {
            Value::Scalar(text) => text.contains('\n'),
            Value::Array(pieces) | Value::Table(pieces) => pieces.iter().any(|piece| match piece {
                Piece::Break => true,
                Piece::Remark(_) => false,
                Piece::Item { value, .. } => value.is_tall(),
            }),
        }
    }
}

/// Reads the statements of a text that is TOML.
pub(super) fn read(text: &str) -> Vec<Statement<'_>> {
    let mut reader = Reader {
        text,
        tokens: Source::new(text).lex().into_vec(),
        next: 0,
    };
    let mut statements = Vec::new();
    while reader.peek() != TokenKind::Eof {
        statements.push(reader.statement());
    }
    statements
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    next: usize,
}

impl<'t> Reader<'t> {
    /// The kind of the next token; the end repeats itself.
    fn peek(&self) -> TokenKind {
        self.tokens
            .get(self.next)
            .map_or(TokenKind::Eof, Token::kind)
    }

    /// The text of the next token, which is consumed.
    fn take(&mut self) -> &'t str {
        let Some(token) = self.tokens.get(self.next) else {
            return "";
        };
        self.next += 1;
        let span = token.span();
        self.text.get(span.start()..span.end()).unwrap_or_default()
    }

    fn skip(&mut self, kind: TokenKind) {
        if self.peek() == kind {
            self.take();
        }
    }

    fn statement(&mut self) -> Statement<'t> {
        self.skip(TokenKind::Whitespace);
        let statement = match self.peek() {
            TokenKind::Newline | TokenKind::Eof => Statement::Blank,
            TokenKind::Comment => Statement::Comment(self.take().trim_end()),
            TokenKind::LeftSquareBracket => self.header(),
            _ => {
                let key = self.key();
                self.skip(TokenKind::Equals);
                let value = self.value();
                let remark = self.remark();
                Statement::Pair { key, value, remark }
            }
        };
        // Only the end of the line is left; anything else would not be TOML.
        while !matches!(self.peek(), TokenKind::Newline | TokenKind::Eof) {
            self.take();
        }
        self.take();
        statement
    }

    fn header(&mut self) -> Statement<'t> {
        let mut brackets = 0;
        while self.peek() == TokenKind::LeftSquareBracket {
            brackets += 1;
            self.take();
        }
        let key = self.key();
        while self.peek() == TokenKind::RightSquareBracket {
            self.take();
        }
        let name = format!(
            "{}{}{}",
            "[".repeat(brackets),
            key.text,
            "]".repeat(brackets)
        );
        Statement::Header {
            name,
            remark: self.remark(),
        }
    }

    /// Up to the `=` or `]` behind it.
    fn key(&mut self) -> Key {
        let mut key = Key {
            text: String::new(),
            dotted: false,
        };
        loop {
            match self.peek() {
                TokenKind::Equals
                | TokenKind::RightSquareBracket
                | TokenKind::Newline
                | TokenKind::Eof => return key,
                TokenKind::Whitespace => {
                    self.take();
                }
                kind => {
                    key.dotted |= kind == TokenKind::Dot;
                    key.text.push_str(self.take());
                }
            }
        }
    }

    fn value(&mut self) -> Value<'t> {
        self.skip(TokenKind::Whitespace);
        match self.peek() {
            TokenKind::LeftSquareBracket => {
                self.take();
                Value::Array(self.content(TokenKind::RightSquareBracket))
            }
            TokenKind::LeftCurlyBracket => {
                self.take();
                Value::Table(self.content(TokenKind::RightCurlyBracket))
            }
            _ => self.scalar(),
        }
    }

    /// A string is one token; a number or a date may be several, with a space in it.
    fn scalar(&mut self) -> Value<'t> {
        let start = self.position();
        let mut end = start;
        while !matches!(
            self.peek(),
            TokenKind::Comma
                | TokenKind::RightSquareBracket
                | TokenKind::RightCurlyBracket
                | TokenKind::Comment
                | TokenKind::Newline
                | TokenKind::Eof
        ) {
            let blank = self.peek() == TokenKind::Whitespace;
            self.take();
            if !blank {
                end = self.position();
            }
        }
        Value::Scalar(self.text.get(start..end).unwrap_or_default())
    }

    /// What stands up to the closing bracket. Nothing over several lines is nothing.
    fn content(&mut self, close: TokenKind) -> Vec<Piece<'t>> {
        let mut pieces = self.pieces(close);
        if pieces.iter().all(|piece| matches!(piece, Piece::Break)) {
            pieces.clear();
        }
        pieces
    }

    /// Every piece up to the closing bracket, which is consumed.
    fn pieces(&mut self, close: TokenKind) -> Vec<Piece<'t>> {
        let mut pieces = Vec::new();
        loop {
            match self.peek() {
                TokenKind::Eof => return pieces,
                kind if kind == close => {
                    self.take();
                    return pieces;
                }
                TokenKind::Whitespace | TokenKind::Comma => {
                    self.take();
                }
                TokenKind::Newline => {
                    self.take();
                    pieces.push(Piece::Break);
                }
                TokenKind::Comment => pieces.extend(self.remark().map(Piece::Remark)),
                _ => {
                    let key = (close == TokenKind::RightCurlyBracket).then(|| {
                        let key = self.key();
                        self.skip(TokenKind::Equals);
                        key
                    });
                    let value = self.value();
                    pieces.push(Piece::Item { key, value });
                }
            }
        }
    }

    /// The comment that ends this line, if there is one.
    fn remark(&mut self) -> Option<Remark<'t>> {
        self.skip(TokenKind::Whitespace);
        if self.peek() != TokenKind::Comment {
            return None;
        }
        let before = self.text.get(..self.position()).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some(Remark {
            column: before.get(line..).unwrap_or_default().chars().count(),
            text: self.take().trim_end(),
        })
    }

    /// Where the next token begins.
    fn position(&self) -> usize {
        self.tokens
            .get(self.next)
            .map_or(self.text.len(), |token| token.span().start())
    }
}
