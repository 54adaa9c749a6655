//! The ER diagram: entities with their fields, and the relationships between them.

use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, Field, FieldId, Relationship, RelationshipKind};

use super::grouped;
use super::mermaid::{quoted, word};

/// The diagram, in as many parts as it takes. Relationships between parts come last, without fields.
pub(super) fn diagrams(model: &Model) -> Vec<String> {
    let mut boxes: Vec<(usize, (String, String))> = Vec::new();
    for entity in &model.entities {
        let text = entity_box(entity);
        boxes.push((text.len(), (entity.name.value.clone(), text)));
    }
    for one in &model.structs {
        let text = the_box(
            one.name.as_str(),
            one.fields.iter().map(|field| (field, "")),
        );
        boxes.push((text.len(), (one.name.value.clone(), text)));
    }
    let mut edges = edges(model);
    let mut diagrams = Vec::new();
    for group in grouped(boxes) {
        let here = |name: &String| group.iter().any(|(known, _)| known == name);
        let (inside, outside): (Vec<Edge>, Vec<Edge>) = edges
            .into_iter()
            .partition(|edge| here(&edge.from) && here(&edge.to));
        edges = outside;
        let lines = inside.into_iter().map(|edge| edge.line);
        let boxes = group.iter().map(|(_, text)| text.clone());
        diagrams.push(diagram(lines.chain(boxes)));
    }
    let between: Vec<(usize, String)> = edges
        .into_iter()
        .map(|edge| (edge.line.len(), edge.line))
        .collect();
    diagrams.extend(grouped(between).into_iter().map(diagram));
    diagrams
}

fn diagram(lines: impl IntoIterator<Item = String>) -> String {
    let mut text = String::from("erDiagram\n");
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
    the_box(entity.name.as_str(), fields)
}

fn the_box<'f>(name: &str, fields: impl Iterator<Item = (&'f Field, &'static str)>) -> String {
    let lines: Vec<String> = fields.map(|(field, mark)| attribute(field, mark)).collect();
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
    let mut said = Vec::new();
    if !limits.is_empty() {
        said.push(limits.to_owned());
    }
    if field.is_optional() {
        said.push(String::from("optional"));
    }
    let comment = match said.is_empty() {
        true => String::new(),
        false => format!(" {}", quoted(&said.join("; ").replace(';', ","))),
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
            vec![
                edge(from, "||--o{", through, called),
                edge(to, "||--o{", through, called),
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
