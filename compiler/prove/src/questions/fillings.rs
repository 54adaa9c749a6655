//! What a caller says beside `by`: the ends of a range, the values of a condition, words.

use std::cmp::Ordering;
use std::sync::LazyLock;

use serde_json::Value;
use tablewright_model::condition::{Condition, Operator, ValueKind};
use tablewright_model::model::{Access, Ends, FieldId, Verb};

use super::Subject;
use super::bases::Base;
use super::refinements::refined;
use crate::data::Chance;
use crate::oracle::compare::order;
use crate::question::{Kind, Question};
use crate::record::Record;

/// The questions of one base; refined in every way there is, or as most callers do.
pub(super) fn fillings(
    subject: &Subject<'_>,
    base: &Base<'_>,
    every_way: bool,
    chance: &mut Chance,
) -> Vec<Question> {
    let mut questions = vec![Question::new(base.kind, base.given.clone())];
    questions = ranged(subject, base, questions, chance);
    questions = with_parameters(subject, base, questions, chance);
    questions = refined(subject, base, questions, every_way, chance);
    if let Verb::Search { matches, .. } = &subject.access.verb {
        let fields: Vec<FieldId> = matches.iter().map(|field| field.id).collect();
        questions = with_words(base, &fields, questions, chance);
    }
    questions
}

/// Whether every edge is looked at here, or one question is enough.
pub(super) fn is_thorough(base: &Base<'_>) -> bool {
    base.kind == Kind::Heavy || base.given.is_empty()
}

/// The values records have in a field, in order and each once; those of all records where the base has none.
pub(super) fn stored<'q>(subject: &Subject<'q>, base: &Base<'q>, field: FieldId) -> Vec<&'q Value> {
    let entity = subject.access.verb.entity().id;
    let kind = subject.model.entity(entity).field(field).kind();
    let values_of = |records: &[&'q Record]| -> Vec<&'q Value> {
        let records = records.iter().filter(|record| record.entity() == entity);
        records.filter_map(|record| record.value(field)).collect()
    };
    let mut values = values_of(&base.records);
    if values.is_empty() {
        values = values_of(&subject.records);
    }
    values.sort_by(|a, b| order(kind, a, b).unwrap_or(Ordering::Equal));
    values.dedup();
    values
}

fn ranged(
    subject: &Subject<'_>,
    base: &Base<'_>,
    questions: Vec<Question>,
    chance: &mut Chance,
) -> Vec<Question> {
    let Some(range) = &subject.access.range else {
        return questions;
    };
    let values = stored(subject, base, range.id);
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return Vec::new();
    };
    let name = subject
        .model
        .entity(subject.access.verb.entity().id)
        .field(range.id)
        .name
        .value
        .clone();
    let middle = values[values.len() / 2];
    let any = *chance.pick(&values);
    let thorough = is_thorough(base);
    let mut ranges: Vec<(Kind, Vec<(String, &Value)>)> = Vec::new();
    if range.ends == Ends::Both {
        let mut add = |kind, from, to| {
            ranges.push((
                kind,
                vec![(format!("{name}_from"), from), (format!("{name}_to"), to)],
            ))
        };
        add(base.kind, *first, *last);
        if thorough {
            // On stored values, on one, between two, and back to front.
            add(Kind::Boundary, *first, middle);
            add(Kind::Boundary, middle, *last);
            add(Kind::Boundary, middle, middle);
            add(Kind::Boundary, *last, *last);
            if !is_between(subject.access) {
                add(Kind::Boundary, *last, *first);
            }
        }
        add(Kind::Boundary, any, any);
    } else {
        let mut add = |kind, end| ranges.push((kind, vec![(name.clone(), end)]));
        let (most, least) = match range.ends {
            Ends::From | Ends::After => (*first, *last),
            _ => (*last, *first),
        };
        add(base.kind, any);
        if thorough {
            add(Kind::Boundary, most);
            add(Kind::Boundary, least);
            add(Kind::Boundary, middle);
        }
    }
    let mut filled = Vec::new();
    for question in questions {
        for (kind, ends) in &ranges {
            let mut question = question.clone();
            question.kind = *kind;
            let ends = ends
                .iter()
                .map(|(name, value)| (name.clone(), (*value).clone()));
            question.given.extend(ends);
            filled.push(question);
        }
    }
    filled
}

/// Whether a person wrote BETWEEN, which DynamoDB refuses back to front: who writes it gives the ends as they are.
fn is_between(access: &Access) -> bool {
    let by_hand = access.by_hand.iter();
    let mut texts = by_hand.flat_map(|by_hand| by_hand.condition.iter().chain(&by_hand.filter));
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '#' | '.');
    texts.any(|text| {
        let mut words = text.value.split(|c: char| !is_part(c));
        words.any(|word| word.eq_ignore_ascii_case("between"))
    })
}

/// A value the caller gives, what it is compared with, and how.
struct Parameter {
    name: String,
    /// None of a counter.
    field: Option<FieldId>,
    operator: Option<Operator>,
}

/// What counters are compared with.
static COUNTS: LazyLock<[Value; 4]> = LazyLock::new(|| [0, 1, 3, 12].map(Value::from));

fn parameters(subject: &Subject<'_>) -> Vec<Parameter> {
    let entity = subject.model.entity(subject.access.verb.entity().id);
    let mut parameters: Vec<Parameter> = Vec::new();
    let condition = subject.access.condition.iter();
    condition.for_each(|written| {
        written.condition.visit(&mut |part| {
            let operator = match part {
                Condition::Compare { operator, .. } => Some(*operator),
                _ => None,
            };
            for value in part.values() {
                if let (ValueKind::Parameter(name), Some(field)) = (&value.kind, part.field())
                    && !parameters.iter().any(|known| known.name == *name)
                {
                    parameters.push(Parameter {
                        name: name.clone(),
                        field: entity.field_named(&field.name),
                        operator,
                    });
                }
            }
        });
    });
    parameters
}

fn with_parameters(
    subject: &Subject<'_>,
    base: &Base<'_>,
    mut questions: Vec<Question>,
    chance: &mut Chance,
) -> Vec<Question> {
    for parameter in parameters(subject) {
        let values = match parameter.field {
            Some(field) => stored(subject, base, field),
            None => COUNTS.iter().collect(),
        };
        let Some((first, last)) = values.first().zip(values.last()) else {
            return Vec::new();
        };
        // One that lets pass nearly all, as the model says such a condition does.
        let usual: Value = match parameter.operator {
            Some(Operator::Less | Operator::LessOrEqual) => (*last).clone(),
            Some(Operator::Greater | Operator::GreaterOrEqual) => lowered(first),
            _ => member_of(values[chance.below(values.len())], chance),
        };
        let mut choices = vec![(base.kind, usual, true)];
        if is_thorough(base) {
            for value in [*first, values[values.len() / 2], *last] {
                choices.push((Kind::Boundary, member_of(value, chance), false));
            }
        }
        let mut filled = Vec::new();
        for question in &questions {
            for (kind, value, usual) in &choices {
                let mut question = question.clone();
                if !usual {
                    question.kind = *kind;
                    question.within_facts = false;
                }
                question.given.insert(parameter.name.clone(), value.clone());
                filled.push(question);
            }
        }
        questions = filled;
    }
    questions
}

/// A little less, of a number.
pub(super) fn lowered(value: &Value) -> Value {
    match value.as_i64() {
        Some(number) => Value::from(number.saturating_sub(1)),
        None => value.clone(),
    }
}

/// The value, or of a list or set one of its members.
pub(super) fn member_of(value: &Value, chance: &mut Chance) -> Value {
    match value {
        Value::Array(members) if !members.is_empty() => chance.pick(members).clone(),
        value => value.clone(),
    }
}

/// Words of what is there: one, two, in capitals, a part of one; and one that is nowhere.
fn with_words(
    base: &Base<'_>,
    fields: &[FieldId],
    questions: Vec<Question>,
    chance: &mut Chance,
) -> Vec<Question> {
    let texts = base.records.iter().flat_map(|record| {
        fields
            .iter()
            .filter_map(|field| record.value(*field)?.as_str())
    });
    let texts: Vec<&str> = texts
        .filter(|text| text.contains(char::is_alphanumeric))
        .collect();
    let mut words: Vec<(Kind, String)> = vec![(Kind::NearMiss, "nowhereatall".to_owned())];
    if !texts.is_empty() {
        let word = |chance: &mut Chance| -> String {
            let text: Vec<&str> = chance.pick(&texts).split_whitespace().collect();
            text.get(chance.below(text.len()))
                .unwrap_or(&"")
                .to_string()
        };
        let one = word(chance);
        let part: String = one.chars().skip(1).take(3).collect();
        words.push((Kind::Boundary, part));
        words.push((Kind::Boundary, one.to_ascii_uppercase()));
        words.push((base.kind, format!("{} {}", word(chance), word(chance))));
        words.push((base.kind, one));
    }
    words.push((Kind::Boundary, String::new()));
    let mut filled = Vec::new();
    for question in &questions {
        for (kind, words) in &words {
            filled.push(Question {
                kind: *kind,
                words: Some(words.clone()),
                ..question.clone()
            });
        }
    }
    filled
}
