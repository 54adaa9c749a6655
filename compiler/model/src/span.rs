//! Where something stands in the source text, and text that remembers it.

use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator};

/// A range of bytes in the source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// The span as a standard range.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Span::new(range.start, range.end)
    }
}

/// A value and where it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

/// A string of the source. Positions inside it can be pointed at, too.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    /// The string itself.
    pub value: String,
    /// Where it stands, quotes included.
    pub span: Span,
    /// Where its first character stands, when the source spells it without escapes.
    pub(crate) inner: Option<usize>,
}

impl Text {
    /// The span of a part of this string, given in bytes of its value.
    ///
    /// A string written with escapes cannot be pointed into: then it is the whole. A part that cuts a character is
    /// widened to hold it.
    pub fn at(&self, part: Range<usize>) -> Span {
        let Some(first) = self.inner else {
            return self.span;
        };
        let start = self.value.floor_char_boundary(part.start);
        let end = self.value.ceil_char_boundary(part.end.max(part.start));
        Span::new(first + start, first + end)
    }

    /// The span of the string without its quotes, where that is possible.
    pub fn content(&self) -> Span {
        self.at(0..self.value.len())
    }

    /// The string.
    pub fn as_str(&self) -> &str {
        &self.value
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.value)
    }
}

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
