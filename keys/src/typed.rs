use crate::{EncodeError, Encodings, KeyValue, Shape, encode_piece};

/// A template whose fields have shapes: it renders keys, and the [`algebra`](crate::algebra) reasons about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedTemplate {
    /// The pieces in order.
    pub pieces: Vec<TypedPiece>,
}

/// One piece of a [`TypedTemplate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedPiece {
    /// Text that stands in the key as it is.
    Literal(String),
    /// The encoded value of a field.
    Field {
        /// The field's name.
        name: String,
        /// Its domain.
        shape: Shape,
        /// How its value becomes text.
        encodings: Encodings,
        /// Whether the text is escaped. Forms of digits and letters have nothing to escape.
        escaped: bool,
    },
}

impl TypedPiece {
    /// A field piece; text is escaped unless it is `raw`.
    pub fn field(name: impl Into<String>, shape: Shape, encodings: Encodings) -> TypedPiece {
        let escaped = matches!(shape, Shape::Text { .. }) && !encodings.raw;
        TypedPiece::Field {
            name: name.into(),
            shape,
            encodings,
            escaped,
        }
    }
}

impl TypedTemplate {
    /// The key for these values; the first field that has none, or an unfit one, is the error.
    pub fn render(
        &self,
        value_of: impl Fn(&str) -> Option<KeyValue>,
    ) -> Result<String, EncodeError> {
        let mut key = String::new();
        for piece in &self.pieces {
            match piece {
                TypedPiece::Literal(text) => key.push_str(text),
                TypedPiece::Field {
                    name,
                    shape,
                    encodings,
                    escaped,
                } => {
                    let value = value_of(name).ok_or_else(|| EncodeError::Missing {
                        field: name.clone(),
                    })?;
                    let text = encode_piece(shape, encodings, *escaped, &value);
                    key.push_str(&text.map_err(|problem| problem.in_field(name))?);
                }
            }
        }
        Ok(key)
    }

    /// The characters before the first field.
    pub(crate) fn leading_chars(&self) -> impl Iterator<Item = char> + '_ {
        let literals = self.pieces.iter().map_while(|piece| match piece {
            TypedPiece::Literal(text) => Some(text),
            TypedPiece::Field { .. } => None,
        });
        literals.flat_map(|text| text.chars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CharSet, Template};

    fn task() -> TypedTemplate {
        let text = Shape::Text {
            chars: CharSet::any(),
            min: 1,
            max: Some(5),
        };
        let shape_of = |field: &str| match field {
            "n" => Some(Shape::Integer { min: 0, max: 99 }),
            "id" => Some(text.clone()),
            _ => None,
        };
        Template::parse("T#{n:03}#{id}")
            .unwrap()
            .typed(shape_of)
            .unwrap()
    }

    #[test]
    fn a_key_is_its_pieces_in_order() {
        let key = task().render(|field| match field {
            "n" => Some(KeyValue::Integer(7)),
            _ => Some(KeyValue::Text("a#".into())),
        });
        assert_eq!(key.as_deref(), Ok("T#007#a$23"));
    }

    #[test]
    fn an_error_names_its_field() {
        let missing = task().render(|_| None).unwrap_err();
        assert_eq!(missing, EncodeError::Missing { field: "n".into() });
        let unfit = task().render(|_| Some(KeyValue::Integer(100))).unwrap_err();
        assert!(unfit.to_string().starts_with("field `n`: "), "{unfit}");
    }

    #[test]
    fn fields_without_a_shape_are_all_named() {
        let template = Template::parse("{a}#{b}#{c}").unwrap();
        let unknown = template
            .typed(|field| (field == "b").then_some(Shape::Date))
            .unwrap_err();
        let names: Vec<_> = unknown.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
    }

    #[test]
    fn leading_literals_join() {
        let pieces = vec![
            TypedPiece::Literal("A".into()),
            TypedPiece::Literal("#".into()),
        ];
        assert_eq!(
            TypedTemplate { pieces }.leading_chars().collect::<String>(),
            "A#"
        );
        assert_eq!(task().leading_chars().collect::<String>(), "T#");
    }
}
