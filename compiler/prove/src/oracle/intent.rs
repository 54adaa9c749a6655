//! A pattern's words, evaluated.

use std::cmp::Ordering;

use serde_json::Value;
use tablewright_model::condition::{Condition, Operator};
use tablewright_model::model::{Access, ActionKind, Ends, Entity, EntityId, FieldId, Verb};

use super::compare::{folded, order, same};
use super::condition::{has, holds, member};
use super::{Oracle, folds, telling_most};
use crate::expected::Expected;
use crate::question::Question;
use crate::record::{Record, canonical};

pub(crate) fn answer(oracle: &Oracle<'_>, access: &Access, question: &Question) -> Expected {
    match &access.verb {
        Verb::Get(entity) => {
            let found = matching(oracle, access, entity.id, question)
                .into_iter()
                .next();
            Expected::One(found.map(|record| projected(oracle, access, record)))
        }
        Verb::Count(entity) => Expected::Count(count(oracle, access, entity.id, question)),
        Verb::Batch(action) if action.kind == ActionKind::Get => {
            let each = question.keys.iter().map(|key| {
                let one = Question {
                    given: key.clone(),
                    ..question.clone()
                };
                let found = matching(oracle, access, action.entity.id, &one)
                    .into_iter()
                    .next();
                found.map(|record| projected(oracle, access, record))
            });
            Expected::Each(each.collect())
        }
        verb => {
            let mut records: Vec<Record> = Vec::new();
            let mut entities: Vec<EntityId> = verb.entities().iter().map(|one| one.id).collect();
            entities.dedup();
            for entity in entities {
                records.extend(matching(oracle, access, entity, question));
            }
            in_order(oracle, access, records)
        }
    }
}

/// All records of an entity that a pattern asks for, and that are not over.
fn matching(
    oracle: &Oracle<'_>,
    access: &Access,
    id: EntityId,
    question: &Question,
) -> Vec<Record> {
    let filter = Filter::new(oracle, access, id, question);
    let shelf = &oracle.shelves[id.0];
    let keep = |(place, record): (u32, &Record)| {
        let kept = oracle.is_alive(record) && filter.keeps(record);
        kept.then(|| oracle.with_counts(place, record))
    };
    let by = telling_most(oracle.model, id, access);
    let value = by.and_then(|field| {
        question
            .given
            .get(oracle.model.entity(id).field(field).name.as_str())
    });
    match by
        .zip(value)
        .and_then(|(field, value)| shelf.with(field, value))
    {
        Some(some) => some.filter_map(keep).collect(),
        None => shelf.all().filter_map(keep).collect(),
    }
}

/// How many: of what a counter counts also those that are over, until something takes them off (the language says so).
fn count(oracle: &Oracle<'_>, access: &Access, id: EntityId, question: &Question) -> u64 {
    let filter = Filter::new(oracle, access, id, question);
    let all = is_counted(oracle, access, id);
    let shelf = &oracle.shelves[id.0];
    let counts =
        |(_, record): &(u32, &Record)| (all || oracle.is_alive(record)) && filter.keeps(record);
    let by = telling_most(oracle.model, id, access);
    let value = by.and_then(|field| {
        question
            .given
            .get(oracle.model.entity(id).field(field).name.as_str())
    });
    let count = match by
        .zip(value)
        .and_then(|(field, value)| shelf.with(field, value))
    {
        Some(some) => some.filter(counts).count(),
        None => shelf.all().filter(counts).count(),
    };
    count as u64
}

/// Whether a counter says what a pattern asks: the caller knows the keeper's key, and the word it is kept by.
fn is_counted(oracle: &Oracle<'_>, access: &Access, id: EntityId) -> bool {
    let entity = oracle.model.entity(id);
    let mut asked: Vec<FieldId> = access
        .by
        .iter()
        .filter_map(|by| entity.field_named(by.written.as_str()))
        .collect();
    for part in access
        .condition
        .iter()
        .flat_map(|condition| condition.condition.conjuncts())
    {
        match part {
            Condition::Compare {
                field,
                operator: Operator::Equal,
                ..
            } => asked.extend(entity.field_named(&field.name)),
            _ => return false,
        }
    }
    if access.range.is_some() {
        return false;
    }
    oracle.counts[id.0].iter().any(|counting| {
        let per = counting.per.iter().map(|(per, _)| per);
        let needed: Vec<&FieldId> = counting.key.iter().chain(per).collect();
        needed.len() == asked.len() && needed.iter().all(|field| asked.contains(field))
    })
}

/// What a record must be to be asked for.
struct Filter<'f> {
    oracle: &'f Oracle<'f>,
    access: &'f Access,
    entity: &'f Entity,
    question: &'f Question,
    /// The fields of `by` with the value asked for, and whether case counts.
    known: Vec<(FieldId, Value, bool)>,
    /// A field is asked for that this entity does not have, or no value is given for one.
    impossible: bool,
    refined: Vec<(FieldId, Value)>,
    words: Vec<String>,
}

impl<'f> Filter<'f> {
    fn new(
        oracle: &'f Oracle<'f>,
        access: &'f Access,
        id: EntityId,
        question: &'f Question,
    ) -> Self {
        let entity = oracle.model.entity(id);
        let mut filter = Filter {
            oracle,
            access,
            entity,
            question,
            known: Vec::new(),
            impossible: false,
            refined: Vec::new(),
            words: Vec::new(),
        };
        for by in &access.by {
            let name = by.written.as_str();
            match (entity.field_named(name), question.given.get(name)) {
                (Some(field), Some(value)) => {
                    let value = canonical(oracle.model, entity.field(field).kind(), value.clone());
                    let folds = folds(entity, field);
                    filter
                        .known
                        .push((field, folded(&value, folds).into_owned(), folds));
                }
                _ => filter.impossible = true,
            }
        }
        for (name, value) in &question.refine {
            match entity.field_named(name) {
                Some(field) => {
                    let kind = member(entity.field(field).kind());
                    filter
                        .refined
                        .push((field, canonical(oracle.model, kind, value.clone())));
                }
                None => filter.impossible = true,
            }
        }
        if let Verb::Search { .. } = access.verb {
            let words = question.words.as_deref().unwrap_or_default();
            filter.words = words.split_whitespace().map(str::to_lowercase).collect();
        }
        filter
    }

    fn keeps(&self, record: &Record) -> bool {
        !self.impossible
            && self
                .known
                .iter()
                .all(|(field, value, folds)| self.is(record, *field, value, *folds))
            && self.in_range(record)
            && self.meets_condition(record)
            && self
                .refined
                .iter()
                .all(|(field, value)| self.fits(record, *field, value))
            && self.has_words(record)
    }

    fn is(&self, record: &Record, field: FieldId, value: &Value, folds: bool) -> bool {
        let kind = self.entity.field(field).kind();
        record
            .value(field)
            .is_some_and(|mine| same(kind, &folded(mine, folds), value))
    }

    fn in_range(&self, record: &Record) -> bool {
        let Some(range) = &self.access.range else {
            return true;
        };
        // The range names a field of the first entity; the others of a list have it by name.
        let first = self.oracle.model.entity(self.access.verb.entity().id);
        let name = first.field(range.id).name.as_str();
        let Some(field) = self.entity.field_named(name) else {
            return false;
        };
        let folds = folds(self.entity, field);
        let Some(mine) = record.value(field).map(|mine| folded(mine, folds)) else {
            return false;
        };
        let kind = self.entity.field(field).kind();
        let against = |end: &str| {
            let end = folded(self.question.given.get(end)?, folds);
            let end = canonical(self.oracle.model, kind, end.into_owned());
            order(kind, &mine, &end)
        };
        match range.ends {
            Ends::Both => {
                against(&format!("{name}_from")).is_some_and(Ordering::is_ge)
                    && against(&format!("{name}_to")).is_some_and(Ordering::is_le)
            }
            Ends::From => against(name).is_some_and(Ordering::is_ge),
            Ends::After => against(name).is_some_and(Ordering::is_gt),
            Ends::Until => against(name).is_some_and(Ordering::is_le),
            Ends::Before => against(name).is_some_and(Ordering::is_lt),
        }
    }

    fn meets_condition(&self, record: &Record) -> bool {
        let condition = self.access.condition.as_ref();
        condition.is_none_or(|condition| {
            holds(
                self.oracle.model,
                &condition.condition,
                record,
                &self.question.given,
            )
        })
    }

    /// Equal to a value or, of a list or set, containing it.
    fn fits(&self, record: &Record, field: FieldId, value: &Value) -> bool {
        let kind = self.entity.field(field).kind();
        record.value(field).is_some_and(|mine| match mine {
            Value::Array(_) => has(kind, mine, value),
            mine => same(kind, mine, value),
        })
    }

    /// Every word is in one of the fields, whatever its case.
    fn has_words(&self, record: &Record) -> bool {
        let Verb::Search { matches, .. } = &self.access.verb else {
            return true;
        };
        let texts = matches
            .iter()
            .filter_map(|field| record.value(field.id)?.as_str());
        let texts: Vec<String> = texts.map(str::to_lowercase).collect();
        self.words
            .iter()
            .all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

/// Puts records into the order asked for, and says which are equal in it.
fn in_order(oracle: &Oracle<'_>, access: &Access, mut records: Vec<Record>) -> Expected {
    let terms = access.order.as_ref().map_or(&[][..], |order| &order.by);
    let first = oracle.model.entity(access.verb.entity().id);
    let terms: Vec<(FieldId, bool, bool)> = terms
        .iter()
        .map(|term| (term.id, term.descending, folds(first, term.id)))
        .collect();
    let by_terms = |a: &Record, b: &Record| {
        let orders = terms.iter().map(|(field, descending, folds)| {
            let kind = first.field(*field).kind();
            let order = match (a.value(*field), b.value(*field)) {
                (Some(a), Some(b)) => {
                    order(kind, &folded(a, *folds), &folded(b, *folds)).unwrap_or(Ordering::Equal)
                }
                (a, b) => a.is_some().cmp(&b.is_some()),
            };
            if *descending { order.reverse() } else { order }
        });
        orders.fold(Ordering::Equal, Ordering::then)
    };
    records.sort_by(by_terms);
    let mut groups = Vec::with_capacity(records.len());
    let mut group = 0;
    for (place, record) in records.iter().enumerate() {
        if place > 0 && by_terms(&records[place - 1], record).is_ne() {
            group += 1;
        }
        groups.push(group);
    }
    let records = records
        .into_iter()
        .map(|record| projected(oracle, access, record))
        .collect();
    Expected::Many { records, groups }
}

/// Only the fields that are asked for.
fn projected(oracle: &Oracle<'_>, access: &Access, record: Record) -> Record {
    if access.fields.is_empty() {
        return record;
    }
    let entity = oracle.model.entity(record.entity());
    let asked: Vec<usize> = access
        .fields
        .iter()
        .filter_map(|field| entity.field_named(field.written.as_str()))
        .map(|field| field.0)
        .collect();
    let others = (0..record.slots().len()).filter(|slot| !asked.contains(slot));
    let others: Vec<(usize, Value)> = others.map(|slot| (slot, Value::Null)).collect();
    record.with(others)
}
