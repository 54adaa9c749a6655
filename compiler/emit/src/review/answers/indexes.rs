//! Secondary indexes. (S3-36 to S3-47)

use std::collections::{BTreeMap, BTreeSet};

use tablewright_model::model::{IndexKind, Profile, Projection};
use tablewright_plan::{Answer as Plan, Place};

use super::super::{Answer, Evidence, Named};
use super::as_evidence;
use crate::markdown::{and, code, count, count_of, listed, number};

/// The default quota of global indexes of a table; it can be raised.
const QUOTA: usize = 20;

/// The name of an index, with its table where another has one of the same name.
fn called(evidence: &Evidence<'_>, table: usize, index: usize) -> String {
    let tables = &evidence.model().tables;
    let name = tables[table].indexes[index].name.as_str();
    let all = tables.iter().flat_map(|table| &table.indexes);
    match all.filter(|other| other.name.as_str() == name).count() {
        1 => code(name),
        _ => format!("{} of {}", code(name), code(tables[table].name.as_str())),
    }
}

/// The patterns that read an index, by its name.
fn by_index<'e>(evidence: &'e Evidence<'_>) -> BTreeMap<String, Vec<&'e str>> {
    let mut by_index: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (access, plan) in evidence.design().patterns() {
        if let Plan::Read(read) = &plan.answer
            && let Some(index) = read.place.index
        {
            let name = called(evidence, read.place.table.0, index.0);
            by_index.entry(name).or_default().push(access.name.as_str());
        }
    }
    by_index
}

pub(crate) fn strategy(evidence: &Evidence<'_>) -> Answer {
    let by_index = by_index(evidence);
    let names: Vec<&str> = by_index.values().flatten().copied().collect();
    let words = match names.len() {
        0 => String::from("Every pattern is answered by a primary key."),
        some => {
            let each: Vec<String> = by_index
                .iter()
                .map(|(index, names)| format!("{index} ({})", names.len()))
                .collect();
            format!(
                "{} through an index, since no primary key answers {}: {}.",
                match some {
                    1 => String::from("1 pattern goes"),
                    _ => format!("{} go", count(some, "pattern")),
                },
                if some == 1 { "it" } else { "them" },
                and(&each)
            )
        }
    };
    Answer::holds(words, as_evidence(&names)).and(evidence.rules(&["no-answer"]))
}

/// The names of the entities in an index.
fn entities_in<'m>(evidence: &Evidence<'m>, place: Place) -> Vec<&'m str> {
    let entities = evidence.model().entities_of(place.table);
    entities
        .filter(|(_, entity)| {
            place
                .index
                .is_some_and(|index| entity.keys_in(index).next().is_some())
        })
        .map(|(_, entity)| entity.name.as_str())
        .collect()
}

pub(crate) fn overloaded(evidence: &Evidence<'_>) -> Answer {
    let rules = evidence.rules(&[
        "index-per-pattern",
        "duplicate-index",
        "unused-index",
        "two-values-one-index",
    ]);
    let places: Vec<Place> = evidence
        .design()
        .indexes()
        .map(|(place, _)| place)
        .collect();
    if places.is_empty() {
        return Answer::holds("There are no indexes.", [Named::Declared]).and(rules);
    }
    let model = evidence.model();
    let alone = |place: &Place| model.entities_of(place.table).count() < 2;
    if model.profile == Profile::TablePerEntity && places.iter().all(alone) {
        let words = format!(
            "With the profile {} a table holds one entity, and so do its indexes: there is nothing to share them with.",
            code("table-per-entity")
        );
        return Answer::decided(words).and(rules);
    }
    let mut told: Vec<String> = places
        .iter()
        .map(|place| (place, entities_in(evidence, *place)))
        .filter(|(_, entities)| entities.len() > 1)
        .map(|(place, entities)| {
            let index = place.index.map_or(0, |index| index.0);
            format!(
                "{} holds {}.",
                called(evidence, place.table.0, index),
                listed(&entities)
            )
        })
        .collect();
    let several = model.entities.iter().filter_map(|entity| {
        let indexes: BTreeSet<usize> = entity.index_keys.iter().map(|key| key.index.0).collect();
        let names = indexes
            .iter()
            .map(|index| called(evidence, entity.table.0, *index));
        let names: Vec<String> = names.collect();
        (names.len() > 1).then(|| {
            format!(
                "{} has another key in each of {}: an item has one value for each attribute, so that these cannot be one index.",
                entity.name,
                listed(&names)
            )
        })
    });
    told.extend(several);
    if told.is_empty() {
        told.push(String::from(match places.len() {
            1 => "There is one index.",
            _ => "No two indexes of a table could be one.",
        }));
    }
    Answer::holds(told.join(" "), [Named::Declared]).and(rules)
}

pub(crate) fn attributes(evidence: &Evidence<'_>) -> Answer {
    let mut shared = Vec::new();
    for table in &evidence.model().tables {
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        let of_table = std::iter::once(&table.partition_key).chain(&table.sort_key);
        let of_indexes = table.indexes.iter().flat_map(|index| {
            // A local index has the partition of the table by its nature.
            let partition = (index.kind == IndexKind::Global).then_some(&index.partition_key);
            partition.into_iter().chain(&index.sort_key)
        });
        for attribute in of_table.chain(of_indexes) {
            *uses.entry(attribute.name.as_str()).or_default() += 1;
        }
        let names = uses.into_iter().filter(|(_, times)| *times > 1);
        shared.extend(
            names.map(|(name, _)| format!("{} of {}", code(name), code(table.name.as_str()))),
        );
    }
    let rules = evidence.rules(&["shared-key-attribute"]);
    if shared.is_empty() {
        return Answer::holds("Every key attribute serves one key.", [Named::Declared]).and(rules);
    }
    let words = format!("Serving two keys: {}.", listed(&shared));
    if evidence.model().profile == Profile::TablePerEntity {
        return Answer::decided(format!(
            "{words} With the profile {} a key is the field itself, and a field can be in two.",
            code("table-per-entity")
        ));
    }
    // The rule has judged it: what it finds is told, or the model allows it.
    Answer::holds(words, [Named::Declared]).and(rules)
}

pub(crate) fn consistency(evidence: &Evidence<'_>) -> Answer {
    let model = evidence.model();
    let patterns_on_gsi = evidence.design().patterns().filter(|(_, plan)| {
        let Plan::Read(read) = &plan.answer else {
            return false;
        };
        let index = read.place.index;
        let index = index.map(|index| model.table(read.place.table).index(index));
        index.is_some_and(|index| index.kind == IndexKind::Global)
    });
    let names: Vec<&str> = patterns_on_gsi
        .map(|(access, _)| access.name.as_str())
        .collect();
    let rules = evidence.rules(&["strong-on-gsi", "read-after-write-gsi"]);
    if names.is_empty() {
        return Answer::holds("No pattern reads a global index.", [Named::Declared]).and(rules);
    }
    // Who signs must see all of them.
    let linked = names.iter().map(|name| evidence.links().pattern(name));
    let words = format!(
        "Is it good enough that {} may miss what was written in the last moments?",
        and(&linked.collect::<Vec<_>>())
    );
    Answer::people(words).and(rules)
}

pub(crate) fn projection(evidence: &Evidence<'_>) -> Answer {
    let mut by_kind: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (place, table) in evidence.design().indexes() {
        let Some(index) = place.index.map(|index| table.index(index)) else {
            continue;
        };
        let kind = match index.projection {
            Projection::All => "ALL",
            Projection::KeysOnly => "KEYS_ONLY",
            Projection::Fields(_) => "INCLUDE",
        };
        by_kind.entry(kind).or_default().push(called(
            evidence,
            place.table.0,
            place.index.map_or(0, |index| index.0),
        ));
    }
    let each: Vec<String> = by_kind
        .iter()
        .map(|(kind, names)| format!("{} for {}", code(kind), listed(names)))
        .collect();
    let words = match each.is_empty() {
        true => String::from("There are no indexes."),
        false => format!("{}.", each.join("; ")),
    };
    Answer::holds(words, [Named::Declared])
        .and(evidence.rules(&["not-projected", "wide-projection"]))
}

pub(crate) fn quota(evidence: &Evidence<'_>) -> Answer {
    within_quota(evidence).and(evidence.rules(&["index-quota", "unused-index"]))
}

/// How many global indexes the table with most of them has.
pub(super) fn within_quota(evidence: &Evidence<'_>) -> Answer {
    let tables = &evidence.model().tables;
    let most = tables.iter().map(|table| {
        let indexes = table.indexes.iter();
        let global = indexes.filter(|index| index.kind == IndexKind::Global);
        (global.count(), table)
    });
    let most = most
        .max_by_key(|(global, _)| *global)
        .filter(|(global, _)| *global > 0);
    let Some((global, table)) = most else {
        return Answer::holds("There are none.", [Named::Declared]);
    };
    let words = format!(
        "{} has {}{}; the quota is {} unless it is raised.",
        code(table.name.as_str()),
        count_of(global, "global index", "global indexes"),
        if tables.len() > 1 {
            ", the most of all tables"
        } else {
            ""
        },
        number(QUOTA as u64)
    );
    Answer::if_so(global <= QUOTA, words, [Named::Declared])
}
