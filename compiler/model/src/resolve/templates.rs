//! Key templates: parsed, their fields looked up and typed.

use tablewright_keys::{CharSet, Piece, Shape, Template, TypedPiece, TypedTemplate, unsupported};

use super::Resolver;
use crate::diagnostic::Diagnostic;
use crate::model::{Field, FieldId, Key, KeyTemplate};
use crate::span::Text;

/// What the fields of a template can be: the entity's, and by-hand parameters that stand for one of them.
pub(super) struct Names<'n> {
    pub(super) owner: &'n str,
    pub(super) fields: &'n [Field],
    pub(super) params: &'n [(Text, FieldId)],
    pub(super) escape: bool,
}

impl Names<'_> {
    fn find(&self, name: &str) -> Option<FieldId> {
        let param = self.params.iter().find(|(param, _)| param.value == name);
        param.map(|(_, id)| *id).or_else(|| {
            let position = self
                .fields
                .iter()
                .position(|field| field.name.value == name);
            position.map(FieldId)
        })
    }
}

/// The fewest bytes a key of a template has: its fixed text, and one for each value.
fn shortest(template: &Template) -> u32 {
    let pieces = template.pieces.iter();
    let bytes: usize = pieces
        .map(|piece| match piece {
            Piece::Literal { text, .. } => text.len(),
            Piece::Field(_) => 1,
        })
        .sum();
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl Resolver<'_> {
    pub(super) fn key(&mut self, partition: &Text, sort: Option<&Text>, names: &Names<'_>) -> Key {
        Key {
            partition: self.template(partition, names),
            sort: sort.map(|sort| self.template(sort, names)),
        }
    }

    pub(super) fn template(&mut self, written: &Text, names: &Names<'_>) -> KeyTemplate {
        let template = match Template::parse(&written.value) {
            Ok(template) if shortest(&template) > LONGEST_KEY => {
                let bytes = shortest(&template);
                self.report(Diagnostic::language(
                    "bad-template",
                    written.content(),
                    format!("every key of it has at least {bytes} bytes, and DynamoDB takes {LONGEST_KEY}"),
                ));
                Template { pieces: Vec::new() }
            }
            Ok(template) => template,
            Err(errors) => {
                for error in errors {
                    let message = error.to_string();
                    self.report(Diagnostic::language(
                        "bad-template",
                        written.at(error.span.clone()),
                        message,
                    ));
                }
                Template { pieces: Vec::new() }
            }
        };
        let mut typed = Vec::new();
        let mut parts = Vec::new();
        for piece in &template.pieces {
            match piece {
                Piece::Literal { text, .. } => {
                    typed.push(TypedPiece::Literal(text.clone()));
                    parts.push(None);
                }
                Piece::Field(field) => {
                    let Some(id) = names.find(&field.name) else {
                        let known: Vec<&str> = names
                            .fields
                            .iter()
                            .map(|field| field.name.as_str())
                            .collect();
                        let what = format!("field of {}", names.owner);
                        parts.push(None);
                        typed.push(TypedPiece::Literal(String::new()));
                        self.unknown(
                            &what,
                            &field.name,
                            written.at(field.name_span.clone()),
                            known,
                        );
                        continue;
                    };
                    let kind = names.fields[id.0].kind();
                    let shape = kind.shape();
                    if let Some(why) = shape
                        .as_ref()
                        .and_then(|shape| unsupported(shape, &field.encodings))
                    {
                        let message = format!(
                            "`{}` does not fit a field of type {kind}: {why}",
                            field.encodings
                        );
                        self.report(Diagnostic::language(
                            "bad-template",
                            written.at(field.span.clone()),
                            message,
                        ));
                    }
                    let shape = fit_for_a_key(shape);
                    typed.push(TypedPiece::Field {
                        name: field.name.clone(),
                        escaped: names.escape
                            && !field.encodings.raw
                            && matches!(shape, Shape::Text { .. }),
                        shape,
                        encodings: field.encodings,
                    });
                    parts.push(Some(id));
                }
            }
        }
        KeyTemplate {
            written: written.clone(),
            template,
            typed: TypedTemplate { pieces: typed },
            parts,
        }
    }
}

/// The longest key DynamoDB takes, in bytes. No longer value is worth reasoning about.
const LONGEST_KEY: u32 = 2048;

/// The shape as the algebra takes it: any text for what cannot be part of a key, and no text longer than a key.
fn fit_for_a_key(shape: Option<Shape>) -> Shape {
    match shape {
        None => Shape::Text {
            chars: CharSet::any(),
            min: 0,
            max: None,
        },
        Some(Shape::Text { chars, min, max }) => Shape::Text {
            chars,
            min: min.min(LONGEST_KEY),
            max: max.map(|max| max.min(LONGEST_KEY)),
        },
        Some(other) => other,
    }
}
