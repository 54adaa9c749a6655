//! Schemas. (S3-27 to S3-34)

use std::collections::BTreeMap;

use tablewright_model::field_type::FieldType;
use tablewright_model::model::Field;
use tablewright_plan::expression::is_reserved;

use super::super::{Answer, Evidence, Named};
use crate::markdown::{and, code, count, count_of, listed, number};

pub(crate) fn interfaces(evidence: &Evidence<'_>) -> Answer {
    let all = count_of(evidence.model().entities.len(), "entity", "entities");
    evidence.document("typescript", "", &format!("has the types of {all}"))
}

pub(crate) fn type_attribute(evidence: &Evidence<'_>) -> Answer {
    let model = evidence.model();
    let mut told = Vec::new();
    let mut alone = Vec::new();
    let mut lacking = Vec::new();
    for (id, table) in evidence.design().tables() {
        let entities = model.entities_of(id).count();
        match (&table.type_attribute, entities) {
            (Some(kind), _) => told.push(format!(
                "In {} every item has {}.",
                code(table.name.as_str()),
                code(kind.as_str())
            )),
            (None, 0 | 1) => alone.push(code(table.name.as_str())),
            (None, _) => lacking.push(code(table.name.as_str())),
        }
    }
    if !alone.is_empty() {
        let (hold, says) = match alone.len() {
            1 => ("holds", "its name says"),
            _ => ("hold", "their names say"),
        };
        told.push(format!(
            "{} {hold} one entity, and {says} which.",
            listed(&alone)
        ));
    }
    if !lacking.is_empty() {
        told.push(format!(
            "Several entities without a type: {}.",
            listed(&lacking)
        ));
    }
    Answer::if_so(lacking.is_empty(), told.join(" "), [Named::Declared])
        .and(evidence.rules(&["missing-type"]))
}

/// The fields of all entities and nested shapes, with the name of what has them.
fn fields<'e>(evidence: &'e Evidence<'_>) -> impl Iterator<Item = (&'e str, &'e Field)> {
    let model = evidence.model();
    let entities = model
        .entities
        .iter()
        .map(|one| (one.name.as_str(), &one.fields));
    let structs = model
        .structs
        .iter()
        .map(|one| (one.name.as_str(), &one.fields));
    entities
        .chain(structs)
        .flat_map(|(name, fields)| fields.iter().map(move |field| (name, field)))
}

fn is_complex(kind: &FieldType) -> bool {
    matches!(
        kind,
        FieldType::List(..)
            | FieldType::Set(..)
            | FieldType::Map(..)
            | FieldType::Struct(_)
            | FieldType::Json(_)
    )
}

pub(crate) fn complex(evidence: &Evidence<'_>) -> Answer {
    let complex = fields(evidence)
        .filter(|(_, field)| is_complex(field.kind()))
        .count();
    let open: Vec<String> = fields(evidence)
        .filter(|(_, field)| matches!(field.kind(), FieldType::Json(_)))
        .map(|(name, field)| format!("{} of {name}", code(field.name.as_str())))
        .collect();
    let mut words = match complex {
        0 => String::from("There are none."),
        1 => String::from("There is 1, and its type says what it holds."),
        some => format!(
            "There are {}, and their types say what they hold.",
            number(some as u64)
        ),
    };
    if !open.is_empty() {
        let hold = if open.len() == 1 { "holds" } else { "hold" };
        words.push_str(&format!(
            " Only {} {hold} anything, up to a size.",
            and(&open)
        ));
    }
    Answer::holds(words, [Named::Declared])
        .and(evidence.rules(&["deep-nesting", "unbounded-collection"]))
}

pub(crate) fn bounded(evidence: &Evidence<'_>) -> Answer {
    let collections: Vec<String> = fields(evidence)
        .filter(|(_, field)| {
            matches!(
                field.kind(),
                FieldType::List(..) | FieldType::Set(..) | FieldType::Map(..)
            )
        })
        .map(|(name, field)| {
            format!(
                "{} of {name} ({})",
                code(field.name.as_str()),
                code(&field.kind().to_string())
            )
        })
        .collect();
    let words = match collections.is_empty() {
        true => String::from("No attribute is a list, a set or a map."),
        false => format!("Lists, sets and maps are {}.", listed(&collections)),
    };
    Answer::holds(words, [Named::Declared]).and(evidence.rules(&["unbounded-collection"]))
}

pub(crate) fn timestamps(evidence: &Evidence<'_>) -> Answer {
    let mut forms: BTreeMap<String, usize> = BTreeMap::new();
    for (_, field) in fields(evidence) {
        if field.kind().is_time() {
            *forms.entry(field.kind().to_string()).or_default() += 1;
        }
    }
    let forms: Vec<String> = forms
        .into_iter()
        .map(|(form, times)| format!("{} in {}", code(&form), count(times, "field")))
        .collect();
    let words = match forms.is_empty() {
        true => String::from("No field holds a time."),
        false => format!("Times are {}.", and(&forms)),
    };
    Answer::holds(words, [Named::Declared]).and(evidence.rules(&[
        "uneven-timestamp",
        "mixed-time-forms",
        "mixed-timestamps",
        "ttl-type",
    ]))
}

pub(crate) fn reserved(evidence: &Evidence<'_>) -> Answer {
    let mut words: Vec<&str> = evidence
        .model()
        .entities
        .iter()
        .flat_map(|entity| &entity.fields)
        .map(|field| field.name.as_str())
        .filter(|name| is_reserved(name))
        .collect();
    words.sort_unstable();
    words.dedup();
    let words: Vec<String> = words.into_iter().map(code).collect();
    let told = match words.is_empty() {
        true => String::from("No attribute is called by one."),
        false => format!(
            "{} reserved, and may be {} all the same: every expression that is generated uses aliases.",
            match words.len() {
                1 => format!("{} is", listed(&words)),
                _ => format!("{} are", listed(&words)),
            },
            if words.len() == 1 { "a name" } else { "names" }
        ),
    };
    Answer::holds(told, [Named::Declared]).and(evidence.rules(&["reserved-word"]))
}
