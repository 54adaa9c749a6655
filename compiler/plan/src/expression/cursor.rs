//! A place among the tokens, and what every kind of expression reads alike.

use super::ast::{NameRef, Path, PathSegment, ValueRef};
use super::error::{ExpressionError, ExpressionErrorKind};
use super::token::{Token, TokenKind, tokenize};
use super::{MAX_DEPTH, MAX_EXPRESSION_BYTES, MAX_OPERATORS, Span};

/// Reads the tokens of a text from left to right.
pub(super) struct Cursor<'text> {
    text: &'text str,
    tokens: Vec<Token>,
    /// What stands behind the tokens.
    end: Token,
    position: usize,
    depth: usize,
    operators: usize,
}

impl<'text> Cursor<'text> {
    pub(super) fn new(text: &'text str) -> Result<Cursor<'text>, ExpressionError> {
        if text.len() > MAX_EXPRESSION_BYTES {
            let bytes = text.len();
            let kind = ExpressionErrorKind::TooLong { bytes };
            return Err(ExpressionError::new(0..bytes, kind));
        }
        let (tokens, end) = tokenize(text);
        if tokens.is_empty() && end.kind == TokenKind::End {
            let kind = ExpressionErrorKind::Empty;
            return Err(ExpressionError::new(0..text.len(), kind));
        }
        Ok(Cursor {
            text,
            tokens,
            end,
            position: 0,
            depth: 0,
            operators: 0,
        })
    }

    /// The token `ahead` places on.
    pub(super) fn token(&self, ahead: usize) -> &Token {
        self.tokens.get(self.position + ahead).unwrap_or(&self.end)
    }

    pub(super) fn kind(&self) -> &TokenKind {
        &self.token(0).kind
    }

    pub(super) fn span(&self) -> Span {
        self.token(0).span.clone()
    }

    /// The text of the current token.
    pub(super) fn word(&self) -> &'text str {
        self.slice(self.span())
    }

    pub(super) fn slice(&self, span: Span) -> &'text str {
        self.text.get(span).unwrap_or_default()
    }

    /// Steps over the current token and gives its place.
    pub(super) fn take(&mut self) -> Span {
        let span = self.span();
        self.position += 1;
        span
    }

    pub(super) fn take_if(&mut self, kind: &TokenKind) -> Option<Span> {
        (self.kind() == kind).then(|| self.take())
    }

    pub(super) fn at_keyword(&self, keyword: &str) -> bool {
        *self.kind() == TokenKind::Word && self.word().eq_ignore_ascii_case(keyword)
    }

    pub(super) fn take_keyword(&mut self, keyword: &str) -> Option<Span> {
        self.at_keyword(keyword).then(|| self.take())
    }

    /// Whether a name and a `(` stand here.
    pub(super) fn at_call(&self) -> bool {
        *self.kind() == TokenKind::Word && self.token(1).kind == TokenKind::LeftParenthesis
    }

    /// From `start` to the end of the token read last.
    pub(super) fn span_from(&self, start: usize) -> Span {
        let last = self.position.checked_sub(1);
        let last = last.and_then(|position| self.tokens.get(position));
        start..last.map_or(start, |token| token.span.end.max(start))
    }

    /// Counts one operator or function, which stands at `span`.
    pub(super) fn count_operator(&mut self, span: &Span) -> Result<(), ExpressionError> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            let kind = ExpressionErrorKind::TooManyOperators;
            return Err(ExpressionError::new(span.clone(), kind));
        }
        Ok(())
    }

    /// Reads something one level deeper.
    pub(super) fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ExpressionError>,
    ) -> Result<T, ExpressionError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(ExpressionErrorKind::TooDeep));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// An error about the current token.
    pub(super) fn error(&self, kind: ExpressionErrorKind) -> ExpressionError {
        ExpressionError::new(self.span(), kind)
    }

    /// The error for a token that cannot stand here, where `expected` should.
    pub(super) fn unexpected(&self, expected: &'static str) -> ExpressionError {
        let at_end = *self.kind() == TokenKind::End;
        let found = (!at_end).then(|| self.word().to_owned());
        self.misplaced(ExpressionErrorKind::Expected { expected, found })
    }

    /// An error about the current token, unless the token is wrong by itself: then that is told.
    pub(super) fn misplaced(&self, otherwise: ExpressionErrorKind) -> ExpressionError {
        if let TokenKind::Wrong(kind) = self.kind() {
            return self.error(kind.clone());
        }
        self.hyphenated_name()
            .unwrap_or_else(|| self.error(otherwise))
    }

    /// A `-` without spaces between two words is meant as a part of the name.
    fn hyphenated_name(&self) -> Option<ExpressionError> {
        let before = self.tokens.get(self.position.checked_sub(1)?)?;
        let mut end = before.span.end;
        for ahead in (0..).step_by(2) {
            let (hyphen, after) = (self.token(ahead), self.token(ahead + 1));
            let goes_on = hyphen.kind == TokenKind::Minus
                && matches!(after.kind, TokenKind::Word | TokenKind::Number)
                && (end, hyphen.span.end) == (hyphen.span.start, after.span.start);
            if !goes_on {
                break;
            }
            end = after.span.end;
        }
        let span = before.span.start..end;
        let text = self.slice(span.clone()).to_owned();
        let kind = match before.kind {
            _ if end == before.span.end => return None,
            TokenKind::Word => ExpressionErrorKind::NameNeedsAlias { name: text },
            TokenKind::Alias | TokenKind::Value => ExpressionErrorKind::PlaceholderName { text },
            _ => return None,
        };
        Some(ExpressionError::new(span, kind))
    }

    /// The place of the `)` that closes the `(` which stands `ahead` places on, as its distance.
    pub(super) fn closing(&self, ahead: usize) -> Option<usize> {
        let mut open = 0_usize;
        let behind = self.tokens.iter().skip(self.position + ahead);
        for (distance, token) in behind.enumerate() {
            match token.kind {
                TokenKind::LeftParenthesis => open += 1,
                TokenKind::RightParenthesis => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return (distance > 0).then_some(ahead + distance);
            }
        }
        None
    }

    /// Reads `( something )`.
    pub(super) fn parenthesised<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ExpressionError>,
    ) -> Result<T, ExpressionError> {
        if let (Some(outer), Some(inner)) = (self.closing(0), self.closing(1))
            && inner + 1 == outer
        {
            let span = self.span().start..self.token(outer).span.end;
            let kind = ExpressionErrorKind::RedundantParentheses;
            return Err(ExpressionError::new(span, kind));
        }
        let open = self.take();
        let inside = self.deeper(read)?;
        self.close(&open, "`)`")?;
        Ok(inside)
    }

    /// Reads the `)` of the `(` at `open`.
    pub(super) fn close(
        &mut self,
        open: &Span,
        expected: &'static str,
    ) -> Result<Span, ExpressionError> {
        match self.kind() {
            TokenKind::RightParenthesis => Ok(self.take()),
            TokenKind::End => {
                let kind = ExpressionErrorKind::UnclosedParenthesis;
                Err(ExpressionError::new(open.clone(), kind))
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    pub(super) fn value(&mut self) -> Result<ValueRef, ExpressionError> {
        if *self.kind() != TokenKind::Value {
            return Err(self
                .literal()
                .unwrap_or_else(|| self.unexpected("a :value")));
        }
        let text = self.word().to_owned();
        let span = self.take();
        Ok(ValueRef { text, span })
    }

    /// The error for a value written out here, if one is.
    pub(super) fn literal(&self) -> Option<ExpressionError> {
        let length = match (self.kind(), &self.token(1).kind) {
            (TokenKind::Number, _) => 1,
            (TokenKind::Minus, TokenKind::Number) => 2,
            (TokenKind::Word, _) if is_constant(self.word()) => 1,
            _ => return None,
        };
        let span = self.span().start..self.token(length - 1).span.end;
        let text = self.slice(span.clone()).to_owned();
        let kind = ExpressionErrorKind::LiteralValue { text };
        Some(ExpressionError::new(span, kind))
    }

    /// Reads a document path; `expected` tells what should stand here otherwise.
    pub(super) fn path(&mut self, expected: &'static str) -> Result<Path, ExpressionError> {
        let name = self.name(expected)?;
        let start = name.span.start;
        let mut segments = Vec::new();
        loop {
            if self.take_if(&TokenKind::Dot).is_some() {
                segments.push(PathSegment::Member(self.name("the name of a member")?));
            } else if let Some(open) = self.take_if(&TokenKind::LeftBracket) {
                segments.push(self.index(open.start)?);
            } else {
                break;
            }
        }
        let span = self.span_from(start);
        Ok(Path {
            name,
            segments,
            span,
        })
    }

    fn name(&mut self, expected: &'static str) -> Result<NameRef, ExpressionError> {
        if !matches!(self.kind(), TokenKind::Word | TokenKind::Alias) {
            return Err(self.unexpected(expected));
        }
        let text = self.word().to_owned();
        let span = self.take();
        Ok(NameRef { text, span })
    }

    fn index(&mut self, start: usize) -> Result<PathSegment, ExpressionError> {
        if *self.kind() == TokenKind::End {
            return Err(self.unexpected("a list index and `]`"));
        }
        let text = self.word();
        let index = text.parse().map_err(|_| {
            let text = text.to_owned();
            self.misplaced(ExpressionErrorKind::IndexNotWhole { text })
        })?;
        self.take();
        if self.take_if(&TokenKind::RightBracket).is_none() {
            return Err(self.unexpected("`]`"));
        }
        let span = self.span_from(start);
        Ok(PathSegment::Index { index, span })
    }
}

/// The constants of other languages. DynamoDB reserves all three, so none can be a plain name.
fn is_constant(word: &str) -> bool {
    ["TRUE", "FALSE", "NULL"]
        .iter()
        .any(|constant| word.eq_ignore_ascii_case(constant))
}
