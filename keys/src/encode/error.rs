use std::fmt;

/// Why a value has no text in a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EncodeError {
    /// The field has no value.
    Missing {
        /// The field's name.
        field: String,
    },
    /// The value of this field is unfit.
    InField {
        /// The field's name.
        field: String,
        /// What is wrong with its value.
        problem: Box<EncodeError>,
    },
    /// Text for an integer, or an integer for something else.
    WrongType {
        /// What the field holds.
        expected: &'static str,
    },
    /// An integer outside its bounds.
    OutOfRange {
        /// The integer.
        value: i64,
        /// The least allowed.
        min: i64,
        /// The greatest allowed.
        max: i64,
    },
    /// Not one of an enum's values.
    NotInSet {
        /// The value.
        value: String,
        /// The enum's values.
        allowed: Vec<String>,
    },
    /// Text with too few characters.
    TooShort {
        /// Its number of characters.
        length: u32,
        /// The least number.
        min: u32,
    },
    /// Text with too many characters.
    TooLong {
        /// Its number of characters.
        length: u32,
        /// The greatest number.
        max: u32,
    },
    /// Text with a character the field does not allow.
    BadCharacter {
        /// The text.
        value: String,
        /// The first such character.
        character: char,
    },
    /// Text that has not the form of its shape.
    BadForm {
        /// The text.
        value: String,
        /// What the field holds.
        expected: &'static str,
        /// How such a value is written.
        example: &'static str,
    },
    /// A negative integer, or one with more digits than its padding.
    DoesNotFitWidth {
        /// The integer in decimal.
        value: String,
        /// The width of the padding.
        width: u8,
    },
    /// Encodings that do not fit the shape; says which and why.
    Unsupported(String),
}

impl EncodeError {
    pub(crate) fn in_field(self, field: &str) -> EncodeError {
        EncodeError::InField {
            field: field.to_owned(),
            problem: Box::new(self),
        }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { field } => {
                write!(f, "field `{field}` has no value, and the key needs it")
            }
            Self::InField { field, problem } => write!(f, "field `{field}`: {problem}"),
            Self::WrongType { expected } => {
                write!(f, "the value has another type; the field is {expected}")
            }
            Self::OutOfRange { value, min, max } => {
                write!(f, "{value} is not between {min} and {max}")
            }
            Self::NotInSet { value, allowed } => {
                write!(f, "`{value}` is not one of `{}`", allowed.join("`, `"))
            }
            Self::TooShort { length, min } => {
                write!(
                    f,
                    "the text has {length} characters and needs at least {min}"
                )
            }
            Self::TooLong { length, max } => {
                write!(
                    f,
                    "the text has {length} characters and may have at most {max}"
                )
            }
            Self::BadCharacter { value, character } => {
                write!(
                    f,
                    "`{value}` contains {character:?}, which the field does not allow"
                )
            }
            Self::BadForm {
                value,
                expected,
                example,
            } => {
                write!(f, "`{value}` is not {expected}; write it like `{example}`")
            }
            Self::DoesNotFitWidth { value, width } => {
                write!(
                    f,
                    "{value} cannot be padded to {width} digits; it would not sort among the others"
                )
            }
            Self::Unsupported(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for EncodeError {}
