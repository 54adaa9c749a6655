//! A pattern's words, evaluated.

use std::cmp::Ordering;

use serde_json::Value;
use tablewright_model::condition::{Condition, Operator};
use tablewright_model::model::{Access, ActionKind, EntityId, FieldId, Verb};

use super::compare::{folded, order};
use super::filter::Filter;
use super::key_order::KeyOrder;
use super::{Oracle, folds, telling_most};
use crate::expected::Expected;
use crate::question::Question;
use crate::record::Record;

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
        let record = oracle
            .is_alive(record)
            .then(|| oracle.with_counts(place, record));
        record.filter(|record| filter.keeps(record))
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
    // Only a direction is asked for: then the key gives the order.
    let direction = access.order.as_ref().filter(|order| order.by.is_empty());
    let key =
        direction.and_then(|order| Some((KeyOrder::of(oracle.model, access)?, order.descending)));
    let by_key = |a: &Record, b: &Record| match &key {
        Some((key, true)) => key.compare(b, a),
        Some((key, false)) => key.compare(a, b),
        None => by_terms(a, b),
    };
    records.sort_by(by_key);
    let mut groups = Vec::with_capacity(records.len());
    let mut group = 0;
    for (place, record) in records.iter().enumerate() {
        if place > 0 && by_key(&records[place - 1], record).is_ne() {
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
