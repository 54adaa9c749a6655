//! Key templates with the types of their fields.

use tablewright_keys::{Encodings, Piece, Shape, Template, TypedPiece, TypedTemplate};

use super::{Result, error};
use crate::schema::{Field, KeyPart, StoredKey};
use crate::table::KeyAttribute;
use crate::written::TemplateText;

/// What the templates of an entity are made of.
pub(super) struct Keys<'k> {
    pub(super) of: &'k str,
    pub(super) fields: &'k [Field],
    pub(super) escape: bool,
}

impl Keys<'_> {
    pub(super) fn stored(
        &self,
        written: &TemplateText,
        (partition, sort): (&KeyAttribute, Option<&KeyAttribute>),
    ) -> Result<StoredKey> {
        let sort = match (&written.sort, sort) {
            (Some(template), Some(attribute)) => Some(self.part(template, attribute)?),
            (None, None) => None,
            (Some(_), None) => return Err(error(self.of, "it has a sort key, its table has none")),
            (None, Some(_)) => return Err(error(self.of, "its table has a sort key, it has none")),
        };
        Ok(StoredKey {
            partition: self.part(&written.partition, partition)?,
            sort,
        })
    }

    fn part(&self, written: &str, attribute: &KeyAttribute) -> Result<KeyPart> {
        let template = parse_template(self.of, written)?;
        let natural = matches!(template.pieces.as_slice(),
            [Piece::Field(field)] if field.encodings == Encodings::default() && field.name == attribute.name);
        let mut pieces = Vec::new();
        for piece in &template.pieces {
            pieces.push(match piece {
                Piece::Literal { text, .. } => TypedPiece::Literal(text.clone()),
                Piece::Field(field) => {
                    let shape = shape_of(self.of, self.fields, &field.name)?;
                    self.piece(&field.name, shape, field.encodings, natural)
                }
            });
        }
        Ok(KeyPart {
            attribute: attribute.clone(),
            template: TypedTemplate { pieces },
            natural,
        })
    }

    pub(super) fn piece(
        &self,
        name: &str,
        shape: Shape,
        encodings: Encodings,
        natural: bool,
    ) -> TypedPiece {
        TypedPiece::Field {
            name: name.to_owned(),
            escaped: self.escape
                && !natural
                && !encodings.raw
                && matches!(shape, Shape::Text { .. }),
            shape,
            encodings,
        }
    }
}

pub(super) fn parse_template(of: &str, written: &str) -> Result<Template> {
    Template::parse(written).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        error(of, format!("`{written}`: {}", faults.join("; ")))
    })
}

pub(super) fn shape_of(of: &str, fields: &[Field], name: &str) -> Result<Shape> {
    let field = fields.iter().find(|field| field.name == name);
    field
        .and_then(|field| field.declared.kind.shape())
        .ok_or_else(|| error(of, format!("`{name}` cannot be part of a key")))
}
