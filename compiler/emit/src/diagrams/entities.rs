//! The ER diagram: entities with their fields, and the relationships between them.

use std::collections::HashSet;

use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, Field, FieldId, Relationship, RelationshipKind};

use super::grouped;
use super::mermaid::{quoted, word};

/// The diagrams of what is related, and of what stands alone.
pub(super) struct Diagrams {
    /// In as many parts as it takes. Relationships between parts come last, without fields.
    pub(super) related: Vec<String>,
    /// One below the other: beside what is related they would only make it small.
    pub(super) alone: Vec<String>,
}

pub(super) fn diagrams(model: &Model) -> Diagrams {
    let mut edges = edges(model);
    let ends = edges.iter().flat_map(|edge| [&edge.from, &edge.to]);
    let ends: HashSet<String> = ends.cloned().collect();
    let entities = model
        .entities
        .iter()
        .map(|entity| (entity.name.value.clone(), entity_box(entity)));
    let structs = model.structs.iter().map(|one| {
        let fields = one.fields.iter().map(|field| (field, ""));
        (
            one.name.value.clone(),
            the_box(one.name.as_str(), fields, Vec::new()),
        )
    });
    let (related, alone): (Vec<Box>, Vec<Box>) = entities
        .chain(structs)
        .partition(|(name, _)| ends.contains(name));
    let mut diagrams = Vec::new();
    for group in grouped(sized(related)) {
        let here: HashSet<&String> = group.iter().map(|(name, _)| name).collect();
        let (inside, outside): (Vec<Edge>, Vec<Edge>) = edges
            .into_iter()
            .partition(|edge| here.contains(&edge.from) && here.contains(&edge.to));
        edges = outside;
        let lines = inside.into_iter().map(|edge| edge.line);
        let boxes = group.iter().map(|(_, text)| text.clone());
        diagrams.push(diagram("", lines.chain(boxes)));
    }
    let between = edges.into_iter().map(|edge| (edge.line.len(), edge.line));
    diagrams.extend(
        grouped(between.collect())
            .into_iter()
            .map(|lines| diagram("", lines)),
    );
    let alone = grouped(sized(alone)).into_iter().map(|group| {
        let boxes = group.into_iter().map(|(_, text)| text);
        diagram("  direction LR\n", boxes)
    });
    Diagrams {
        related: diagrams,
        alone: alone.collect(),
    }
}

/// The name of an entity or a shape, and its box.
type Box = (String, String);

fn sized(boxes: Vec<Box>) -> Vec<(usize, Box)> {
    let boxes = boxes.into_iter();
    boxes
        .map(|(name, text)| (text.len(), (name, text)))
        .collect()
}

fn diagram(direction: &str, lines: impl IntoIterator<Item = String>) -> String {
    let mut text = format!("erDiagram\n{direction}");
    for line in lines {
        text.push_str(&line);
    }
    text
}

fn entity_box(entity: &Entity) -> String {
    let identity = entity.identity();
    let guarded: Vec<FieldId> = entity
        .unique
        .iter()
        .filter_map(|unique| unique.guard.as_ref())
        .flat_map(|guard| guard.field_ids())
        .collect();
    let fields = entity.fields.iter().enumerate().map(|(position, field)| {
        let id = FieldId(position);
        let mark = match (identity.contains(&id), guarded.contains(&id)) {
            (true, _) => " PK",
            (false, true) => " UK",
            (false, false) => "",
        };
        (field, mark)
    });
    let counters = entity.counters.iter().map(|counter| {
        let per = counter.per.as_ref();
        let per = per.map_or_else(String::new, |(per, _)| format!(" for each {per}"));
        let counts = quoted(&format!("counts {}{per}", counter.counts.0));
        format!("    int {} {counts}\n", word(counter.name.as_str()))
    });
    the_box(entity.name.as_str(), fields, counters.collect())
}

fn the_box<'f>(
    name: &str,
    fields: impl Iterator<Item = (&'f Field, &'static str)>,
    more: Vec<String>,
) -> String {
    let mut lines: Vec<String> = fields.map(|(field, mark)| attribute(field, mark)).collect();
    lines.extend(more);
    if lines.is_empty() {
        return format!("  {}\n", quoted(name));
    }
    format!("  {} {{\n{}  }}\n", quoted(name), lines.concat())
}

/// `    string title "1..200"`.
fn attribute(field: &Field, mark: &str) -> String {
    let written = field.kind().to_string();
    let (kind, limits) = match written.split_once('(') {
        Some((kind, limits)) => (kind, limits.trim_end_matches(')')),
        None => (written.as_str(), ""),
    };
    let comment = match (limits, field.is_optional()) {
        ("", false) => String::new(),
        ("", true) => format!(" {}", quoted("optional")),
        (limits, false) => format!(" {}", quoted(limits)),
        // In brackets, or it would read as one more of the values.
        (limits, true) => format!(" {}", quoted(&format!("{limits} (optional)"))),
    };
    format!(
        "    {} {}{mark}{comment}\n",
        word(kind),
        word(field.name.as_str())
    )
}

/// A line between two boxes.
struct Edge {
    from: String,
    to: String,
    line: String,
}

fn edge(from: &str, way: &str, to: &str, name: &str) -> Edge {
    Edge {
        from: from.to_owned(),
        to: to.to_owned(),
        line: format!(
            "  {} {way} {} : {}\n",
            quoted(from),
            quoted(to),
            quoted(name)
        ),
    }
}

fn edges(model: &Model) -> Vec<Edge> {
    let mut edges: Vec<Edge> = model
        .relationships
        .iter()
        .flat_map(|one| of_relationship(model, one))
        .collect();
    let entities = model.entities.iter().map(|one| (&one.name, &one.fields));
    let structs = model.structs.iter().map(|one| (&one.name, &one.fields));
    for (name, fields) in entities.chain(structs) {
        for field in fields {
            if let Some((shape, many)) = nested(field.kind()) {
                let way = if many { "||--o{" } else { "||--o|" };
                edges.push(edge(name.as_str(), way, shape, field.name.as_str()));
            }
        }
    }
    edges
}

fn of_relationship(model: &Model, one: &Relationship) -> Vec<Edge> {
    let name = |id| model.entity(id).name.as_str();
    let from = name(one.from.id);
    // What a field holds is a nested shape, or no box at all.
    let Some(to) = one.to.as_ref().map(|to| name(to.id)) else {
        return Vec::new();
    };
    let called = one.name.as_str();
    match (one.kind.value, &one.through) {
        (RelationshipKind::OneToOne, _) => vec![edge(from, "||--o|", to, called)],
        (RelationshipKind::OneToMany, _) => vec![edge(from, "||--o{", to, called)],
        (RelationshipKind::ManyToMany, None) => vec![edge(from, "}o--o{", to, called)],
        (RelationshipKind::ManyToMany, Some(through)) => {
            let through = name(through.id);
            // Between items of one entity, both lines would be the same.
            let (there, back) = match from == to {
                true => (format!("{called}, from"), format!("{called}, to")),
                false => (called.to_owned(), called.to_owned()),
            };
            vec![
                edge(from, "||--o{", through, &there),
                edge(to, "||--o{", through, &back),
            ]
        }
    }
}

/// The nested shape a type holds, and whether several of it.
fn nested(kind: &FieldType) -> Option<(&str, bool)> {
    match kind {
        FieldType::Struct(name) => Some((name, false)),
        FieldType::List(of, _) | FieldType::Set(of, _) | FieldType::Map(of, _) => {
            nested(of).map(|(name, _)| (name, true))
        }
        _ => None,
    }
}
