//! `entity-chart-main.md`: the primary key of every item, and the patterns it answers. (S3-9, S3-11, S3-17)

use std::collections::HashMap;

use tablewright_model::model::{Access, Entity, EntityId, Table, TableId};
use tablewright_plan::{Answer, Place, Plan};

use super::Decision;
use crate::artefacts::Job;
use crate::design::{Design, attribute, legend};
use crate::markdown::{
    Links, Page, and, bytes, capitalised, code, count, count_of, listed, number, sentence, text,
};
use crate::request::{MAPPING, mapping};

pub(super) fn page(job: &Job<'_>, design: &Design<'_>) -> String {
    let links = Links::new(job, job.place);
    let mut page = Page::new(job, "entity chart of the primary keys");
    page.block(&introduction(job, &links));
    for (id, table) in design.tables() {
        section(&mut page, design, id, table, &links);
    }
    let patterns = on_primary_keys(design);
    if !patterns.is_empty() {
        page.heading(2, "Access patterns on the primary keys");
        page.block(&mapped(design, &patterns, &links));
        page.table(MAPPING, &mapping(design, &patterns, None, &links));
    }
    page.finish()
}

fn introduction(job: &Job<'_>, links: &Links<'_>) -> String {
    let model = job.model;
    if model.tables.is_empty() {
        return String::from("The model has no tables yet.");
    }
    let mut words = format!(
        "{} in {}.",
        count_of(model.entities.len(), "entity", "entities"),
        count(model.tables.len(), "table")
    );
    words = capitalised(&words);
    words.push_str(
        " In a pattern `{field}` stands for a value, and everything else for itself. Guards, counts and claims are items as well, and are listed with the rest.",
    );
    if let Some(target) = links.to("review", "") {
        words.push_str(&format!(
            " What was checked of it is in the [review]({target}#step-1-design-primary-keys)."
        ));
    }
    words
}

fn section(page: &mut Page, design: &Design<'_>, id: TableId, table: &Table, links: &Links<'_>) {
    page.heading(2, &format!("Table {}", code(table.name.as_str())));
    let decision = Decision::of(design, id, links);
    page.block(&keys_of(table));
    page.block(&format!(
        "**{} key.** {}",
        if decision.composite {
            "Composite"
        } else {
            "Simple"
        },
        decision.told(table).join(" ")
    ));
    let rows = rows(design, id, links);
    if rows.is_empty() {
        page.block("No entity is stored in it yet.");
        return;
    }
    page.table(&["Entity", "PK pattern", "SK pattern", "Notes"], &rows);
    let entities = design.model.entities_of(id);
    page.bullets(legend(entities.flat_map(|(_, entity)| {
        let guards = entity
            .unique
            .iter()
            .filter_map(|unique| unique.guard.as_ref());
        let keys = std::iter::once(&entity.key).chain(guards);
        keys.flat_map(move |key| key.templates().map(move |template| (entity, template)))
    })));
    collections(page, design, id, table);
}

/// The attributes of the key, and what else a table has.
fn keys_of(table: &Table) -> String {
    let mut words = format!("Partition key {}", attribute(&table.partition_key));
    match &table.sort_key {
        Some(sort) => words.push_str(&format!(", sort key {}.", attribute(sort))),
        None => words.push_str(", no sort key."),
    }
    if let Some(kind) = &table.type_attribute {
        words.push_str(&format!(
            " {} says which entity an item is.",
            code(kind.as_str())
        ));
    }
    if let Some(ttl) = &table.ttl {
        words.push_str(&format!(
            " Items that have {} are deleted some time after that moment.",
            code(ttl.as_str())
        ));
    }
    words
}

/// Every kind of item: entities, and the guards of their unique values.
fn rows(design: &Design<'_>, id: TableId, links: &Links<'_>) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (entity_id, entity) in design.model.entities_of(id) {
        let sort = entity.key.sort.as_ref();
        rows.push(vec![
            entity.name.value.clone(),
            code(&entity.key.partition.to_string()),
            sort.map_or_else(|| String::from("none"), |sort| code(&sort.to_string())),
            notes(design, entity_id, entity, links),
        ]);
        for unique in &entity.unique {
            let Some(guard) = &unique.guard else {
                continue;
            };
            let sort = guard.sort.as_ref();
            rows.push(vec![
                format!("{} (guard of {})", entity.name, code(unique.name.as_str())),
                code(&guard.partition.to_string()),
                sort.map_or_else(|| String::from("none"), |sort| code(&sort.to_string())),
                format!(
                    "Keeps {} unique: written, moved and deleted in the transaction of its {}.",
                    code(unique.name.as_str()),
                    entity.name
                ),
            ]);
        }
    }
    rows
}

fn notes(design: &Design<'_>, id: EntityId, entity: &Entity, links: &Links<'_>) -> String {
    let mut notes = Vec::new();
    if let Some(about) = &entity.about {
        notes.push(sentence(&text(about.as_str())));
    }
    let counted = entity.counters.iter().map(|counter| {
        let per = counter.per.as_ref();
        let per = per.map_or_else(String::new, |(per, _)| {
            format!(" for each {}", code(per.as_str()))
        });
        format!(
            "{} ({}{per})",
            code(counter.name.as_str()),
            counter.counts.0
        )
    });
    let counted: Vec<String> = counted.collect();
    if !counted.is_empty() {
        notes.push(format!("Keeps counts: {}.", and(&counted)));
    }
    let claims: Vec<String> = design
        .claims_of(id)
        .iter()
        .map(|name| links.pattern(name))
        .collect();
    if !claims.is_empty() {
        notes.push(format!("Claimed by {}.", listed(&claims)));
    }
    if let Some((ttl, _)) = &entity.ttl {
        notes.push(format!("Expires by {}.", code(ttl.as_str())));
    }
    if let (Some(items), Some(size)) = (entity.facts.items, entity.facts.size) {
        notes.push(format!("About {} items of {}.", number(items), bytes(size)));
    }
    notes.join(" ")
}

/// The partitions that several kinds of items share.
fn collections(page: &mut Page, design: &Design<'_>, id: TableId, table: &Table) {
    if table.sort_key.is_none() {
        return;
    }
    let mut collections: Vec<(String, Vec<(String, String)>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (_, entity) in design.model.entities_of(id) {
        let partition = entity.key.partition.to_string();
        let sort = entity
            .key
            .sort
            .as_ref()
            .map_or_else(String::new, ToString::to_string);
        let item = (sort, entity.name.value.clone());
        let at = *known.entry(partition.clone()).or_insert(collections.len());
        match collections.get_mut(at) {
            Some((_, items)) => items.push(item),
            None => collections.push((partition, vec![item])),
        }
    }
    collections.retain(|(_, items)| items.len() > 1);
    let lines = collections.into_iter().map(|(partition, mut items)| {
        // As they sort: by what stands before the first value.
        items.sort();
        let items: Vec<String> = items
            .into_iter()
            .map(|(sort, entity)| format!("{entity} at {}", code(&sort)))
            .collect();
        format!("{}: {}", code(&partition), listed(&items))
    });
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        page.block("Items that share a partition can be read in one request:");
        page.bullets(lines);
    }
}

/// The reads of the tables themselves, then the writes: what needs no index.
fn on_primary_keys<'d>(design: &'d Design<'_>) -> Vec<(&'d Access, &'d Plan)> {
    let mut patterns = Vec::new();
    for (table, _) in design.tables() {
        patterns.extend(design.reads_of(Place { table, index: None }));
    }
    let writes = design
        .patterns()
        .filter(|(access, plan)| match &plan.answer {
            Answer::Write(_) => true,
            Answer::ByHand(_) => !access.verb.is_read(),
            Answer::Read(_) | Answer::Nothing(_) => false,
        });
    patterns.extend(writes);
    patterns
}

fn mapped(design: &Design<'_>, patterns: &[(&Access, &Plan)], links: &Links<'_>) -> String {
    let all = design.model.accesses.len();
    let here = patterns.len();
    let unanswered = design
        .patterns()
        .filter(|(_, plan)| matches!(plan.answer, Answer::Nothing(_)))
        .count();
    let elsewhere = all - here - unanswered;
    let mut words = match (all, elsewhere) {
        (1, 0) => String::from("The one pattern of the model needs no index."),
        (_, 0) if here == all => format!("All {all} patterns of the model need no index."),
        _ => format!(
            "{here} of the {} need no index; {} one, and {} in its chart.",
            count(all, "pattern"),
            if elsewhere == 1 {
                "1 reads"
            } else {
                "the others read"
            },
            if elsewhere == 1 { "stands" } else { "stand" },
        ),
    };
    if unanswered > 0 {
        words.push_str(&format!(
            " {} no key answers.",
            count(unanswered, "pattern")
        ));
    }
    if links.has("patterns") {
        words.push_str(&format!(
            " Costs are in the {}.",
            links.link("table of all patterns", "patterns", "")
        ));
    }
    words
}
