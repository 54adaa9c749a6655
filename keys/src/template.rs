mod encodings;
mod error;
mod parse;

use std::fmt;
use std::ops::Range;

pub use error::{TemplateError, TemplateErrorKind};

use crate::{Shape, TypedPiece, TypedTemplate};

/// A key template as written: literals and fields, with their places in the text.
///
/// Displaying it gives the canonical text, which parses to the same template.
///
/// ```
/// use tablewright_keys::Template;
/// let template = Template::parse("ORDER#{number:desc:08}").expect("well formed");
/// assert_eq!(template.leading_literal(), "ORDER#");
/// assert_eq!(template.to_string(), "ORDER#{number:08:desc}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The pieces in order; two literals never follow each other.
    pub pieces: Vec<Piece>,
}

/// One piece of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text that stands in the key as it is.
    Literal {
        /// The text, with `{{` and `}}` already read as single braces.
        text: String,
        /// Where it stands in the template, in bytes.
        span: Range<usize>,
    },
    /// A field whose value stands in the key.
    Field(FieldRef),
}

/// A field named in a template: `{name:encoding:…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRef {
    /// The field's name.
    pub name: String,
    /// How its value becomes text.
    pub encodings: Encodings,
    /// Where the whole `{…}` stands in the template, in bytes.
    pub span: Range<usize>,
    /// Where the name alone stands.
    pub name_span: Range<usize>,
}

/// How the value of a field becomes text. Displays as it is written, such as `:08:desc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Encodings {
    /// `:08`: zero-padded to this width.
    pub pad: Option<u8>,
    /// `:rank`: the position in the declared values instead of the spelling.
    pub rank: bool,
    /// `:desc`: complemented, so that keys sort in descending order.
    pub desc: bool,
    /// `:lower`: lower-cased, see [`to_lower`](crate::to_lower).
    pub lower: bool,
    /// `:shard(16)`: only the shard of the value, see [`shard_of`](crate::shard_of).
    pub shard: Option<u16>,
    /// `:raw`: not escaped.
    pub raw: bool,
}

impl Template {
    /// Reads a template, or reports everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Template, Vec<TemplateError>> {
        parse::parse(text)
    }

    /// The fields in order of appearance; a field used twice appears twice.
    pub fn fields(&self) -> impl Iterator<Item = &FieldRef> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Field(field) => Some(field),
            Piece::Literal { .. } => None,
        })
    }

    /// The text before the first field: what every key of the template starts with.
    pub fn leading_literal(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Literal { text, .. }) => text,
            _ => "",
        }
    }

    /// Whether the template has no field: all its keys are the same.
    pub fn is_constant(&self) -> bool {
        self.fields().next().is_none()
    }

    /// Gives every field its shape; text is escaped unless it is `raw`.
    ///
    /// Fails with the fields for which `shape_of` knows none.
    pub fn typed(
        &self,
        shape_of: impl Fn(&str) -> Option<Shape>,
    ) -> Result<TypedTemplate, Vec<&FieldRef>> {
        let mut unknown = Vec::new();
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            match piece {
                Piece::Literal { text, .. } => pieces.push(TypedPiece::Literal(text.clone())),
                Piece::Field(field) => match shape_of(&field.name) {
                    Some(shape) => {
                        pieces.push(TypedPiece::field(&field.name, shape, field.encodings))
                    }
                    None => unknown.push(field),
                },
            }
        }
        if unknown.is_empty() {
            Ok(TypedTemplate { pieces })
        } else {
            Err(unknown)
        }
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Literal { text, .. } => f.write_str(&text.replace('{', "{{").replace('}', "}}")),
            Piece::Field(field) => field.fmt(f),
        })
    }
}

impl fmt::Display for FieldRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}{}}}", self.name, self.encodings)
    }
}

impl fmt::Display for Encodings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(width) = self.pad {
            write!(f, ":0{width}")?;
        }
        if self.rank {
            f.write_str(":rank")?;
        }
        if self.lower {
            f.write_str(":lower")?;
        }
        if let Some(shards) = self.shard {
            write!(f, ":shard({shards})")?;
        }
        if self.desc {
            f.write_str(":desc")?;
        }
        if self.raw {
            f.write_str(":raw")?;
        }
        Ok(())
    }
}
