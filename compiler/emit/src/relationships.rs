//! `relationship-decisions.md`: for each relationship its cardinality, strategy, rationale, implementation and query. (S3-4, S3-22 to S3-26)

mod queries;
mod rationale;

use tablewright_check::undeclared;
use tablewright_model::model::{Entity, IndexId, Relationship, RelationshipKind, Strategy, Table};
use tablewright_plan::{Answer, Place};

use self::queries::{queries, sides, wants_more};
use crate::artefacts::Job;
use crate::design::{Design, key_condition};
use crate::markdown::{Links, Page, code, count, sentence, text};
use crate::request::{MAPPING, mapping};

/// The decisions on the relationships of a model.
pub fn page(job: &Job<'_>) -> String {
    let design = Design::new(job.model);
    let links = Links::from_file(job);
    let mut page = Page::new(job, "relationship strategy decisions");
    let relationships = &job.model.relationships;
    if relationships.is_empty() {
        page.block("The model declares no relationships.");
    } else {
        let each = if relationships.len() == 1 {
            "it"
        } else {
            "each"
        };
        page.block(&format!(
            "The model declares {}. Below is how {each} is stored and why, the keys that make it so, and the requests that read it.",
            count(relationships.len(), "relationship")
        ));
    }
    for relationship in relationships {
        decision(&mut page, &design, relationship, &links);
    }
    not_declared(&mut page, &design, &links);
    page.finish()
}

fn decision(page: &mut Page, design: &Design<'_>, one: &Relationship, links: &Links<'_>) {
    let model = design.model;
    let from = model.entity(one.from.id);
    page.heading(2, &title(design, one));
    page.block(&format!("**Relationship:** {}", code(one.name.as_str())));
    let strategy = one.strategy.as_ref().map(|strategy| strategy.value);
    page.block(&format!("**Strategy:** {}", name_of(strategy)));
    page.block("**Rationale:**");
    page.bullets(rationale::of(design, one, links));
    page.block("**Implementation:**");
    let queries = queries(design, one);
    let used: Vec<Place> = queries
        .iter()
        .filter_map(|(_, plan)| match &plan.answer {
            Answer::Read(read) => Some(read.place),
            _ => None,
        })
        .collect();
    let mut lines = vec![keys(model.table(from.table), from, &[])];
    for other in [&one.through, &one.to].into_iter().flatten() {
        if other.id != one.from.id {
            let entity = model.entity(other.id);
            // Of the entities of a relationship, only what stands for it is found by an index here.
            let is_link = one
                .through
                .as_ref()
                .is_none_or(|through| through.id == other.id);
            let used = if is_link { used.as_slice() } else { &[] };
            lines.push(keys(model.table(entity.table), entity, used));
        }
    }
    if let Some((written, field)) = &one.field {
        lines.push(format!(
            "The field {} of {} holds it: {}",
            code(written.as_str()),
            from.name,
            code(from.field(*field).written.as_str())
        ));
    }
    page.bullets(lines);
    page.block("**Query:**");
    if queries.is_empty() {
        page.block("No pattern of the model reads it.");
        return;
    }
    for side in sides(design, one) {
        if let Some(words) = wants_more(design, one, side, &queries) {
            page.block(&words);
        }
    }
    // What the notes of a request say is in the table of patterns.
    let mut rows = mapping(design, &queries, None, links);
    rows.iter_mut().for_each(|row| row.truncate(3));
    page.table(&MAPPING[..3], &rows);
}

/// `User → Task (1:N, unbounded)`.
fn title(design: &Design<'_>, one: &Relationship) -> String {
    let model = design.model;
    let from = &model.entity(one.from.id).name;
    let to = match (&one.to, &one.field) {
        (Some(to), _) => model.entity(to.id).name.value.clone(),
        (None, Some((field, _))) => field.value.clone(),
        (None, None) => String::from("?"),
    };
    let arrow = match one.kind.value {
        RelationshipKind::ManyToMany => "↔",
        _ => "→",
    };
    let bound = match one.bound.map(|bound| bound.at_most) {
        Some(Some(most)) => format!(", at most {}", crate::markdown::number(most)),
        Some(None) => String::from(", unbounded"),
        None => String::new(),
    };
    format!(
        "{from} {arrow} {} ({}{bound})",
        text(&to),
        one.kind.value.as_str()
    )
}

/// A strategy as people call it.
fn name_of(strategy: Option<Strategy>) -> &'static str {
    match strategy {
        Some(Strategy::Embed) => "Denormalisation into the same item (`embed`)",
        Some(Strategy::ComplexAttribute) => {
            "Denormalisation with a complex attribute (`complex-attribute`)"
        }
        Some(Strategy::ItemCollection) => "Item collection (`item-collection`)",
        Some(Strategy::AdjacencyList) => "Adjacency list (`adjacency-list`)",
        Some(Strategy::MaterialisedGraph) => "Materialised graph (`materialised-graph`)",
        Some(Strategy::ShallowDuplication) => "Shallow duplication (`shallow-duplication`)",
        Some(Strategy::Normalisation) => "Normalisation (`normalisation`)",
        None => "not decided yet",
    }
}

/// The keys of an entity: of the table, and of the indexes it is found by.
fn keys(table: &Table, entity: &Entity, used: &[Place]) -> String {
    let key = key_condition(table, &entity.key);
    let mut line = format!("{}: {}", entity.name, code(&key));
    let is_used = |index: IndexId| {
        let place = Place {
            table: entity.table,
            index: Some(index),
        };
        used.contains(&place)
    };
    for key in entity.index_keys.iter().filter(|key| is_used(key.index)) {
        let index = table.index(key.index);
        line.push_str(&format!(
            "\n  - in {}: {}",
            code(index.name.as_str()),
            code(&key_condition(index, &key.key))
        ));
    }
    line
}

fn not_declared(page: &mut Page, design: &Design<'_>, links: &Links<'_>) {
    let model = design.model;
    let found = undeclared(model);
    if found.is_empty() {
        return;
    }
    page.heading(2, "Named without a relationship");
    page.block(
        "These fields are called like the id of another entity, and the model declares no relationship between the two.",
    );
    page.bullets(found.iter().map(|one| {
        let read = one.read_by.iter();
        let read: Vec<String> = read
            .map(|access| links.pattern(access.name.as_str()))
            .collect();
        let what = match read.is_empty() {
            true => String::from(
                "nothing reads the one from the other, so there is no strategy to choose",
            ),
            false => format!(
                "{} it from there: a relationship that has no strategy yet",
                crate::markdown::and(&read) + if read.len() == 1 { " reads" } else { " read" }
            ),
        };
        sentence(&format!(
            "{} of {}, the id of {}: {what}",
            code(model.entity(one.entity).field(one.field).name.as_str()),
            model.entity(one.entity).name,
            model.entity(one.names).name
        ))
    }));
}
