//! Field types and the text they are written in: `string(1..200)?`, `ordered(low, high) = low`.

mod parse;

use tablewright_keys::{CharSet, Precision, Shape};

pub use parse::{TypeError, parse};

/// A field's type with its optionality and default, as parsed from its text.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredType {
    /// The type itself.
    pub kind: FieldType,
    /// Whether the field may be absent.
    pub optional: bool,
    /// The value a new item gets when none is given, as written.
    pub default: Option<String>,
}

impl DeclaredType {
    /// Stands in for a type that could not be read, while the other faults of its file are looked for.
    pub fn placeholder() -> Self {
        DeclaredType {
            kind: FieldType::Json(Length::default()),
            optional: false,
            default: None,
        }
    }
}

/// What a field can hold.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldType {
    /// Text of so many characters.
    String(Length),
    /// An identifier of 1 to 128 harmless characters.
    Id,
    /// 36 characters.
    Uuid,
    /// 26 characters that sort by time.
    Ulid,
    /// An e-mail address.
    Email,
    /// True or false.
    Bool,
    /// A whole number, both ends included.
    Int {
        /// Least value.
        min: Option<i64>,
        /// Greatest value.
        max: Option<i64>,
    },
    /// A number with a fraction.
    Decimal,
    /// `2024-01-31`
    Date,
    /// ISO-8601 in UTC, of one width.
    Timestamp(Precision),
    /// ISO-8601 in UTC, of varying width.
    UnevenTimestamp,
    /// Seconds since 1970.
    EpochSeconds,
    /// Milliseconds since 1970.
    EpochMillis,
    /// One of the words.
    Enum(Vec<String>),
    /// One of the words, in this order.
    Ordered(Vec<String>),
    /// Bytes.
    Binary(Length),
    /// Several, in order.
    List(Box<FieldType>, Length),
    /// Several, each once.
    Set(Box<FieldType>, Length),
    /// Several by name.
    Map(Box<FieldType>, Length),
    /// Anything, up to so many bytes.
    Json(Length),
    /// A nested shape, by name.
    Struct(String),
}

/// How long or how many: both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Length {
    /// At least.
    pub min: u32,
    /// At most; none when unbounded.
    pub max: Option<u32>,
}

/// The last second of the year 9999, the end of every date form here.
const LAST_SECOND: i64 = 253_402_300_799;

impl FieldType {
    /// The domain of the type as far as a key is concerned; none when it cannot be part of one.
    pub fn shape(&self) -> Option<Shape> {
        Some(match self {
            FieldType::String(length) => Shape::Text {
                chars: CharSet::any(),
                min: length.min,
                max: length.max,
            },
            FieldType::Email => Shape::Text {
                chars: CharSet::any(),
                min: 3,
                max: Some(254),
            },
            FieldType::Id => Shape::Text {
                chars: CharSet::ascii_id(),
                min: 1,
                max: Some(128),
            },
            FieldType::Uuid => Shape::Uuid,
            FieldType::Ulid => Shape::Ulid,
            FieldType::Bool => Shape::OneOf(vec!["false".to_owned(), "true".to_owned()]),
            FieldType::Int { min, max } => Shape::Integer {
                min: min.unwrap_or(i64::MIN),
                max: max.unwrap_or(i64::MAX),
            },
            FieldType::EpochSeconds => Shape::Integer {
                min: 0,
                max: LAST_SECOND,
            },
            FieldType::EpochMillis => Shape::Integer {
                min: 0,
                max: LAST_SECOND * 1000 + 999,
            },
            FieldType::Decimal => Shape::Decimal,
            FieldType::Date => Shape::Date,
            FieldType::Timestamp(precision) => Shape::Timestamp(*precision),
            FieldType::UnevenTimestamp => Shape::UnevenTimestamp,
            FieldType::Enum(words) | FieldType::Ordered(words) => Shape::OneOf(words.clone()),
            FieldType::Binary(_)
            | FieldType::List(..)
            | FieldType::Set(..)
            | FieldType::Map(..)
            | FieldType::Json(_)
            | FieldType::Struct(_) => return None,
        })
    }

    /// Whether it is stored as a DynamoDB number.
    pub fn is_number(&self) -> bool {
        matches!(
            self,
            FieldType::Int { .. }
                | FieldType::Decimal
                | FieldType::EpochSeconds
                | FieldType::EpochMillis
        )
    }

    /// Whether it is a moment or a day, in any form.
    pub fn is_time(&self) -> bool {
        self.is_moment() || matches!(self, FieldType::Date)
    }

    /// Whether it is a moment: what a caller cannot know beforehand.
    pub fn is_moment(&self) -> bool {
        matches!(
            self,
            FieldType::Timestamp(_)
                | FieldType::UnevenTimestamp
                | FieldType::EpochSeconds
                | FieldType::EpochMillis
        )
    }

    /// Whether it is free text, in which a person may write anything.
    pub fn is_text(&self) -> bool {
        matches!(self, FieldType::String(_) | FieldType::Email)
    }

    /// The words of an enum or an ordered enum.
    pub fn words(&self) -> Option<&[String]> {
        match self {
            FieldType::Enum(words) | FieldType::Ordered(words) => Some(words),
            _ => None,
        }
    }

    /// Whether there are only so many values, which stand in the type.
    pub fn has_few_values(&self) -> bool {
        self.words().is_some() || matches!(self, FieldType::Bool)
    }

    /// The DynamoDB type letter it is stored as.
    pub fn stored_as(&self) -> &'static str {
        match self {
            FieldType::Bool => "BOOL",
            FieldType::Binary(_) => "B",
            FieldType::List(..) => "L",
            FieldType::Set(of, _) if of.is_number() => "NS",
            FieldType::Set(..) => "SS",
            FieldType::Map(..) | FieldType::Json(_) | FieldType::Struct(_) => "M",
            number if number.is_number() => "N",
            _ => "S",
        }
    }
}

impl std::fmt::Display for Length {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.min > 0 {
            write!(f, "{}", self.min)?;
        }
        f.write_str("..")?;
        self.max.map_or(Ok(()), |max| write!(f, "{max}"))
    }
}

impl std::fmt::Display for FieldType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        fn with_length(
            f: &mut std::fmt::Formatter<'_>,
            word: &str,
            length: &Length,
        ) -> std::fmt::Result {
            if *length == Length::default() {
                f.write_str(word)
            } else {
                write!(f, "{word}({length})")
            }
        }
        fn of(
            f: &mut std::fmt::Formatter<'_>,
            word: &str,
            kind: &FieldType,
            length: &Length,
        ) -> std::fmt::Result {
            if *length == Length::default() {
                write!(f, "{word}({kind})")
            } else {
                write!(f, "{word}({kind}, {length})")
            }
        }
        match self {
            FieldType::String(length) => with_length(f, "string", length),
            FieldType::Binary(length) => with_length(f, "binary", length),
            FieldType::Json(length) => with_length(f, "json", length),
            FieldType::List(kind, length) => of(f, "list", kind, length),
            FieldType::Set(kind, length) => of(f, "set", kind, length),
            FieldType::Map(kind, length) => of(f, "map", kind, length),
            FieldType::Int {
                min: None,
                max: None,
            } => f.write_str("int"),
            FieldType::Int { min, max } => {
                let end = |end: &Option<i64>| end.map(|end| end.to_string()).unwrap_or_default();
                write!(f, "int({}..{})", end(min), end(max))
            }
            FieldType::Enum(words) => write!(f, "enum({})", words.join(", ")),
            FieldType::Ordered(words) => write!(f, "ordered({})", words.join(", ")),
            FieldType::Timestamp(Precision::Seconds) => f.write_str("timestamp(s)"),
            FieldType::Timestamp(Precision::Millis) => f.write_str("timestamp"),
            FieldType::Timestamp(Precision::Micros) => f.write_str("timestamp(us)"),
            FieldType::UnevenTimestamp => f.write_str("timestamp(any)"),
            FieldType::Struct(name) => f.write_str(name),
            FieldType::Id => f.write_str("id"),
            FieldType::Uuid => f.write_str("uuid"),
            FieldType::Ulid => f.write_str("ulid"),
            FieldType::Email => f.write_str("email"),
            FieldType::Bool => f.write_str("bool"),
            FieldType::Decimal => f.write_str("decimal"),
            FieldType::Date => f.write_str("date"),
            FieldType::EpochSeconds => f.write_str("epoch_seconds"),
            FieldType::EpochMillis => f.write_str("epoch_millis"),
        }
    }
}
