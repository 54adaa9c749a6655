//! A file and the lines and columns of its bytes.

use std::ops::Range;

use tablewright_model::Span;

/// The text of a file and the name it is reported under.
#[derive(Debug, Clone)]
pub struct SourceFile {
    path: String,
    text: String,
    /// The byte at which each line begins; the first is 0.
    lines: Vec<usize>,
}

/// A place for people: both count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character of the line.
    pub column: usize,
}

impl SourceFile {
    /// A file under the name it is to be reported with.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let lines = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        SourceFile {
            path: path.into(),
            text,
            lines,
        }
    }

    /// The name it is reported under.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line and column of a byte. A byte past the end is the end; one inside a character is that character.
    ///
    /// ```
    /// # use tablewright_check::report::{Position, SourceFile};
    /// let file = SourceFile::new("a.toml", "one\nzwölf = 12\n");
    /// let equals = file.text().find('=').unwrap();
    /// assert_eq!(file.position(equals), Position { line: 2, column: 7 });
    /// ```
    pub fn position(&self, byte: usize) -> Position {
        let byte = self.floor(byte);
        let line = self.line_of(byte);
        let before = self.text.get(self.lines[line]..byte).unwrap_or_default();
        Position {
            line: line + 1,
            column: before.chars().count() + 1,
        }
    }

    /// Where a span begins and where it ends: the end is one past its last character.
    pub fn positions(&self, span: Span) -> (Position, Position) {
        (self.position(span.start), self.position(span.end))
    }

    /// The bytes of whole lines around a span, without the last line's newline, and the number of the first line.
    pub(crate) fn lines_around(&self, span: Span) -> (Range<usize>, usize) {
        let first = self.line_of(self.floor(span.start));
        let last = self.line_of(self.floor(span.end.max(span.start)));
        let end = match self.lines.get(last + 1) {
            Some(next) => next - 1,
            None => self.text.len(),
        };
        (self.lines[first]..end, first + 1)
    }

    /// The span cut to the text and to whole characters.
    pub(crate) fn clamp(&self, span: Span) -> Span {
        let start = self.floor(span.start);
        Span::new(start, self.floor(span.end).max(start))
    }

    /// The index of the line that holds a byte.
    fn line_of(&self, byte: usize) -> usize {
        // The first line begins at 0, so at least one begins at or before the byte.
        self.lines.partition_point(|start| *start <= byte) - 1
    }

    /// The nearest character boundary at or before a byte.
    fn floor(&self, byte: usize) -> usize {
        self.text.floor_char_boundary(byte)
    }
}
