//! Key templates with the types of their fields.

use tablewright_keys::{FieldRef, Piece, Template, TypedTemplate};

use super::FieldId;
use crate::span::{Span, Text};

/// The templates of a key: of the primary key, of an index, or of a guard.
#[derive(Debug, Clone)]
pub struct Key {
    /// The partition key's template.
    pub partition: KeyTemplate,
    /// The sort key's template.
    pub sort: Option<KeyTemplate>,
}

impl Key {
    /// Both templates, the partition's first.
    pub fn templates(&self) -> impl Iterator<Item = &KeyTemplate> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// The fields of both templates, each once.
    pub fn field_ids(&self) -> Vec<FieldId> {
        let mut ids = Vec::new();
        for id in self
            .templates()
            .flat_map(|template| template.parts.iter().flatten())
        {
            if !ids.contains(id) {
                ids.push(*id);
            }
        }
        ids
    }

    /// Whether a field is in one of the templates.
    pub fn has(&self, field: FieldId) -> bool {
        self.templates().any(|template| template.has(field))
    }
}

/// A template whose fields are known.
#[derive(Debug, Clone)]
pub struct KeyTemplate {
    /// As written.
    pub written: Text,
    /// As parsed.
    pub template: Template,
    /// With the domains of its fields. A field that cannot be part of a key stands in it as any text.
    pub typed: TypedTemplate,
    /// The field of each piece; none for a literal.
    pub parts: Vec<Option<FieldId>>,
}

impl KeyTemplate {
    /// The pieces that are fields, with their position among all pieces.
    pub fn field_parts(&self) -> impl Iterator<Item = (usize, FieldId, &FieldRef)> {
        self.template
            .pieces
            .iter()
            .zip(&self.parts)
            .enumerate()
            .filter_map(|(position, (piece, part))| match (piece, part) {
                (Piece::Field(field), Some(id)) => Some((position, *id, field)),
                _ => None,
            })
    }

    /// Whether a field is in it.
    pub fn has(&self, field: FieldId) -> bool {
        self.parts.contains(&Some(field))
    }

    /// Where a part of it stands in the source.
    pub fn span_of(&self, part: &FieldRef) -> Span {
        self.written.at(part.span.clone())
    }

    /// The field, when the template is nothing but one without encoding: a natural key.
    pub fn bare_field(&self) -> Option<FieldId> {
        match (self.template.pieces.as_slice(), self.parts.as_slice()) {
            ([Piece::Field(field)], [Some(id)]) if field.encodings == Default::default() => {
                Some(*id)
            }
            _ => None,
        }
    }

    /// The fixed text it begins with.
    pub fn prefix(&self) -> &str {
        match self.template.pieces.first() {
            Some(Piece::Literal { text, .. }) => text,
            _ => "",
        }
    }
}

impl std::fmt::Display for KeyTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.written.value)
    }
}
