//! A value held against the template of what is stored: does it cover all of it, a beginning, or something else?

use tablewright_keys::{Encodings, Piece};
use tablewright_model::model::{Entity, FieldId, KeyTemplate};

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
    /// It names the right field, in another form than the one that is stored.
    OtherForm {
        /// The field.
        field: FieldId,
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
            Alignment::OtherForm { .. } => 3,
            Alignment::Longer => 4,
            Alignment::Differs => 5,
        }
    }

    /// Whether the value is a key that is stored, or the beginning of one.
    pub fn can_match(&self) -> bool {
        matches!(self, Alignment::Whole | Alignment::Prefix { .. })
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

/// A value over the fields of one entity as one over those of another, by their names; none where it has no such field.
pub(crate) fn in_terms_of(
    value: &KeyTemplate,
    entity: &Entity,
    other: &Entity,
) -> Option<KeyTemplate> {
    let mut value = value.clone();
    for field in value.parts.iter_mut().flatten() {
        *field = other.field_named(entity.field(*field).name.as_str())?;
    }
    Some(value)
}

/// Holds a value against what is stored.
pub fn align(value: &KeyTemplate, stored: &KeyTemplate) -> Alignment {
    let mine = atoms(value);
    let theirs = atoms(stored);
    let mut last_field = None;
    let mut ends_in_field = false;
    let (mut own, mut other) = (0, 0);
    while let Some((atom, _)) = mine.get(own) {
        let Some((stored, _)) = theirs.get(other) else {
            return Alignment::Longer;
        };
        ends_in_field = matches!(stored, Atom::Field(..));
        own += match (atom, stored) {
            (Atom::Char(a), Atom::Char(b)) if a == b => 1,
            (Atom::Field(a, mine), Atom::Field(b, theirs)) if a == b && mine == theirs => {
                last_field = Some(*a);
                1
            }
            // A fixed word where the key has a field, as `STATUS#SHIPPED` for `STATUS#{status}`: it fills that field.
            (Atom::Char(_), Atom::Field(field, _)) => {
                last_field = Some(*field);
                length_of_word(&mine[own..], theirs.get(other + 1))
            }
            (Atom::Field(mine, _), Atom::Field(stored, _)) if mine == stored => {
                return Alignment::OtherForm { field: *mine };
            }
            (Atom::Field(known, _), Atom::Field(before, _)) if later(&theirs[other..], *known) => {
                return Alignment::Skips {
                    known: *known,
                    before: *before,
                };
            }
            (Atom::Field(known, _), Atom::Char(_)) if later(&theirs[other..], *known) => {
                return match first_field(&theirs[other..]) {
                    Some(before) if before != *known => Alignment::Skips {
                        known: *known,
                        before,
                    },
                    _ => Alignment::Differs,
                };
            }
            _ => return Alignment::Differs,
        };
        other += 1;
    }
    if other == theirs.len() {
        return Alignment::Whole;
    }
    prefix(&theirs[other..], last_field, ends_in_field)
}

/// The characters of a fixed word, up to the one that follows the field in the stored key.
fn length_of_word(mine: &[(Atom, usize)], follows: Option<&(Atom, usize)>) -> usize {
    let stop = follows.map(|(atom, _)| *atom);
    mine.iter()
        .take_while(|(atom, _)| matches!(atom, Atom::Char(_)) && Some(*atom) != stop)
        .count()
}

fn first_field(rest: &[(Atom, usize)]) -> Option<FieldId> {
    rest.iter().find_map(|(atom, _)| match atom {
        Atom::Field(field, _) => Some(*field),
        Atom::Char(_) => None,
    })
}

fn later(rest: &[(Atom, usize)], field: FieldId) -> bool {
    rest.iter()
        .any(|(atom, _)| matches!(atom, Atom::Field(other, _) if *other == field))
}

fn prefix(rest: &[(Atom, usize)], last_field: Option<FieldId>, ends_in_field: bool) -> Alignment {
    let rest_of_literal: String = rest
        .iter()
        .map_while(|(atom, _)| match atom {
            Atom::Char(c) => Some(*c),
            Atom::Field(..) => None,
        })
        .collect();
    Alignment::Prefix {
        covered: rest.first().map_or(0, |(_, position)| *position),
        closed: !ends_in_field,
        last_field,
        rest_of_literal,
    }
}
