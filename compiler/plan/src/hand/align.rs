//! A value held against the template of what is stored: does it cover all of it, a beginning, or something else?

use tablewright_keys::{Encodings, Piece};
use tablewright_model::model::{FieldId, KeyTemplate};

/// How a value compares with the stored key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alignment {
    /// It is the whole key.
    Whole,
    /// It is a beginning of it.
    Prefix {
        /// How many pieces of the stored template it covers.
        covered: usize,
        /// Whether it ends right behind a delimiter, or before any field.
        closed: bool,
        /// The last field it contains.
        last_field: Option<FieldId>,
        /// The text missing to the end of the literal it stops in or before.
        rest_of_literal: String,
    },
    /// It goes on where the stored key has ended.
    Longer,
    /// It names a field that stands behind another one it leaves out.
    Skips {
        /// The field it names.
        known: FieldId,
        /// The field that comes first.
        before: FieldId,
    },
    /// Its text is not the stored text.
    Differs,
}

impl Alignment {
    /// Better alignments compare less.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Alignment::Whole => 0,
            Alignment::Prefix { .. } => 1,
            Alignment::Skips { .. } => 2,
            Alignment::Longer => 3,
            Alignment::Differs => 4,
        }
    }
}

/// One step of a template: a character or a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Atom {
    Char(char),
    Field(FieldId, Encodings),
}

fn atoms(template: &KeyTemplate) -> Vec<(Atom, usize)> {
    let mut atoms = Vec::new();
    for (position, piece) in template.template.pieces.iter().enumerate() {
        match (piece, template.parts.get(position).copied().flatten()) {
            (Piece::Literal { text, .. }, _) => {
                atoms.extend(text.chars().map(|c| (Atom::Char(c), position)))
            }
            (Piece::Field(field), Some(id)) => {
                atoms.push((Atom::Field(id, field.encodings), position))
            }
            (Piece::Field(_), None) => {}
        }
    }
    atoms
}

/// Holds a value against what is stored.
pub fn align(value: &KeyTemplate, stored: &KeyTemplate) -> Alignment {
    let mine = atoms(value);
    let theirs = atoms(stored);
    let mut last_field = None;
    for (index, (atom, _)) in mine.iter().enumerate() {
        let Some((other, position)) = theirs.get(index) else {
            return Alignment::Longer;
        };
        match (atom, other) {
            (Atom::Char(a), Atom::Char(b)) if a == b => {}
            (Atom::Field(a, mine), Atom::Field(b, theirs)) if a == b && mine == theirs => {
                last_field = Some(*a)
            }
            // A constant or a parameter of the value stands where the key has a field: it fills that field.
            (Atom::Char(_), Atom::Field(field, _)) => {
                return constant(value, stored, *field, *position, index);
            }
            (Atom::Field(known, _), Atom::Field(before, _)) if later(&theirs[index..], *known) => {
                return Alignment::Skips {
                    known: *known,
                    before: *before,
                };
            }
            (Atom::Field(known, _), Atom::Char(_)) if later(&theirs[index..], *known) => {
                let before = theirs[index..].iter().find_map(|(atom, _)| match atom {
                    Atom::Field(field, _) => Some(*field),
                    Atom::Char(_) => None,
                });
                match before {
                    Some(before) if before != *known => {
                        return Alignment::Skips {
                            known: *known,
                            before,
                        };
                    }
                    _ => return Alignment::Differs,
                }
            }
            _ => return Alignment::Differs,
        }
    }
    if mine.len() == theirs.len() {
        return Alignment::Whole;
    }
    prefix(&mine, &theirs, last_field)
}

fn later(rest: &[(Atom, usize)], field: FieldId) -> bool {
    rest.iter()
        .any(|(atom, _)| matches!(atom, Atom::Field(other, _) if *other == field))
}

fn prefix(
    mine: &[(Atom, usize)],
    theirs: &[(Atom, usize)],
    last_field: Option<FieldId>,
) -> Alignment {
    let covered = theirs[mine.len()].1;
    let rest_of_literal: String = theirs[mine.len()..]
        .iter()
        .map_while(|(atom, _)| match atom {
            Atom::Char(c) => Some(*c),
            Atom::Field(..) => None,
        })
        .collect();
    let closed = !matches!(mine.last(), Some((Atom::Field(..), _)));
    Alignment::Prefix {
        covered,
        closed,
        last_field,
        rest_of_literal,
    }
}

/// A fixed word where the stored key has a field, as `STATUS#SHIPPED` for `STATUS#{status}`: whole words of the value are matched
/// up to the text that follows the field.
fn constant(
    value: &KeyTemplate,
    stored: &KeyTemplate,
    field: FieldId,
    position: usize,
    index: usize,
) -> Alignment {
    let text: String = atoms(value)[index..]
        .iter()
        .map_while(|(atom, _)| match atom {
            Atom::Char(c) => Some(*c),
            Atom::Field(..) => None,
        })
        .collect();
    let follows = match stored.template.pieces.get(position + 1) {
        Some(Piece::Literal { text, .. }) => text.as_str(),
        _ => "",
    };
    let rest_is_field = atoms(value).len() > index + text.chars().count();
    if rest_is_field {
        return Alignment::Differs;
    }
    let last = position + 1 == stored.template.pieces.len();
    if last {
        return Alignment::Whole;
    }
    let closed = !follows.is_empty() && text.ends_with(follows);
    Alignment::Prefix {
        covered: if closed { position + 2 } else { position + 1 },
        closed,
        last_field: Some(field),
        rest_of_literal: if closed {
            String::new()
        } else {
            follows.to_owned()
        },
    }
}
