//! An item that a list gives, and what it is asked with.

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::model::{Access, EntityId, FieldId};

use super::{Filler, slot};
use crate::demand::decide;
use crate::expected::Expected;
use crate::of_all::known;
use crate::oracle::Oracle;
use crate::question::{Kind, Question};
use crate::record::Record;

/// So many items are looked at for one that could be found.
const EXAMPLES: usize = 100;

/// With so many questions.
const QUESTIONS: usize = 8;

/// What is given, and an item that is then found.
pub(super) struct Example {
    pub(super) given: Map<String, Value>,
    pub(super) item: Record,
}

impl Filler<'_> {
    /// Of a question there is, or of any item that is found, or would be with another word in it.
    pub(super) fn example(
        &self,
        access: &Access,
        id: EntityId,
        oracle: &Oracle<'_>,
        asked: &[Question],
    ) -> Option<Example> {
        let plain = asked.iter().filter(|question| question.refine.is_empty());
        let found = plain.clone().find_map(|question| {
            let Expected::Many { records, .. } = oracle.answer(access, question) else {
                return None;
            };
            let found = records.iter().find(|record| record.entity() == id)?;
            Some(Example {
                item: oracle.stored(id, &found.key(self.model))?.clone(),
                given: question.given.clone(),
            })
        });
        if found.is_some() {
            return found;
        }
        let mut words: Vec<(FieldId, Value)> = Vec::new();
        let entity = self.model.entity(id);
        for field in conditions(self.model, access, id) {
            let of_field = entity.field(field).kind().words().unwrap_or_default();
            let of_field = of_field.iter().cloned().map(Value::String);
            words.extend(of_field.map(|word| (field, word)));
        }
        let mut plain = plain.take(QUESTIONS);
        plain.find_map(|question| {
            let alive = oracle.records(id).filter(|one| oracle.is_alive(one));
            alive.take(EXAMPLES).find_map(|record| {
                let mut given = question.given.clone();
                for field in known(self.model, access, id) {
                    given.insert(entity.field(field).name.value.clone(), slot(record, field));
                }
                let question = Question::new(Kind::Typical, given.clone());
                let others = words.iter().cloned();
                let others = others.map(|(field, word)| record.with([(field.0, word)]));
                let mut others = std::iter::once(record.clone()).chain(others);
                let item =
                    others.find(|one| self.is_meant(access, &question, one, oracle.now()))?;
                Some(Example { given, item })
            })
        })
    }

    /// Whether an item alone is what a question asks for.
    pub(super) fn is_meant(
        &self,
        access: &Access,
        question: &Question,
        record: &Record,
        now: i64,
    ) -> bool {
        let alone = Oracle::new(self.model, [record], now);
        alone.answer(access, question).len() == 1
    }
}

/// The fields that the condition of a pattern is about.
pub(super) fn conditions(model: &Model, access: &Access, id: EntityId) -> Vec<FieldId> {
    let entity = model.entity(id);
    let condition = access.condition.iter();
    let fields = condition.flat_map(|written| decide(entity, &written.condition));
    fields.collect()
}
