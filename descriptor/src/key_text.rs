//! The text of a key in a request: template pieces, some filled by the caller, some fixed.

use tablewright_keys::{
    EncodeError, Encodings, KeyValue, Shape, TypedPiece, TypedTemplate, bounds, encode_piece,
};

/// The key, or the beginning or bound of keys, that a request asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyText {
    /// Its pieces.
    pub pieces: Vec<KeyPiece>,
    /// What is done to the text at its end.
    pub tail: Tail,
}

/// A piece of a [`KeyText`].
#[derive(Debug, Clone, PartialEq)]
pub enum KeyPiece {
    /// Fixed text.
    Literal(String),
    /// The encoded value of a field.
    Value {
        /// Its typed piece of the template.
        typed: TypedPiece,
        /// Where the value comes from.
        origin: Origin,
    },
}

/// Where a value in a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The caller gives it under this name.
    Given(String),
    /// The pattern fixes it.
    Fixed(String),
    /// One request for each of so many shards.
    EveryShard(u16),
}

/// What is done to the end of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    Exact,
    /// This character is appended: above every key that goes on from here.
    Above(char),
    /// The least text above every key that begins so.
    AfterPrefix,
    /// The greatest text below: the last character lowered, and the highest appended.
    JustBelow,
}

/// The test of a sort key.
#[derive(Debug, Clone, PartialEq)]
pub enum SortTest {
    /// None: the whole partition.
    All,
    /// `=`
    Equals(KeyText),
    /// `begins_with`
    BeginsWith(KeyText),
    /// `BETWEEN`, both included.
    Between(KeyText, KeyText),
    /// `>=`
    AtLeast(KeyText),
    /// `>`
    Above(KeyText),
    /// `<=`
    AtMost(KeyText),
    /// `<`
    Below(KeyText),
}

impl SortTest {
    /// Its key texts.
    pub fn texts(&self) -> Vec<&KeyText> {
        match self {
            SortTest::All => Vec::new(),
            SortTest::Equals(text)
            | SortTest::BeginsWith(text)
            | SortTest::AtLeast(text)
            | SortTest::Above(text)
            | SortTest::AtMost(text)
            | SortTest::Below(text) => vec![text],
            SortTest::Between(low, high) => vec![low, high],
        }
    }
}

impl KeyText {
    /// A text of these pieces, as it is.
    pub fn exact(pieces: Vec<KeyPiece>) -> Self {
        KeyText {
            pieces,
            tail: Tail::Exact,
        }
    }

    /// How many requests it takes: one, or one for each shard.
    pub fn shards(&self) -> u32 {
        self.pieces
            .iter()
            .map(|piece| match piece {
                KeyPiece::Value {
                    origin: Origin::EveryShard(shards),
                    ..
                } => u32::from(*shards),
                _ => 1,
            })
            .product()
    }

    /// The template it was filled from.
    pub fn template(&self) -> TypedTemplate {
        let pieces = self.pieces.iter().map(|piece| match piece {
            KeyPiece::Literal(text) => TypedPiece::Literal(text.clone()),
            KeyPiece::Value { typed, .. } => typed.clone(),
        });
        TypedTemplate {
            pieces: pieces.collect(),
        }
    }

    /// The language of texts it can be, for the template algebra. A value the pattern fixes is the text it has; the tail does not
    /// count.
    pub fn typed(&self) -> TypedTemplate {
        TypedTemplate {
            pieces: self
                .pieces
                .iter()
                .map(|piece| match piece {
                    KeyPiece::Literal(text) => TypedPiece::Literal(text.clone()),
                    KeyPiece::Value {
                        typed,
                        origin: Origin::Fixed(value),
                        ..
                    } => {
                        fixed_text(typed, value).map_or_else(|| typed.clone(), TypedPiece::Literal)
                    }
                    KeyPiece::Value { typed, .. } => typed.clone(),
                })
                .collect(),
        }
    }

    /// The text for the values a caller gives, and for one shard where it is scattered.
    ///
    /// # Errors
    /// A value that is missing or does not fit its field.
    pub fn render(
        &self,
        given: impl Fn(&str) -> Option<KeyValue>,
        shard: u16,
    ) -> Result<String, EncodeError> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                KeyPiece::Literal(literal) => text.push_str(literal),
                KeyPiece::Value {
                    typed: TypedPiece::Literal(_),
                    ..
                } => {}
                KeyPiece::Value {
                    typed:
                        TypedPiece::Field {
                            name,
                            shape,
                            encodings,
                            escaped,
                        },
                    origin,
                    ..
                } => {
                    let value = match origin {
                        Origin::Given(name) => given(name),
                        Origin::Fixed(value) => Some(fixed(shape, value)),
                        Origin::EveryShard(shards) => {
                            let shard =
                                tablewright_keys::shard_texts(*shards).nth(usize::from(shard));
                            text.push_str(&shard.unwrap_or_default());
                            continue;
                        }
                    };
                    let value = value.ok_or_else(|| EncodeError::Missing {
                        field: name.clone(),
                    })?;
                    text.push_str(&encode_piece(shape, encodings, *escaped, &value)?);
                }
            }
        }
        Ok(self.with_tail(text))
    }

    fn with_tail(&self, mut text: String) -> String {
        match self.tail {
            Tail::Exact => {}
            Tail::Above(above) => text.push(above),
            Tail::AfterPrefix => return bounds::after_prefix(&text).unwrap_or(text),
            Tail::JustBelow => {
                if let Some(last) = text.pop() {
                    let lower = char::from_u32(u32::from(last).saturating_sub(1));
                    text.push(lower.unwrap_or(last));
                    text.push(char::MAX);
                }
            }
        }
        text
    }
}

impl std::fmt::Display for KeyText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for piece in &self.pieces {
            match piece {
                KeyPiece::Literal(text) => f.write_str(text)?,
                KeyPiece::Value { typed, origin, .. } => {
                    let encodings = match typed {
                        TypedPiece::Field { encodings, .. } => encodings.to_string(),
                        TypedPiece::Literal(_) => String::new(),
                    };
                    match origin {
                        Origin::Given(name) => write!(f, "{{{name}{encodings}}}")?,
                        Origin::Fixed(value) if encodings.is_empty() => f.write_str(value)?,
                        Origin::Fixed(value) => write!(f, "{{'{value}'{encodings}}}")?,
                        Origin::EveryShard(shards) => write!(f, "{{0..{}}}", shards - 1)?,
                    }
                }
            }
        }
        match self.tail {
            Tail::Exact => Ok(()),
            Tail::Above(above) => write!(f, "{}", above.escape_default()),
            Tail::AfterPrefix => f.write_str("⁺"),
            Tail::JustBelow => f.write_str("⁻"),
        }
    }
}

/// The text of a value the pattern fixes, if it is one of its field.
fn fixed_text(typed: &TypedPiece, value: &str) -> Option<String> {
    match typed {
        TypedPiece::Literal(_) => None,
        TypedPiece::Field {
            shape,
            encodings,
            escaped,
            ..
        } => encode_piece(shape, encodings, *escaped, &fixed(shape, value)).ok(),
    }
}

/// A value the pattern fixes, as the encoder takes it.
fn fixed(shape: &Shape, value: &str) -> KeyValue {
    match (shape, value.parse()) {
        (Shape::Integer { .. }, Ok(number)) => KeyValue::Integer(number),
        _ => KeyValue::Text(value.to_owned()),
    }
}

/// Whether no encoded value can be the beginning of another: then a prefix ending in it is closed by itself.
pub fn is_prefix_free(shape: &Shape, encodings: &Encodings) -> bool {
    if encodings.shard.is_some() || encodings.rank || encodings.pad.is_some() {
        return true;
    }
    match shape {
        Shape::Text { min, max, .. } => *max == Some(*min),
        Shape::OneOf(words) => !words
            .iter()
            .any(|a| words.iter().any(|b| a != b && b.starts_with(a.as_str()))),
        Shape::Integer { min, max } => *min >= 0 && min.to_string().len() == max.to_string().len(),
        Shape::Date | Shape::Timestamp(_) | Shape::Ulid | Shape::Uuid => true,
        Shape::UnevenTimestamp | Shape::Decimal => false,
    }
}
