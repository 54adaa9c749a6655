//! What a caller may ask beside what the pattern asks: by each field alone, in every way there is, and by several.

use std::collections::BTreeMap;

use serde_json::Value;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::Field;

use super::Subject;
use super::bases::Base;
use super::fillings::{is_thorough, member_of, stored};
use crate::data::Chance;
use crate::question::{Kind, Question, Refinement};

/// With each refinement alone, two at once, and one that nothing fits.
pub(super) fn refined(
    subject: &Subject<'_>,
    base: &Base<'_>,
    questions: Vec<Question>,
    in_every_way: bool,
    chance: &mut Chance,
) -> Vec<Question> {
    let mut filled = questions.clone();
    let entity = subject.model.entity(subject.access.verb.entity().id);
    let Some(question) = questions.first() else {
        return filled;
    };
    let mut both = BTreeMap::new();
    for field in &subject.access.refine {
        let values = stored(subject, base, field.id);
        if values.is_empty() || base.kind == Kind::NearMiss {
            continue;
        }
        let declared = entity.field(field.id);
        let value = member_of(values[chance.below(values.len())], chance);
        both.insert(field.written.value.clone(), Refinement::Is(value.clone()));
        let mut wanted = vec![Refinement::Is(value)];
        if is_thorough(base) {
            wanted.extend(nothing_like(declared.kind()).map(Refinement::Is));
        }
        if in_every_way {
            wanted.extend(every_way(declared, &values, chance));
        }
        for wanted in wanted {
            let refine = BTreeMap::from([(field.written.value.clone(), wanted)]);
            filled.push(Question {
                refine,
                ..question.clone()
            });
        }
    }
    if both.len() > 1 {
        filled.push(Question {
            refine: both,
            ..question.clone()
        });
    }
    filled
}

/// One of several and of none, every range on stored values and one back to front, there and not there: as far as the field has it.
fn every_way(field: &Field, values: &[&Value], chance: &mut Chance) -> Vec<Refinement> {
    let mut any = || member_of(values[chance.below(values.len())], chance);
    let mut ways = vec![
        Refinement::OneOf(vec![any(), any()]),
        Refinement::OneOf(Vec::new()),
    ];
    if has_order(field.kind()) {
        let at = |quarters: usize| values[(values.len() - 1) * quarters / 4].clone();
        ways.extend([
            Refinement::From(at(2)),
            Refinement::Until(at(2)),
            Refinement::Between(at(1), at(3)),
            Refinement::Between(at(4), at(0)),
        ]);
    }
    if field.is_optional() {
        ways.extend([Refinement::Present, Refinement::Absent]);
    }
    ways
}

/// Whether values of a type can be bounded, as they are stored.
fn has_order(kind: &FieldType) -> bool {
    match kind {
        FieldType::String(_)
        | FieldType::Id
        | FieldType::Uuid
        | FieldType::Ulid
        | FieldType::Email
        | FieldType::Int { .. }
        | FieldType::Decimal
        | FieldType::Date
        | FieldType::Timestamp(_)
        | FieldType::EpochSeconds
        | FieldType::EpochMillis
        | FieldType::Enum(_)
        | FieldType::Ordered(_) => true,
        FieldType::UnevenTimestamp
        | FieldType::Bool
        | FieldType::Binary(_)
        | FieldType::List(..)
        | FieldType::Set(..)
        | FieldType::Map(..)
        | FieldType::Json(_)
        | FieldType::Struct(_) => false,
    }
}

/// A value of a type that nothing has.
fn nothing_like(kind: &FieldType) -> Option<Value> {
    match kind {
        FieldType::String(length) if length.max.is_none_or(|max| max >= 12) => {
            Some(Value::from("nobody has it"))
        }
        FieldType::Date => Some(Value::from("1999-12-31")),
        _ => None,
    }
}
