//! What a caller knows: values for `by`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tablewright_model::field_type::FieldType;

use super::Subject;
use crate::data::{Chance, neighbour};
use crate::oracle::condition::holds;
use crate::oracle::folds;
use crate::question::Kind;
use crate::record::Record;

/// Values for `by`, and the records that have them.
pub(super) struct Base<'q> {
    pub(super) kind: Kind,
    pub(super) given: Map<String, Value>,
    pub(super) records: Vec<&'q Record>,
    /// It is asked however many others there are.
    pub(super) always: bool,
}

/// Values for `by`, and all that have them.
type Group<'q> = (Map<String, Value>, Vec<&'q Record>);

/// The values of a record for `by`, if it has them all.
pub(super) fn given_of(subject: &Subject<'_>, record: &Record) -> Option<Map<String, Value>> {
    let entity = subject.model.entity(record.entity());
    let values = subject.access.by.iter().map(|by| {
        let name = by.written.value.clone();
        let value = record.value(entity.field_named(&name)?)?.clone();
        Some((name, value))
    });
    values.collect()
}

/// The values a pattern is asked with.
pub(super) fn bases<'q>(subject: &Subject<'q>, chance: &mut Chance) -> Vec<Base<'q>> {
    let mut groups: BTreeMap<String, Group<'q>> = BTreeMap::new();
    for record in &subject.records {
        if let Some(given) = given_of(subject, record) {
            let group = groups.entry(Value::Object(given.clone()).to_string());
            group.or_insert_with(|| (given, Vec::new())).1.push(record);
        }
    }
    if subject.access.by.is_empty() {
        return vec![Base {
            kind: Kind::Typical,
            given: Map::new(),
            records: subject.records.clone(),
            always: false,
        }];
    }
    let all: Vec<&Group<'q>> = groups.values().collect();
    if all.is_empty() {
        return Vec::new();
    }
    let mut chosen: Vec<(Kind, usize)> = Vec::new();
    let mut by_size: Vec<usize> = (0..all.len()).collect();
    by_size.sort_by_key(|place| std::cmp::Reverse(all[*place].1.len()));
    chosen.extend(by_size.iter().take(2).map(|place| (Kind::Heavy, *place)));
    chosen.extend((0..4).map(|_| (Kind::Typical, chance.below(all.len()))));
    let is_awkward = |place: &usize| {
        let (given, records) = all[*place];
        let odd = given.values().filter_map(Value::as_str).any(is_odd);
        odd || records.iter().any(|record| !subject.is_alive(record))
    };
    let awkward: Vec<usize> = (0..all.len()).filter(is_awkward).collect();
    if !awkward.is_empty() {
        chosen.extend((0..4).map(|_| (Kind::Awkward, *chance.pick(&awkward))));
    }
    // For each value of the caller's some of those that a delimiter alone keeps apart, and some others.
    let beginnings = beginnings(&all);
    let most = if beginnings.len() == 1 { 2 } else { 1 };
    for begun in beginnings.into_iter().flatten() {
        let mut begun = begun;
        while begun.len() > most {
            begun.swap_remove(chance.below(begun.len()));
        }
        chosen.extend(begun.into_iter().map(|place| (Kind::Awkward, place)));
    }
    let base = |(kind, place): (Kind, usize), always| Base {
        kind,
        given: all[place].0.clone(),
        records: all[place].1.clone(),
        always,
    };
    let chosen = chosen.into_iter().map(|chosen| base(chosen, false));
    let mut bases: Vec<Base<'q>> = chosen.collect();
    let made_on_purpose = over(subject, &all).into_iter().chain(run_together(&all));
    bases.extend(made_on_purpose.map(|place| base((Kind::Awkward, place), true)));
    let from: Vec<Map<String, Value>> = bases.iter().map(|base| base.given.clone()).collect();
    let mut misses = near_misses(subject, &from, chance);
    misses.extend(folded(subject, &from));
    for given in misses {
        let records = groups.get(&Value::Object(given.clone()).to_string());
        bases.push(Base {
            kind: Kind::NearMiss,
            given,
            records: records
                .map(|(_, records)| records.clone())
                .unwrap_or_default(),
            always: false,
        });
    }
    bases
}

/// For each name, values of which others, with the same values beside them, are longer: `a` where there is `ab`, and where there is `a#b`.
fn beginnings(all: &[&Group<'_>]) -> Vec<[Vec<usize>; 2]> {
    let mut beginnings = Vec::new();
    let names = all.first().map(|(given, _)| given.keys());
    for name in names.into_iter().flatten() {
        let (mut delimited, mut others) = (Vec::new(), Vec::new());
        let mut texts: Vec<(String, &str, usize)> = Vec::new();
        for (place, (given, _)) in all.iter().enumerate() {
            if let Some(Value::String(text)) = given.get(name) {
                let beside = given.iter().filter(|(other, _)| *other != name);
                let beside: Vec<String> = beside.map(|(_, value)| value.to_string()).collect();
                texts.push((beside.join("\u{1}"), text, place));
            }
        }
        texts.sort();
        for (position, (beside, text, place)) in texts.iter().enumerate() {
            let behind = texts[position + 1..].iter();
            let longer: Vec<&str> = behind
                .take_while(|(other, longer, _)| other == beside && longer.starts_with(text))
                .map(|(_, longer, _)| &longer[text.len()..])
                .collect();
            if longer.iter().any(|more| more.starts_with('#')) {
                delimited.push(*place);
            } else if !longer.is_empty() {
                others.push(*place);
            }
        }
        beginnings.push([others, delimited]);
    }
    beginnings
}

/// Two with something that is over: first what the pattern would give if it were not.
fn over(subject: &Subject<'_>, all: &[&Group<'_>]) -> Vec<usize> {
    let condition = subject.access.condition.as_ref();
    let is_asked_for = |record: &Record| {
        let holds = |condition| holds(subject.model, condition, record, &Map::new());
        condition.is_none_or(|written| holds(&written.condition))
    };
    let mut found: Vec<(bool, usize, usize)> = Vec::new();
    for (place, (_, records)) in all.iter().enumerate() {
        let over = records.iter().filter(|record| !subject.is_alive(record));
        let over: Vec<bool> = over.map(|record| is_asked_for(record)).collect();
        if !over.is_empty() {
            found.push((!over.contains(&true), records.len(), place));
        }
    }
    found.sort_unstable();
    let found = found.into_iter().map(|(_, _, place)| place);
    found.take(2).collect()
}

/// Of those that differ in two values which are the same when one is put behind the other, `a` and `b#c` and `a#b` and `c`, the shortest.
fn run_together(all: &[&Group<'_>]) -> Vec<usize> {
    let names: Vec<&String> = all
        .first()
        .map_or_else(Vec::new, |(given, _)| given.keys().collect());
    let mut found = Vec::new();
    for first in &names {
        for second in names.iter().filter(|second| *second != first) {
            let mut together: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
            for (place, (given, _)) in all.iter().enumerate() {
                let mut text = plain(&given[*first]);
                text.push_str(&plain(&given[*second]));
                let length = text.len();
                let others = given
                    .iter()
                    .filter(|(name, _)| name != first && name != second);
                text.extend(others.map(|(_, value)| format!("\u{1}{value}")));
                together.entry((length, text)).or_default().push(place);
            }
            let several = together.into_values().find(|places| places.len() > 1);
            found.extend(several.into_iter().flatten().take(2));
        }
    }
    found.truncate(4);
    found
}

/// The letters and digits of a value.
fn plain(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn is_odd(text: &str) -> bool {
    !text.is_ascii()
        || text.contains(['#', '$', ' ', '"', '\'', ':', '|', '%', '/'])
        || text.len() > 100
}

/// Values beside those there are: each of them without its end, and longer, shorter or in another case; and pairs that belong to different records.
fn near_misses(
    subject: &Subject<'_>,
    from: &[Map<String, Value>],
    chance: &mut Chance,
) -> Vec<Map<String, Value>> {
    let entity = subject.model.entity(subject.access.verb.entity().id);
    let mut misses = Vec::new();
    for by in &subject.access.by {
        let kind = entity.field(by.id).kind();
        misses.extend(from.iter().find_map(|given| {
            let text = given.get(by.written.as_str())?.as_str()?;
            let cut = without_its_end(kind, text)?;
            let mut given = given.clone();
            given.insert(by.written.value.clone(), Value::String(cut));
            Some(given)
        }));
        for _ in 0..2 {
            let mut given = chance.pick(from).clone();
            let Some(Value::String(text)) = given.get(by.written.as_str()) else {
                continue;
            };
            let beside = match kind {
                FieldType::Id => neighbour(text, &[":", "-", "."], chance)
                    .chars()
                    .take(128)
                    .collect(),
                FieldType::Email => format!("x{text}"),
                FieldType::String(length) => {
                    let text = neighbour(text, &["#", "$", " "], chance);
                    let max = length.max.map_or(usize::MAX, |max| max as usize);
                    crate::data::fitted(&text, length.min.max(1) as usize, max)
                }
                FieldType::Uuid | FieldType::Ulid => last_changed(text),
                _ => continue,
            };
            if kind == &FieldType::Email && beside.chars().count() > 254 {
                continue;
            }
            given.insert(by.written.value.clone(), Value::String(beside));
            misses.push(given);
        }
    }
    if let [first, _, ..] = subject.access.by.as_slice() {
        // Each value is there, but not with the other.
        let mut crossed = chance.pick(from).clone();
        let other = chance.pick(from)[first.written.as_str()].clone();
        crossed.insert(first.written.value.clone(), other);
        misses.push(crossed);
    }
    misses
}

/// A text without its last character, where that is a value still: what begins with it must not be found.
fn without_its_end(kind: &FieldType, text: &str) -> Option<String> {
    let least = match kind {
        FieldType::Id => 1,
        FieldType::String(length) => length.min.max(1) as usize,
        _ => return None,
    };
    let mut cut: Vec<char> = text.chars().collect();
    cut.pop();
    (cut.len() >= least).then(|| cut.into_iter().collect())
}

/// The same identifier but for its last character.
fn last_changed(text: &str) -> String {
    let mut text = text.to_owned();
    let last = if text.pop() == Some('0') { '1' } else { '0' };
    text.push(last);
    text
}

/// What is compared in lower case is asked for in upper case too.
fn folded(subject: &Subject<'_>, from: &[Map<String, Value>]) -> Vec<Map<String, Value>> {
    let entity = subject.model.entity(subject.access.verb.entity().id);
    let mut shouted = Vec::new();
    for by in subject.access.by.iter().filter(|by| folds(entity, by.id)) {
        for given in from.iter().take(3) {
            let mut given = given.clone();
            if let Some(Value::String(text)) = given.get_mut(by.written.as_str()) {
                // Only what is one character in both cases comes back to itself.
                *text = text.chars().map(|c| c.to_ascii_uppercase()).collect();
                shouted.push(given);
            }
        }
    }
    shouted
}
