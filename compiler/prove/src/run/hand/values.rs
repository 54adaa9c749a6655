//! The values of a request written by hand: key templates filled with what the caller gives.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Map, Value, json};
use tablewright::Fields;
use tablewright::descriptor::{Entity as Described, KeyKind, StoredKey};
use tablewright_keys::TypedPiece;
use tablewright_model::condition::{Condition, Operator, ValueKind};
use tablewright_model::model::{Access, ByHand, Ends, Entity, FieldId, HandValue, KeyTemplate};
use tablewright_plan::expression::KeyTest;
use tablewright_plan::hand::{HandPlan, HandTest};

use super::literal::literal;
use crate::record::key_value;
use crate::run::bench::Trouble;

/// What a caller knows when a request is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'k> {
    pub(super) access: &'k Access,
    pub(super) entity: &'k Entity,
    pub(super) given: &'k Map<String, Value>,
    /// What a search looks for.
    pub(super) words: Option<&'k str>,
}

/// Which end of a range a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Low,
    High,
}

impl Known<'_> {
    /// What a name in a template stands for: a value of the caller, one the pattern fixes, an end of its range.
    pub(super) fn value(&self, name: &str, field: Option<FieldId>, end: End) -> Option<Value> {
        if let Some(value) = self.given.get(name) {
            return Some(value.clone());
        }
        let named = |field: FieldId| self.entity.field(field).name.value.as_str();
        if let Some(field) = field {
            let range = self.access.range.as_ref().filter(|range| range.id == field);
            if let Some(range) = range {
                let of = named(field);
                let name = match (range.ends, end) {
                    (Ends::Both, End::Low) => format!("{of}_from"),
                    (Ends::Both, End::High) => format!("{of}_to"),
                    _ => of.to_owned(),
                };
                return self.given.get(&name).cloned();
            }
            if let Some(by) = self.access.by.iter().find(|by| by.id == field) {
                return self.given.get(by.written.as_str()).cloned();
            }
            if let Some(value) = self.fixed(named(field)) {
                return Some(value);
            }
        }
        self.words.map(Value::from)
    }

    /// The value the pattern's condition fixes a field to, or the caller's it compares it with.
    fn fixed(&self, field: &str) -> Option<Value> {
        let condition = self.access.condition.iter();
        let mut parts = condition.flat_map(|condition| condition.condition.conjuncts());
        parts.find_map(|part| match part {
            Condition::Compare {
                field: compared,
                operator: Operator::Equal,
                value,
            } if compared.name == field => match &value.kind {
                ValueKind::Parameter(name) => self.given.get(name).cloned(),
                ValueKind::Word(word) if word == "true" || word == "false" => {
                    Some(Value::from(word == "true"))
                }
                ValueKind::Word(text) | ValueKind::Quoted(text) => Some(Value::from(text.as_str())),
                ValueKind::Number(number) => serde_json::from_str(number).ok(),
                ValueKind::Field(_) => None,
            },
            _ => None,
        })
    }

    /// The text of a template.
    pub(super) fn text(&self, template: &KeyTemplate, end: End) -> Result<String, Trouble> {
        let field_of = |name: &str| {
            let pieces = template.typed.pieces.iter().zip(&template.parts);
            let mut pieces = pieces.filter_map(|(piece, part)| match piece {
                TypedPiece::Field { name, .. } => Some((name.as_str(), *part)),
                TypedPiece::Literal(_) => None,
            });
            pieces
                .find(|(known, _)| *known == name)
                .and_then(|(_, id)| id)
        };
        let value = |name: &str| key_value(&self.value(name, field_of(name), end)?);
        template
            .typed
            .render(value)
            .map_err(|why| Trouble::Wrong(format!("`{template}` cannot be made: {why}")))
    }

    /// The one field of a template that is nothing else, as it is stored.
    fn stored(
        &self,
        template: &KeyTemplate,
        described: &Described,
        end: End,
    ) -> Option<AttributeValue> {
        let field = template.bare_field()?;
        let (_, _, written) = template.field_parts().next()?;
        let value = self.value(&written.name, Some(field), end)?;
        stored(described, self.entity.field(field).name.as_str(), &value)
    }
}

/// The values of all placeholders of a request.
pub(super) fn placeholders(
    known: Known<'_>,
    described: &Described,
    plan: &HandPlan,
    by_hand: &ByHand,
) -> Result<HashMap<String, AttributeValue>, Trouble> {
    let mut values = HashMap::new();
    let mut ends = [End::Low, End::High].into_iter();
    let range = known.access.range.as_ref().map(|range| range.id);
    for written in &by_hand.values {
        let name = &written.name.value;
        let value = match key_use(plan, name) {
            Some((test, end)) => of_key(known, described, test, written, end)?,
            None => {
                // In a filter the first value of the range is where it begins.
                let is_end = range.is_some_and(|range| written.value.has(range));
                let end = if is_end { ends.next() } else { None };
                let end = end.unwrap_or(End::Low);
                match known.stored(&written.value, described, end) {
                    Some(stored) => stored,
                    None => {
                        let text = known.text(&written.value, end)?;
                        let is_literal = written.value.field_parts().next().is_none();
                        match is_literal {
                            true => literal(text, name, known.entity, plan, by_hand),
                            false => AttributeValue::S(text),
                        }
                    }
                }
            }
        };
        values.insert(name.clone(), value);
    }
    Ok(values)
}

/// The test of a key that takes a placeholder, and which end of it that is.
fn key_use<'p>(plan: &'p HandPlan, name: &str) -> Option<(&'p HandTest, End)> {
    let tests = [plan.partition.as_ref(), plan.sort.as_ref()];
    tests.into_iter().flatten().find_map(|test| {
        let values: Vec<&str> = test
            .test
            .values()
            .map(|value| value.text.as_str())
            .collect();
        let position = values.iter().position(|value| *value == name)?;
        let end = match (&test.test, position) {
            (KeyTest::Between(..), 1) | (KeyTest::Less(_) | KeyTest::LessOrEqual(_), _) => {
                End::High
            }
            _ => End::Low,
        };
        Some((test, end))
    })
}

fn of_key(
    known: Known<'_>,
    described: &Described,
    test: &HandTest,
    written: &HandValue,
    end: End,
) -> Result<AttributeValue, Trouble> {
    // A natural key is the field itself, with nothing escaped in it.
    let bare = written.value.bare_field();
    let natural = bare.is_some_and(|id| known.entity.field(id).name.value == test.attribute);
    if natural && let Some(stored) = known.stored(&written.value, described, end) {
        return Ok(stored);
    }
    let text = known.text(&written.value, end)?;
    let table = &described.table;
    let indexes = table
        .indexes
        .iter()
        .flat_map(|index| index.key_attributes());
    let mut keys = table.key_attributes().chain(indexes);
    let key = keys.find(|key| key.name == test.attribute);
    Ok(of_kind(key.map_or(KeyKind::String, |key| key.kind), text))
}

/// The attributes of a key, made of what the caller knows.
pub(super) fn key_of(
    known: Known<'_>,
    described: &Described,
    key: &StoredKey,
) -> Result<HashMap<String, AttributeValue>, Trouble> {
    let value = |name: &str| known.value(name, known.entity.field_named(name), End::Low);
    let mut attributes = HashMap::new();
    for part in key.parts() {
        let name = part.attribute.name.clone();
        let natural = value(&name).filter(|_| part.natural);
        let stored = natural.and_then(|value| stored(described, &name, &value));
        let attribute = match stored {
            Some(stored) => stored,
            None => {
                let text = part.template.render(|name| key_value(&value(name)?));
                let text = text.map_err(|why| {
                    Trouble::Wrong(format!(
                        "the key of {} cannot be made: {why}",
                        described.name
                    ))
                })?;
                of_kind(part.attribute.kind, text)
            }
        };
        attributes.insert(name, attribute);
    }
    Ok(attributes)
}

/// A value as its field is stored.
fn stored(described: &Described, name: &str, value: &Value) -> Option<AttributeValue> {
    let fields = Fields::from_json(described, json!({ name: value }).as_object()?).ok()?;
    fields.stored(name).cloned()
}

fn of_kind(kind: KeyKind, text: String) -> AttributeValue {
    match kind {
        KeyKind::Number => AttributeValue::N(text),
        KeyKind::String | KeyKind::Binary => AttributeValue::S(text),
    }
}
