//! Why a relationship is stored as it is: the model's own reason, and the branch of the decision tree it takes. (S3-23, C3-16)

use tablewright_model::model::{Relationship, RelationshipKind, Strategy};

use crate::design::Design;
use crate::markdown::{Links, code, number, sentence, text};

pub(super) fn of(design: &Design<'_>, one: &Relationship, links: &Links<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    match &one.why {
        Some(why) => lines.push(sentence(&text(why.as_str()))),
        None => lines.push(String::from("The model gives no reason.")),
    }
    lines.extend(branch(one));
    if let (RelationshipKind::ManyToMany, Some(through)) = (one.kind.value, &one.through) {
        lines.push(format!(
            "{} stands for a link, and both sides find it.",
            design.model.entity(through.id).name
        ));
    }
    for allow in &one.allow {
        lines.push(format!(
            "{} is allowed here: {}",
            links.rule(allow.rule.as_str()),
            sentence(&text(allow.reason.as_str()))
        ));
    }
    lines
}

/// What the decision tree says of its kind and bound.
fn branch(one: &Relationship) -> Option<String> {
    let strategy = one.strategy.as_ref()?.value;
    let bound = one.bound.map(|bound| bound.at_most);
    let words = match (one.kind.value, strategy, bound) {
        (_, Strategy::Embed, _) => {
            String::from("There is one, and it is read and written with the item that has it.")
        }
        (RelationshipKind::OneToOne, _, _) => {
            String::from("1:1, in items of their own: they can be read together and written apart.")
        }
        (_, Strategy::ComplexAttribute, Some(Some(most))) => format!(
            "1:N with at most {}: few enough for one item, which is read and written as a whole.",
            number(most)
        ),
        (_, Strategy::ItemCollection, Some(None)) => String::from(
            "1:N without a bound: a list in one item would end at 400 KB, and items of one partition do not.",
        ),
        (_, Strategy::ItemCollection, Some(Some(most))) => format!(
            "1:N with at most {}, each written by itself: items of their own, in one partition.",
            number(most)
        ),
        (_, Strategy::AdjacencyList, _) => String::from(
            "M:N where a link is there or not: its key is made of both ids, so that there cannot be a second one.",
        ),
        (_, Strategy::MaterialisedGraph, _) => String::from(
            "M:N where the same two may be linked several times: each link has an id of its own, and a key for each way to follow it.",
        ),
        (_, Strategy::ShallowDuplication, _) => {
            String::from("M:N of which a few values are copied that hardly ever change.")
        }
        (_, Strategy::Normalisation, _) => format!(
            "M:N of which only ids are stored: the other side is read by a request of its own, one {} for a page and never a get for each row.",
            code("BatchGetItem")
        ),
        _ => return None,
    };
    Some(words)
}
