//! Secondary indexes. (S3-36 to S3-47)

use std::collections::BTreeMap;

use tablewright_model::model::{Index, IndexKind, Profile, Projection};
use tablewright_plan::{Answer as Plan, Place};

use super::super::{Answer, Evidence, Named};
use super::{as_evidence, patterns};
use crate::markdown::{and, code, count, count_of, listed, number};

/// The default quota of global indexes of a table; it can be raised.
const QUOTA: usize = 20;

/// The patterns that read an index, by its name.
fn by_index<'e>(evidence: &'e Evidence<'_>) -> BTreeMap<String, Vec<&'e str>> {
    let mut by_index: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (access, plan) in evidence.design().patterns() {
        if let Plan::Read(read) = &plan.answer
            && let Some(index) = read.place.index
        {
            let table = evidence.model().table(read.place.table);
            let name = table.index(index).name.value.clone();
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
                .map(|(index, names)| format!("{} ({})", code(index), names.len()))
                .collect();
            format!(
                "{} a primary key does not answer: {}.",
                crate::markdown::capitalised(&count(some, "pattern")),
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
    const RULES: &[&str] = &[
        "index-per-pattern",
        "duplicate-index",
        "unused-index",
        "two-values-one-index",
    ];
    let indexes: Vec<(String, Vec<&str>)> = evidence
        .design()
        .indexes()
        .map(|(place, table)| {
            let name = place
                .index
                .map(|index| code(table.index(index).name.as_str()));
            (name.unwrap_or_default(), entities_in(evidence, place))
        })
        .collect();
    let shared: Vec<String> = indexes
        .iter()
        .filter(|(_, entities)| entities.len() > 1)
        .map(|(name, entities)| format!("{name} ({})", and(entities)))
        .collect();
    let words = match (indexes.len(), shared.len()) {
        (0, _) => String::from("There are no indexes."),
        (_, 0) => String::from(
            "No index is shared by several entities. An entity that has two keys needs two indexes, since an item has one value for each attribute.",
        ),
        _ => format!(
            "Shared by several entities: {}. An entity that has two keys needs two indexes, since an item has one value for each attribute.",
            listed(&shared)
        ),
    };
    let answer = Answer::holds(words, [Named::Declared]).and(evidence.rules(RULES));
    match could_be_one(evidence) {
        Some(two) if Evidence::known(&["index-per-pattern"]).is_empty() => {
            answer.and(Answer::fails(two, [Named::Declared]))
        }
        _ => answer,
    }
}

/// Two indexes of one table that hold different entities in the same form.
fn could_be_one(evidence: &Evidence<'_>) -> Option<String> {
    let all: Vec<_> = evidence
        .design()
        .indexes()
        .filter_map(|(place, table)| Some((place, table.index(place.index?))))
        .filter(|(_, index)| index.kind == IndexKind::Global)
        .map(|(place, index)| (place, index, entities_in(evidence, place)))
        .collect();
    for (at, (place, one, entities)) in all.iter().enumerate() {
        for (other_place, other, others) in &all[at + 1..] {
            let disjoint = entities.iter().all(|entity| !others.contains(entity));
            let alike =
                one.sort_key.is_some() == other.sort_key.is_some() && projects_alike(one, other);
            if place.table == other_place.table
                && disjoint
                && alike
                && !entities.is_empty()
                && !others.is_empty()
            {
                return Some(format!(
                    "{} and {} hold different entities, and could be one index.",
                    code(one.name.as_str()),
                    code(other.name.as_str())
                ));
            }
        }
    }
    None
}

fn projects_alike(one: &Index, other: &Index) -> bool {
    matches!(
        (&one.projection, &other.projection),
        (Projection::All, Projection::All) | (Projection::KeysOnly, Projection::KeysOnly)
    )
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
        let words = format!(
            "{words} Decided so: with the profile {} a key is the field itself, and a field can be in two.",
            code("table-per-entity")
        );
        return Answer::holds(words, [Named::Declared]);
    }
    match rules.evidence.is_empty() {
        true => Answer::fails(words, [Named::Declared]),
        false => Answer::holds(words, [Named::Declared]).and(rules),
    }
}

pub(crate) fn consistency(evidence: &Evidence<'_>) -> Answer {
    let by_index = by_index(evidence);
    let names: Vec<&str> = by_index.values().flatten().copied().collect();
    let rules = evidence.rules(&["strong-on-gsi", "read-after-write-gsi"]);
    if names.is_empty() {
        return Answer::holds("No pattern reads an index.", [Named::Declared]).and(rules);
    }
    let words = format!(
        "Is it good enough that {} may miss what was written in the last moments?",
        patterns(evidence, &names)
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
        by_kind
            .entry(kind)
            .or_default()
            .push(code(index.name.as_str()));
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
    let most = evidence.model().tables.iter().map(|table| {
        let global = table
            .indexes
            .iter()
            .filter(|index| index.kind == IndexKind::Global);
        (global.count(), table)
    });
    let most = most
        .max_by_key(|(global, _)| *global)
        .filter(|(global, _)| *global > 0);
    let Some((global, table)) = most else {
        return Answer::holds("There are none.", [Named::Declared])
            .and(evidence.rules(&["index-quota"]));
    };
    let words = format!(
        "{} has most, {}; the quota is {} unless it is raised.",
        code(table.name.as_str()),
        count_of(global, "global index", "global indexes"),
        number(QUOTA as u64)
    );
    Answer::if_so(global <= QUOTA, words, [Named::Declared])
        .and(evidence.rules(&["index-quota", "unused-index"]))
}
