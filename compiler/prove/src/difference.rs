//! Where an answer differs from what is expected, in words.

use std::collections::HashMap;

use serde_json::Value;
use tablewright_model::Model;

use crate::expected::Expected;
use crate::record::Record;

pub(crate) fn whole(expected: &Expected, model: &Model, got: &[Record]) -> Option<String> {
    match expected {
        Expected::Count(count) => {
            (*count != got.len() as u64).then(|| format!("{} items instead of {count}", got.len()))
        }
        Expected::One(one) => {
            let groups = vec![0; one.iter().len()];
            list(model, one.as_slice(), &groups, got, true)
        }
        Expected::Each(each) => {
            let found: Vec<Record> = each.iter().flatten().cloned().collect();
            let groups = (0..).take(found.len()).collect::<Vec<u32>>();
            list(model, &found, &groups, got, true)
        }
        Expected::Many { records, groups } => list(model, records, groups, got, true),
    }
}

pub(crate) fn first(expected: &Expected, model: &Model, got: &[Record]) -> Option<String> {
    match expected {
        Expected::Many { records, groups } => list(model, records, groups, got, false),
        other => whole(other, model, got),
    }
}

pub(crate) fn each(expected: &Expected, model: &Model, got: &[Option<Record>]) -> Option<String> {
    let Expected::Each(expected) = expected else {
        let found: Vec<Record> = got.iter().flatten().cloned().collect();
        return whole(expected, model, &found);
    };
    if expected.len() != got.len() {
        return Some(format!("{} answers to {} keys", got.len(), expected.len()));
    }
    let pairs = expected.iter().zip(got);
    let mut differences = pairs.filter_map(|(expected, got)| match (expected, got) {
        (None, None) => None,
        (Some(missing), None) => Some(format!("missing {}", name(model, missing))),
        (None, Some(more)) => Some(format!("unasked {}", name(model, more))),
        (Some(expected), Some(got)) if identity(model, expected) != identity(model, got) => {
            Some(format!(
                "{} in the place of {}",
                name(model, got),
                name(model, expected)
            ))
        }
        (Some(expected), Some(got)) => contents(model, expected, got),
    });
    differences.next()
}

/// Items of one group may come in any order, and every item once.
fn list(
    model: &Model,
    expected: &[Record],
    groups: &[u32],
    got: &[Record],
    to_the_end: bool,
) -> Option<String> {
    // Of the first few only those can be that are not after the last of them: a long list need not be looked through.
    let looked_at = match (
        to_the_end,
        got.len().checked_sub(1).and_then(|last| groups.get(last)),
    ) {
        (false, Some(last)) => groups.partition_point(|group| group <= last),
        _ => expected.len(),
    };
    let mut places: HashMap<String, Vec<usize>> = HashMap::with_capacity(looked_at);
    for (place, record) in expected[..looked_at].iter().enumerate().rev() {
        places
            .entry(identity(model, record))
            .or_default()
            .push(place);
    }
    let mut seen = vec![false; expected.len()];
    for (position, record) in got.iter().enumerate() {
        let Some(places) = places.get_mut(&identity(model, record)) else {
            let sought = identity(model, record);
            let later = expected[looked_at..]
                .iter()
                .any(|other| identity(model, other) == sought);
            return Some(match (later, (0..looked_at).find(|other| !seen[*other])) {
                (true, Some(late)) => before(model, record, &expected[late]),
                _ => without_its_key(model, record)
                    .unwrap_or_else(|| format!("unasked {}", name(model, record))),
            });
        };
        let Some(place) = places.pop() else {
            return Some(format!("twice {}", name(model, record)));
        };
        seen[place] = true;
        if let Some(difference) = contents(model, &expected[place], record) {
            return Some(difference);
        }
        let due = groups.get(position).copied();
        if due.is_some_and(|due| due != groups[place]) {
            let late =
                (0..expected.len()).find(|other| !seen[*other] && groups[*other] < groups[place]);
            return Some(match late {
                Some(late) => before(model, record, &expected[late]),
                None => format!("{} came too late", name(model, record)),
            });
        }
    }
    let missing = seen.iter().position(|seen| !seen).filter(|_| to_the_end)?;
    let count = seen.iter().filter(|seen| !**seen).count();
    let others = match count - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "missing {}{others}",
        name(model, &expected[missing])
    ))
}

/// What is said of an item that came without the fields of its key: where it was read, they are not kept.
fn without_its_key(model: &Model, record: &Record) -> Option<String> {
    let entity = model.entity(record.entity());
    let identity = entity.identity().into_iter();
    let missing: Vec<String> = identity
        .filter(|field| record.value(*field).is_none())
        .map(|field| format!("`{}`", entity.field(field).name))
        .collect();
    (!missing.is_empty()).then(|| {
        format!(
            "{} came without {}: does the index project all that is asked for?",
            entity.name,
            missing.join(" and ")
        )
    })
}

fn before(model: &Model, early: &Record, late: &Record) -> String {
    format!("{} came before {}", name(model, early), name(model, late))
}

/// The first field in which two states of an item differ.
fn contents(model: &Model, expected: &Record, got: &Record) -> Option<String> {
    if expected == got {
        return None;
    }
    let names = expected.names(model);
    let both = expected.slots().iter().zip(got.slots());
    let mut differing = names.into_iter().zip(both).filter(|(_, (a, b))| a != b);
    let (field, (expected_value, got_value)) = differing.next()?;
    Some(format!(
        "{}: {field} is {} instead of {}",
        name(model, got),
        shown(got_value),
        shown(expected_value)
    ))
}

/// What tells an item from every other: its key, or everything it has where a projection left out a part of the key.
fn identity(model: &Model, record: &Record) -> String {
    let fields = model.entity(record.entity()).identity();
    let key: Option<Vec<&Value>> = fields
        .into_iter()
        .map(|field| record.value(field))
        .collect();
    let values = key.unwrap_or_else(|| record.slots().iter().collect());
    let mut text = record.entity().0.to_string();
    for value in values {
        text.push('\u{1}');
        text.push_str(&value.to_string());
    }
    text
}

/// An item as people would name it: `Task task_id="01…" user_id="ada"`.
pub(crate) fn name(model: &Model, record: &Record) -> String {
    let entity = model.entity(record.entity());
    let mut text = entity.name.value.clone();
    for field in entity.identity() {
        let value = record.value(field).map(shown).unwrap_or_default();
        text.push_str(&format!(" {}={value}", entity.field(field).name.value));
    }
    text
}

fn shown(value: &Value) -> String {
    if value.is_null() {
        return "nothing".to_owned();
    }
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
