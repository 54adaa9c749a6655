//! Primary keys. (S3-1, S3-14 to S3-20, S3-49)

use tablewright_model::model::{ActionKind, IndexKind, KeyAttribute, Profile, Verb};
use tablewright_plan::{Answer as Plan, Operation, Via};

use super::super::{Answer, Evidence, Named};
use super::{as_evidence, patterns};
use crate::markdown::{and, code, count, count_of, listed};

pub(crate) fn complete(evidence: &Evidence<'_>) -> Answer {
    let model = evidence.model();
    if model.entities.is_empty() {
        return Answer::fails("The model has no entities yet.", [Named::Declared]);
    }
    let guards = model
        .entities
        .iter()
        .flat_map(|entity| &entity.unique)
        .filter(|unique| unique.guard.is_some())
        .count();
    let entities = count_of(model.entities.len(), "entity", "entities");
    let have = match (model.entities.len(), guards) {
        (1, 0) => String::from("The one entity has its key"),
        (_, 0) => format!("All {entities} have their key"),
        (_, guards) => format!("{entities} and {} have their keys", count(guards, "guard")),
    };
    let chart = evidence
        .links()
        .link("chart", "charts", crate::charts::MAIN);
    Answer::holds(
        format!("{have}, in the {chart}."),
        [Named::Document("charts")],
    )
    .and(evidence.rules(&[
        "key-type",
        "optional-key",
        "mutable-key",
        "empty-key",
        "key-too-long",
        "unpadded-number",
        "enum-order",
    ]))
}

pub(crate) fn unique(evidence: &Evidence<'_>) -> Answer {
    Answer::holds(
        "No two items can have one key, and no two values make the same: that is proven from the templates, not tried with examples.",
        [Named::Declared],
    )
    .and(evidence.rules(&["key-overlap", "ambiguous-template", "delimiter-in-value", "unguarded-unique", "unique-by-reading"]))
}

pub(crate) fn get_by_id(evidence: &Evidence<'_>) -> Answer {
    let mut whole = Vec::new();
    let mut guarded = Vec::new();
    let mut queried = Vec::new();
    for (access, plan) in evidence.design().patterns() {
        let single = match &access.verb {
            Verb::Get(_) => true,
            Verb::Batch(action) => action.kind == ActionKind::Get,
            _ => false,
        };
        let Plan::Read(read) = &plan.answer else {
            continue;
        };
        let name = access.name.as_str();
        match (&read.via, read.operation) {
            _ if !single => {}
            (Via::Guard(_), _) => guarded.push(name),
            (_, Operation::Query) => queried.push(name),
            _ => whole.push(name),
        }
    }
    let mut told = Vec::new();
    if !whole.is_empty() {
        told.push(format!("By the whole key: {}.", patterns(evidence, &whole)));
    }
    if !guarded.is_empty() {
        told.push(format!(
            "Through a guard: {}.",
            patterns(evidence, &guarded)
        ));
    }
    if !queried.is_empty() {
        told.push(format!(
            "By a Query that finds one: {}.",
            patterns(evidence, &queried)
        ));
    }
    let words = match told.is_empty() {
        true => String::from("No pattern gets single items."),
        false => told.join(" "),
    };
    let all: Vec<&str> = [whole, guarded, queried].concat();
    Answer::holds(words, as_evidence(&all)).and(evidence.rules(&["no-answer", "get-on-index"]))
}

pub(crate) fn get_many(evidence: &Evidence<'_>) -> Answer {
    let mut many = Vec::new();
    let mut scattered = Vec::new();
    for (access, plan) in evidence.design().patterns() {
        if let Plan::Read(read) = &plan.answer
            && read.operation == Operation::Query
        {
            many.push(access.name.as_str());
            if read.requests > 1 {
                scattered.push(access.name.as_str());
            }
        }
    }
    let words = match (many.len(), scattered.len()) {
        (0, _) => String::from("No pattern reads several items."),
        (1, 0) => String::from("1 pattern reads several items, with one Query on one partition."),
        (all, 0) => {
            format!("{all} patterns read several items, each with one Query on one partition.")
        }
        (all, _) => format!(
            "{} several items with one Query on one partition; a partition that is spread over shards is asked shard by shard ({}).",
            if all == 1 {
                String::from("1 pattern reads")
            } else {
                format!("{all} patterns read")
            },
            patterns(evidence, &scattered)
        ),
    };
    Answer::holds(words, as_evidence(&many)).and(evidence.rules(&[
        "no-answer",
        "equality-on-prefix",
        "open-prefix",
        "key-part-skipped",
        "range-end-lost",
        "range-sweeps",
        "reads-strangers",
    ]))
}

pub(crate) fn timestamps(evidence: &Evidence<'_>) -> Answer {
    let mut held = Vec::new();
    for entity in &evidence.model().entities {
        for id in entity.identity() {
            let field = entity.field(id);
            if field.kind().is_moment() {
                held.push(format!("{} of {}", code(field.name.as_str()), entity.name));
            }
        }
    }
    let words = match held.is_empty() {
        true => String::from("No primary key holds a moment."),
        false => format!(
            "Primary keys hold {}: whoever gets, changes or deletes such an item knows it and gives it.",
            and(&held)
        ),
    };
    Answer::holds(words, [Named::Declared]).and(evidence.rules(&["unknown-at-read"]))
}

pub(crate) fn generic_names(evidence: &Evidence<'_>) -> Answer {
    let model = evidence.model();
    let rules = evidence.rules(&["descriptive-key-name"]);
    if model.profile == Profile::TablePerEntity {
        return Answer::decided(format!(
            "With the profile {} every entity has a table, whose keys are called by what they hold.",
            code("table-per-entity")
        ));
    }
    let mut attributes: Vec<&KeyAttribute> = Vec::new();
    for table in &model.tables {
        attributes.push(&table.partition_key);
        attributes.extend(&table.sort_key);
        for index in &table.indexes {
            if index.kind == IndexKind::Global {
                attributes.push(&index.partition_key);
            }
            attributes.extend(&index.sort_key);
        }
    }
    let natural: Vec<String> = attributes
        .iter()
        .filter(|attribute| {
            let name = attribute.name.to_ascii_uppercase();
            !name.ends_with("PK") && !name.ends_with("SK")
        })
        .map(|attribute| code(&attribute.name))
        .collect();
    if natural.is_empty() {
        let words = format!(
            "{} of tables and indexes, all of them some PK or SK.",
            crate::markdown::capitalised(&count(attributes.len(), "key attribute"))
        );
        return Answer::holds(words, [Named::Declared]).and(rules);
    }
    let words = format!("Called by what they hold: {}.", listed(&natural));
    // The rule has judged them: what it finds is told, or the model allows it.
    Answer::holds(words, [Named::Declared]).and(rules)
}

pub(crate) fn prefixes(evidence: &Evidence<'_>) -> Answer {
    let model = evidence.model();
    let alone =
        model.tables.len() == model.entities.len() && model.profile == Profile::TablePerEntity;
    let words = match alone {
        true => "An entity is alone in its table, and its key is stated once.",
        false => {
            "The key of an entity is stated once, and every request is derived from it: there is no second prefix to write."
        }
    };
    Answer::holds(words, [Named::Declared]).and(evidence.rules(&[
        "missing-prefix",
        "inconsistent-prefix",
        "matches-nothing",
    ]))
}
