//! What a field of an item can be, as far as conditions tell its values apart; and what a condition says of it.

use std::ops::Not;

use tablewright_model::condition::{Condition, Operator, Value, ValueKind};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, FieldId};

/// A value of a field, or all those that no condition tells apart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Case {
    /// There is none.
    Absent,
    /// This word or text.
    Exactly(String),
    /// A whole number from one to the other, both included.
    Between(i128, i128),
    /// A word or text that no condition names.
    Unnamed,
    /// Any value: conditions on it are not understood.
    Any,
}

impl Case {
    /// Whether what stays in the case cannot have changed.
    pub(super) fn is_one_value(&self) -> bool {
        match self {
            Case::Absent | Case::Exactly(_) => true,
            Case::Between(low, high) => low == high,
            Case::Unnamed | Case::Any => false,
        }
    }
}

/// What is known of an item: some of its fields.
pub(crate) type Known<'c> = [(FieldId, &'c Case)];

/// The cases of a field that some conditions tell apart.
pub(crate) fn cases_of(entity: &Entity, id: FieldId, conditions: &[&Condition]) -> Vec<Case> {
    let field = entity.field(id);
    let mut constants: Vec<&str> = Vec::new();
    for condition in conditions {
        condition.visit(&mut |comparison| {
            if comparison
                .field()
                .is_some_and(|named| named.name == field.name.value)
            {
                constants.extend(comparison.values().iter().filter_map(constant));
            }
        });
    }
    let mut cases = match field.kind() {
        FieldType::Bool => words(["false", "true"].into_iter(), &constants),
        FieldType::Enum(all) | FieldType::Ordered(all) => {
            words(all.iter().map(String::as_str), &constants)
        }
        FieldType::String(_) | FieldType::Id => texts(&constants),
        FieldType::Int { min, max } => {
            let least = min.unwrap_or(i64::MIN);
            numbers(least.into(), max.unwrap_or(i64::MAX).into(), &constants)
        }
        _ => vec![Case::Any],
    };
    if field.is_optional() {
        cases.push(Case::Absent);
    }
    cases
}

/// A value known without the caller and without the item.
fn constant(value: &Value) -> Option<&str> {
    match &value.kind {
        ValueKind::Word(text) | ValueKind::Quoted(text) | ValueKind::Number(text) => Some(text),
        ValueKind::Parameter(_) | ValueKind::Field(_) => None,
    }
}

fn words<'w>(all: impl Iterator<Item = &'w str>, named: &[&str]) -> Vec<Case> {
    let (named, unnamed): (Vec<&str>, Vec<&str>) = all.partition(|word| named.contains(word));
    let mut cases: Vec<Case> = exactly(&named);
    match unnamed.as_slice() {
        [] => {}
        [only] => cases.push(Case::Exactly((*only).to_owned())),
        _ => cases.push(Case::Unnamed),
    }
    cases
}

fn texts(named: &[&str]) -> Vec<Case> {
    let mut cases = exactly(named);
    cases.push(Case::Unnamed);
    cases
}

fn exactly(texts: &[&str]) -> Vec<Case> {
    let mut texts = texts.to_vec();
    texts.sort_unstable();
    texts.dedup();
    let cases = texts.into_iter();
    cases.map(|text| Case::Exactly(text.to_owned())).collect()
}

/// The numbers that are compared with, and the gaps between them.
fn numbers(least: i128, most: i128, named: &[&str]) -> Vec<Case> {
    let numbers = named.iter().filter_map(|text| text.parse().ok());
    let mut numbers: Vec<i128> = numbers
        .filter(|number| (least..=most).contains(number))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut cases = Vec::new();
    let mut from = least;
    for number in numbers {
        if from < number {
            cases.push(Case::Between(from, number - 1));
        }
        cases.push(Case::Between(number, number));
        from = number + 1;
    }
    if from <= most {
        cases.push(Case::Between(from, most));
    }
    cases
}

/// Whether something holds, as far as can be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Yes,
    No,
    Maybe,
}

impl Verdict {
    /// The answers that remain possible.
    pub(super) fn possible(self) -> &'static [bool] {
        match self {
            Verdict::Yes => &[true],
            Verdict::No => &[false],
            Verdict::Maybe => &[false, true],
        }
    }

    pub(crate) fn all(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
        let mut all = Verdict::Yes;
        for verdict in verdicts {
            match verdict {
                Verdict::Yes => {}
                Verdict::No => return Verdict::No,
                Verdict::Maybe => all = Verdict::Maybe,
            }
        }
        all
    }

    fn any(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
        !Verdict::all(verdicts.map(Verdict::not))
    }
}

impl Not for Verdict {
    type Output = Verdict;

    fn not(self) -> Verdict {
        match self {
            Verdict::Yes => Verdict::No,
            Verdict::No => Verdict::Yes,
            Verdict::Maybe => Verdict::Maybe,
        }
    }
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Verdict::Yes } else { Verdict::No }
    }
}

/// Whether a field has a value.
pub(super) fn is_there(entity: &Entity, id: FieldId, known: &Known<'_>) -> Verdict {
    match known.iter().find(|(field, _)| *field == id) {
        Some((_, case)) => Verdict::from(**case != Case::Absent),
        None if entity.field(id).is_optional() => Verdict::Maybe,
        None => Verdict::Yes,
    }
}

/// Whether a condition holds of an item of which only some is known.
pub(crate) fn holds(entity: &Entity, condition: &Condition, known: &Known<'_>) -> Verdict {
    let case_of = |name: &str| {
        let id = entity.field_named(name)?;
        let known = known.iter().find(|(field, _)| *field == id);
        Some(known.map_or(&Case::Any, |(_, case)| case))
    };
    match condition {
        Condition::And(all) => Verdict::all(all.iter().map(|one| holds(entity, one, known))),
        Condition::Or(all) => Verdict::any(all.iter().map(|one| holds(entity, one, known))),
        Condition::Not(one) => !holds(entity, one, known),
        Condition::Exists { field, present } => match entity.field_named(&field.name) {
            Some(id) if *present => is_there(entity, id, known),
            Some(id) => !is_there(entity, id, known),
            None => Verdict::Maybe,
        },
        Condition::Contains { field, .. } => match case_of(&field.name) {
            Some(Case::Absent) => Verdict::No,
            _ => Verdict::Maybe,
        },
        Condition::In { field, values } => match case_of(&field.name) {
            Some(case) => Verdict::any(
                values
                    .iter()
                    .map(|value| compared(case, Operator::Equal, value)),
            ),
            None => Verdict::Maybe,
        },
        Condition::Compare {
            field,
            operator,
            value,
        } => case_of(&field.name).map_or(Verdict::Maybe, |case| compared(case, *operator, value)),
    }
}

fn compared(case: &Case, operator: Operator, value: &Value) -> Verdict {
    let differs = operator == Operator::NotEqual;
    match (case, constant(value)) {
        // What is not there differs from everything but another field that is not there either.
        (Case::Absent, None) if differs => Verdict::Maybe,
        (Case::Absent, _) => Verdict::from(differs),
        (Case::Exactly(text), Some(constant)) => match operator {
            Operator::Equal => Verdict::from(text == constant),
            Operator::NotEqual => Verdict::from(text != constant),
            _ => Verdict::Maybe,
        },
        (Case::Unnamed, Some(_)) => match operator {
            Operator::Equal => Verdict::No,
            Operator::NotEqual => Verdict::Yes,
            _ => Verdict::Maybe,
        },
        (Case::Between(low, high), Some(constant)) => match constant.parse() {
            Ok(number) => of_numbers((*low, *high), operator, number),
            Err(_) => Verdict::Maybe,
        },
        (Case::Any, _) | (_, None) => Verdict::Maybe,
    }
}

/// How all numbers from one to another compare with one.
fn of_numbers((low, high): (i128, i128), operator: Operator, number: i128) -> Verdict {
    let less = |all: i128, some: i128| match (all < number, some < number) {
        (true, _) => Verdict::Yes,
        (_, false) => Verdict::No,
        _ => Verdict::Maybe,
    };
    let equal = match (low..=high).contains(&number) {
        false => Verdict::No,
        true if low == high => Verdict::Yes,
        true => Verdict::Maybe,
    };
    match operator {
        Operator::Equal => equal,
        Operator::NotEqual => !equal,
        Operator::Less => less(high, low),
        Operator::GreaterOrEqual => !less(high, low),
        Operator::LessOrEqual => Verdict::any([less(high, low), equal].into_iter()),
        Operator::Greater => !Verdict::any([less(high, low), equal].into_iter()),
    }
}
