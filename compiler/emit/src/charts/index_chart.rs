//! `entity-chart-<index>.md`: the keys of every entity in an index, and the patterns that use it. (S3-38 to S3-44)

use std::collections::{BTreeMap, BTreeSet};

use tablewright_model::model::{Access, Entity, Index, IndexKey, IndexKind, Projection, Table};
use tablewright_plan::{Answer, ItemWrite, Place, Plan};

use super::reason;
use crate::artefacts::Job;
use crate::design::{Design, attribute, kind_of, legend};
use crate::markdown::{Links, Page, and, code, count_of, listed, sentence};
use crate::request::{MAPPING, mapping};

pub(super) fn page(job: &Job<'_>, design: &Design<'_>, place: Place) -> String {
    let links = Links::new(job, job.place);
    let table = design.model.table(place.table);
    let index = table.index(place.index.expect("the place of an index has one"));
    let mut page = Page::new(
        job,
        &format!(
            "entity chart of {}",
            crate::markdown::text(index.name.as_str())
        ),
    );
    page.block(&introduction(table, index));
    page.block(&projection(index));
    let rows = rows(design, place, &links);
    if rows.is_empty() {
        page.block("No entity has a key in it.");
        return page.finish();
    }
    let partition = format!("{} pattern", index.partition_key.name);
    let sort = index
        .sort_key
        .as_ref()
        .map_or("SK", |key| key.name.as_str());
    let sort = format!("{sort} pattern");
    page.heading(2, "Keys");
    let header = ["Entity", &partition, &sort, "Access pattern", "Notes"];
    page.table(&header, &rows);
    page.bullets(legend(entries(design, place).into_iter().flat_map(
        |(entity, key)| key.key.templates().map(move |template| (entity, template)),
    )));
    page.block(&overloaded(design, place));
    let patterns = design.reads_of(place);
    page.heading(2, "Access patterns");
    if patterns.is_empty() {
        page.block("No pattern reads it.");
    } else {
        page.block(match index.kind {
            IndexKind::Global => {
                "Reads of this index are eventually consistent: what was written in the last moments may be missing."
            }
            IndexKind::Local => {
                "Reads of a local index may be strongly consistent; they are eventually so unless a pattern says otherwise."
            }
        });
        page.table(MAPPING, &mapping(design, &patterns, Some(place), &links));
        why(&mut page, design, place, &links);
    }
    written(&mut page, design, place, &links);
    page.finish()
}

fn introduction(table: &Table, index: &Index) -> String {
    let mut words = format!(
        "A {} of {}. Partition key {}",
        kind_of(index.kind),
        code(table.name.as_str()),
        attribute(&index.partition_key)
    );
    match &index.sort_key {
        Some(sort) => words.push_str(&format!(", sort key {}.", attribute(sort))),
        None => words.push_str(", no sort key."),
    }
    if index.kind == IndexKind::Local {
        words.push_str(" It shares the partitions of the table, and a collection of items in it is at most 10 GB.");
    }
    words
}

/// What is copied into it. (S3-41)
fn projection(index: &Index) -> String {
    match &index.projection {
        Projection::All => String::from(
            "**Projection `ALL`.** An entry holds every attribute of its item: a pattern never reads the table again, and every change of an item is written here too.",
        ),
        Projection::KeysOnly => String::from(
            "**Projection `KEYS_ONLY`.** An entry holds the keys of its item and nothing else.",
        ),
        Projection::Fields(fields) => {
            let fields: Vec<String> = fields.iter().map(|field| code(field.as_str())).collect();
            format!(
                "**Projection `INCLUDE`.** An entry holds the keys of its item, and {}. A change of anything else costs nothing here.",
                listed(&fields)
            )
        }
    }
}

/// The entities in the index with their keys.
fn entries<'m>(design: &Design<'m>, place: Place) -> Vec<(&'m Entity, &'m IndexKey)> {
    let entities = design.model.entities_of(place.table);
    entities
        .flat_map(|(_, entity)| {
            let index = place.index.into_iter();
            index.flat_map(move |index| entity.keys_in(index).map(move |key| (entity, key)))
        })
        .collect()
}

fn rows(design: &Design<'_>, place: Place, links: &Links<'_>) -> Vec<Vec<String>> {
    // An overloaded index has many entities, each with a few of its patterns.
    let mut reads: BTreeMap<&str, Vec<(&Access, &Plan)>> = BTreeMap::new();
    for (access, plan) in design.reads_of(place) {
        let names: BTreeSet<&str> = access
            .verb
            .entities()
            .into_iter()
            .map(|one| one.written.as_str())
            .collect();
        for name in names {
            reads.entry(name).or_default().push((access, plan));
        }
    }
    entries(design, place)
        .into_iter()
        .map(|(entity, key)| {
            let using: Vec<String> = reads
                .get(entity.name.as_str())
                .into_iter()
                .flatten()
                .filter(|(_, plan)| match plan.read() {
                    Some(read) => read.entities.iter().any(|id| {
                        let asked = read.key_of(design.model, *id);
                        asked.is_some_and(|asked| std::ptr::eq(asked, &key.key))
                    }),
                    None => true,
                })
                .map(|(access, _)| links.pattern(access.name.as_str()))
                .collect();
            let sort = key.key.sort.as_ref();
            vec![
                entity.name.value.clone(),
                code(&key.key.partition.to_string()),
                sort.map_or_else(|| String::from("none"), |sort| code(&sort.to_string())),
                listed(&using),
                sparse(entity, key),
            ]
        })
        .collect()
}

/// Which items are in the index, and what becomes of the others. (S3-43)
fn sparse(entity: &Entity, key: &IndexKey) -> String {
    let optional: Vec<String> = key
        .key
        .field_ids()
        .into_iter()
        .map(|id| entity.field(id))
        .filter(|field| field.is_optional())
        .map(|field| code(field.name.as_str()))
        .collect();
    let mut only = Vec::new();
    if let Some(when) = &key.when {
        only.push(format!("while {}", code(when.written.as_str())));
    }
    if !optional.is_empty() {
        only.push(format!("with {}", and(&optional)));
    }
    if only.is_empty() {
        return format!("Every {} is in it.", entity.name);
    }
    sentence(&format!(
        "sparse: only {}. A write after which that no longer holds removes the index attributes",
        only.join(", and ")
    ))
}

/// Whether several entities share it, or why they cannot. (S3-38, C3-1)
fn overloaded(design: &Design<'_>, place: Place) -> String {
    let mut here: Vec<&str> = entries(design, place)
        .iter()
        .map(|(entity, _)| entity.name.as_str())
        .collect();
    here.dedup();
    if here.len() > 1 {
        return format!("It is overloaded: {} share it.", listed(&here));
    }
    let Some(one) = here.first() else {
        return String::new();
    };
    let others: Vec<String> = design
        .indexes()
        .filter(|(other, _)| other.table == place.table && other.index != place.index)
        .filter(|(other, _)| {
            let entries = entries(design, *other);
            entries
                .iter()
                .any(|(entity, _)| entity.name.as_str() == *one)
        })
        .filter_map(|(other, table)| Some(code(table.index(other.index?).name.as_str())))
        .collect();
    match others.is_empty() {
        true => format!("Only {one} is in it."),
        false => format!(
            "Only {one} is in it, and {one} has another key in {} as well. An item has one value for each attribute, so that these cannot be one index.",
            and(&others)
        ),
    }
}

/// Which of the reasons for an index each pattern has. (S3-39)
fn why(page: &mut Page, design: &Design<'_>, place: Place, links: &Links<'_>) {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for (access, plan) in design.reads_of(place) {
        let Some(read) = plan.read() else {
            continue;
        };
        let Some(reason) = reason(design.model, access, read) else {
            continue;
        };
        let name = links.pattern(access.name.as_str());
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    if !reasons.is_empty() {
        let them = match design.reads_of(place).len() {
            1 => "it",
            _ => "them",
        };
        page.block(&format!("Why the primary key does not answer {them}:"));
        page.bullets(
            reasons
                .into_iter()
                .map(|(reason, names)| format!("{}: {reason}", listed(&names))),
        );
    }
}

/// The writes that reach the index, and how many entries each writes. (C3-8)
fn written(page: &mut Page, design: &Design<'_>, place: Place, links: &Links<'_>) {
    let table = design.model.table(place.table);
    let Some(index) = place.index.map(|index| table.index(index)) else {
        return;
    };
    let mut rows = Vec::new();
    for (access, plan) in design.patterns() {
        let Answer::Write(write) = &plan.answer else {
            continue;
        };
        let here = write
            .items
            .iter()
            .filter(|item| design.model.entity(item.entity).table == place.table);
        let entries: u64 = here
            .flat_map(ItemWrite::entries_at_most)
            .filter(|entries| entries.index == index.name.value)
            .map(|entries| entries.most)
            .sum();
        if entries > 0 {
            rows.push((access, usize::try_from(entries).unwrap_or(usize::MAX)));
        }
    }
    page.heading(2, "Writes");
    if rows.is_empty() {
        page.block("No pattern writes to it.");
        return;
    }
    page.block(
        "An entry is written with its item, and paid for. An entry whose key changes is written twice: the old one is deleted, the new one put.",
    );
    let mut by_number: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (access, entries) in rows {
        let name = links.pattern(access.name.as_str());
        by_number.entry(entries).or_default().push(name);
    }
    page.bullets(by_number.into_iter().map(|(entries, names)| {
        format!(
            "At most {}: {}",
            count_of(entries, "entry", "entries"),
            listed(&names)
        )
    }));
}
