//! Relationships. (S3-4, S3-22 to S3-26, S3-50)

use tablewright_model::field_type::{FieldType, Length};
use tablewright_model::model::{Relationship, RelationshipKind, Strategy};
use tablewright_plan::{Answer as Plan, Operation};

use super::super::{Answer, Evidence, Named, State};
use super::{as_evidence, patterns};
use crate::markdown::{code, count, listed, number};
use tablewright_check::undeclared;

pub(crate) fn document(evidence: &Evidence<'_>) -> Answer {
    let all = evidence.model().relationships.len();
    let says = format!(
        "has {} with strategy, reason, keys and query",
        count(all, "relationship")
    );
    let says = if all == 0 {
        String::from("says that the model declares none")
    } else {
        says
    };
    evidence
        .document("relationships", "", &says)
        .and(evidence.rules(&["undocumented-relationship", "strategy-mismatch"]))
}

pub(crate) fn documented(evidence: &Evidence<'_>) -> Answer {
    let model = evidence.model();
    let undecided: Vec<String> = model
        .relationships
        .iter()
        .filter(|one| one.strategy.is_none() || one.why.is_none())
        .map(|one| code(one.name.as_str()))
        .collect();
    let forgotten: Vec<String> = undeclared(model)
        .into_iter()
        .filter(|one| !one.read_by.is_empty())
        .map(|one| {
            let entity = model.entity(one.entity);
            let field = code(entity.field(one.field).name.as_str());
            format!("{field} of {}", entity.name)
        })
        .collect();
    let rules = evidence.rules(&["undocumented-relationship"]);
    if !undecided.is_empty() {
        let words = format!("Without a strategy or a reason: {}.", listed(&undecided));
        return Answer::fails(words, [Named::Declared]).and(rules);
    }
    if !forgotten.is_empty() {
        let words = format!(
            "Named and read without a relationship being declared: {}.",
            listed(&forgotten)
        );
        return Answer::fails(words, [Named::Declared]).and(rules);
    }
    match (model.relationships.len(), model.entities.len()) {
        (0, 0 | 1) => Answer::holds("There is nothing to be related.", [Named::Declared]),
        (0, _) => Answer::people("The model declares no relationships. Does the ERD have none?"),
        (1, _) => Answer::holds(
            "The one that is declared has a strategy and its reason.",
            [Named::Declared],
        )
        .and(rules),
        (all, _) => Answer::holds(
            format!(
                "{} have a strategy and its reason.",
                if all == 2 {
                    String::from("Both")
                } else {
                    format!("All {all}")
                }
            ),
            [Named::Declared],
        )
        .and(rules),
    }
}

/// The relationships of which something holds, by name.
fn named(evidence: &Evidence<'_>, which: impl Fn(&Relationship) -> bool) -> Vec<String> {
    let all = evidence.model().relationships.iter();
    all.filter(|one| which(one))
        .map(|one| code(one.name.as_str()))
        .collect()
}

fn is_in_a_field(one: &Relationship) -> bool {
    let strategy = one.strategy.as_ref().map(|strategy| strategy.value);
    matches!(strategy, Some(Strategy::Embed | Strategy::ComplexAttribute))
}

pub(crate) fn unbounded(evidence: &Evidence<'_>) -> Answer {
    let without = named(evidence, |one| {
        one.bound.is_some_and(|bound| bound.at_most.is_none())
    });
    let apart = named(evidence, |one| {
        one.bound.is_some_and(|bound| bound.at_most.is_none()) && !is_in_a_field(one)
    });
    let words = match without.len() {
        0 => String::from("No relationship is without a bound."),
        1 => format!("{} has no bound, and items of its own.", listed(&without)),
        _ => format!(
            "{} have no bound, and items of their own.",
            listed(&without)
        ),
    };
    Answer::if_so(without.len() == apart.len(), words, [Named::Declared])
        .and(evidence.rules(&["unbounded-collection", "strategy-mismatch"]))
}

fn is_or_are(names: &[String]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", listed(names))
}

pub(crate) fn bounded(evidence: &Evidence<'_>) -> Answer {
    let embedded = named(evidence, is_in_a_field);
    let mut words = match embedded.is_empty() {
        true => String::from("No relationship is kept in a list or map."),
        false => format!("Kept in one item: {}.", listed(&embedded)),
    };
    let large: Vec<String> = evidence
        .model()
        .entities
        .iter()
        .flat_map(|entity| entity.fields.iter().map(move |field| (entity, field)))
        .filter_map(|(entity, field)| {
            let most = bound_of(field.kind())?.max.filter(|most| *most >= 20)?;
            let name = code(field.name.as_str());
            Some(format!(
                "{name} of {} (at most {})",
                entity.name,
                number(u64::from(most))
            ))
        })
        .collect();
    if !large.is_empty() {
        words.push_str(&format!(
            " Larger collections hold values of their item, and no entities: {}.",
            listed(&large)
        ));
    }
    Answer::holds(words, [Named::Declared])
        .and(evidence.rules(&["strategy-mismatch", "unbounded-collection"]))
}

fn bound_of(kind: &FieldType) -> Option<Length> {
    match kind {
        FieldType::List(_, bound) | FieldType::Set(_, bound) | FieldType::Map(_, bound) => {
            Some(*bound)
        }
        _ => None,
    }
}

pub(crate) fn both_ways(evidence: &Evidence<'_>) -> Answer {
    let many = named(evidence, |one| {
        one.kind.value == RelationshipKind::ManyToMany
    });
    let words = match many.is_empty() {
        true => String::from("No relationship is M:N."),
        false => format!("{} M:N, and read from both sides.", is_or_are(&many)),
    };
    Answer::holds(words, [Named::Declared]).and(evidence.rules(&["one-way-relation"]))
}

pub(crate) fn in_chart(evidence: &Evidence<'_>) -> Answer {
    let model = evidence.model();
    let mut items: Vec<String> = model
        .relationships
        .iter()
        .filter_map(|one| one.through.as_ref().or(one.to.as_ref()))
        .map(|entity| entity.written.value.clone())
        .collect();
    items.sort_unstable();
    items.dedup();
    if items.is_empty() {
        return Answer::holds("No relationship has items of its own.", [Named::Declared]);
    }
    let says = format!("lists {}", listed(&items));
    evidence.document("charts", crate::charts::MAIN, &says)
}

/// Where the items of a relationship lie, seen from the item they belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lies {
    /// In its partition: one request reads both.
    Beside,
    /// In another partition of its table, or of an index.
    OnTheirOwn,
    /// In another table.
    InAnotherTable,
}

/// Nothing where a relationship has no items that lie together.
fn where_the_many_lie(evidence: &Evidence<'_>, one: &Relationship) -> Option<Lies> {
    let strategy = one.strategy.as_ref()?.value;
    if !matches!(
        strategy,
        Strategy::ItemCollection | Strategy::AdjacencyList | Strategy::MaterialisedGraph
    ) {
        return None;
    }
    let model = evidence.model();
    let from = model.entity(one.from.id);
    let items = model.entity(one.through.as_ref().or(one.to.as_ref())?.id);
    let partitions = [from, items].map(|entity| entity.key.partition.to_string());
    Some(match from.table == items.table {
        false => Lies::InAnotherTable,
        true if partitions[0] == partitions[1] => Lies::Beside,
        true => Lies::OnTheirOwn,
    })
}

pub(crate) fn pre_joined(evidence: &Evidence<'_>) -> Answer {
    let apart = named(evidence, |one| {
        let strategy = one.strategy.as_ref().map(|strategy| strategy.value);
        strategy == Some(Strategy::Normalisation)
    });
    let together: Vec<&str> = evidence
        .design()
        .patterns()
        .filter(|(access, plan)| {
            let several =
                matches!(&plan.answer, Plan::Read(read) if read.operation == Operation::Query);
            several && access.verb.entities().len() > 1
        })
        .map(|(access, _)| access.name.as_str())
        .collect();
    let lies = |where_it_lies: Lies| {
        named(evidence, |one| {
            where_the_many_lie(evidence, one) == Some(where_it_lies)
        })
    };
    let (beside, own, tables) = (
        lies(Lies::Beside),
        lies(Lies::OnTheirOwn),
        lies(Lies::InAnotherTable),
    );
    let mut told = Vec::new();
    if !beside.is_empty() {
        told.push(format!(
            "In one partition with the item they belong to: {}.",
            listed(&beside)
        ));
    }
    if !own.is_empty() {
        told.push(format!(
            "Together in a partition of their own, of the table or of an index: {}.",
            listed(&own)
        ));
    }
    if !tables.is_empty() {
        told.push(format!(
            "Together in a partition of another table or of its index: {}. The item and what belongs to it are two requests, and neither waits for the other.",
            listed(&tables)
        ));
    }
    if told.is_empty() {
        told.push(String::from("No relationship has items of its own."));
    }
    let mut words = told.join(" ");
    if !together.is_empty() {
        let verb = if together.len() == 1 { "reads" } else { "read" };
        words.push_str(&format!(
            " {} {verb} several entities at once.",
            patterns(evidence, &together)
        ));
    }
    let answer = Answer::holds(words, as_evidence(&together)).and(evidence.rules(&[
        "strategy-mismatch",
        "reads-strangers",
        "parent-last",
    ]));
    if apart.is_empty() {
        return answer;
    }
    let words = format!(
        "{} by ids only, and read by a second request.",
        is_or_are(&apart)
    );
    answer.and(Answer {
        state: State::Open,
        ..Answer::people(words)
    })
}
