//! Architecture. (S3-51)

use tablewright_model::model::Profile;

use super::super::{Answer, Evidence, Named};
use crate::markdown::{code, listed};

pub(crate) fn data_access(evidence: &Evidence<'_>) -> Answer {
    match evidence.links().has("rust") {
        true => evidence.document(
            "rust",
            "",
            "has a method for each pattern: services need no other way to the tables",
        ),
        false => {
            Answer::people("Is there one place that talks to DynamoDB, and does nothing else?")
        }
    }
}

pub(crate) fn no_orm(evidence: &Evidence<'_>) -> Answer {
    match evidence.links().has("rust") {
        true => evidence.document(
            "rust",
            "",
            "sends the requests that are planned here, one for one; nothing is loaded behind a caller's back",
        ),
        false => Answer::people("Does the code send these requests itself, without one?"),
    }
}

pub(crate) fn indexing(evidence: &Evidence<'_>) -> Answer {
    let model = evidence.model();
    let mut both = Vec::new();
    for entity in &model.entities {
        let table = model.table(entity.table);
        let of_table = std::iter::once(&table.partition_key).chain(&table.sort_key);
        let of_indexes = table
            .indexes
            .iter()
            .flat_map(|index| std::iter::once(&index.partition_key).chain(&index.sort_key));
        for attribute in of_table.chain(of_indexes) {
            let told = format!("{} of {}", code(&attribute.name), entity.name);
            if entity.field_named(&attribute.name).is_some() && !both.contains(&told) {
                both.push(told);
            }
        }
    }
    if both.is_empty() {
        return Answer::holds(
            "No key attribute is a field: keys are computed from the entity on every write.",
            [Named::Declared],
        );
    }
    let words = format!("Key and field in one: {}.", listed(&both));
    match model.profile {
        Profile::TablePerEntity => Answer::decided(format!(
            "{words} With the profile {} a key is the field itself; every other key attribute is computed on every write.",
            code("table-per-entity")
        )),
        Profile::SingleTable => Answer::fails(words, [Named::Declared]),
    }
}

pub(crate) fn single_table(evidence: &Evidence<'_>) -> Answer {
    let model = evidence.model();
    let apart: Vec<String> = model
        .relationships
        .iter()
        .filter(|one| {
            let sides = [one.to.as_ref(), one.through.as_ref()];
            let from = model.entity(one.from.id).table;
            let mut sides = sides.into_iter().flatten();
            sides.any(|side| model.entity(side.id).table != from)
        })
        .map(|one| code(one.name.as_str()))
        .collect();
    if apart.is_empty() {
        let words = match model.relationships.is_empty() {
            true => "No entities are related.",
            false => "Both sides of every relationship lie in one table.",
        };
        return Answer::holds(words, [Named::Declared]);
    }
    let words = format!("Between tables: {}.", listed(&apart));
    match model.profile {
        Profile::TablePerEntity => Answer::decided(format!(
            "{words} With the profile {} every entity has a table; what must hold across two is written in one transaction.",
            code("table-per-entity")
        )),
        Profile::SingleTable => Answer::fails(words, [Named::Declared]),
    }
}
