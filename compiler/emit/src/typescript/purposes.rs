//! What a field is for, as far as the model tells.

use tablewright_model::Model;
use tablewright_model::model::{Changes, Entity, Field, FieldId};

use crate::rust::describe;

/// What a field holds and what it is for.
pub(super) fn of_field(model: &Model, entity: &Entity, id: FieldId) -> String {
    let mut sentences = vec![holds(entity.field(id))];
    sentences.extend(in_keys(model, entity, id));
    let named = |field: &Option<(_, FieldId)>| field.as_ref().is_some_and(|(_, ttl)| *ttl == id);
    if named(&entity.ttl) {
        sentences.push("DynamoDB deletes the item some time after it.".to_owned());
    }
    if named(&entity.deadline) {
        sentences.push("When it is over; the item may be there for longer.".to_owned());
    }
    let alone = |guard: &tablewright_model::model::Key| guard.field_ids() == [id];
    if entity
        .unique
        .iter()
        .any(|unique| unique.guard.as_ref().is_some_and(alone))
    {
        sentences.push("No two have the same.".to_owned());
    }
    if entity.changes(id) == Some(Changes::Never) && !entity.key.has(id) {
        sentences.push("Never changes.".to_owned());
    }
    sentences.join(" ")
}

/// What a field holds.
pub(super) fn holds(field: &Field) -> String {
    // The sentence links types as Rust's documentation does.
    let mut text = String::new();
    let sentence = describe::field(&field.declared);
    let mut rest = sentence.as_str();
    while let Some((before, after)) = rest.split_once("[`") {
        text.push_str(before);
        match after.split_once("`]") {
            Some((name, after)) => {
                text.push_str(&format!("{{@link {name}}}"));
                rest = after;
            }
            None => {
                text.push_str("[`");
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

fn in_keys(model: &Model, entity: &Entity, id: FieldId) -> Option<String> {
    let table = model.table(entity.table);
    let indexes: Vec<&str> = entity
        .index_keys
        .iter()
        .filter(|key| key.key.has(id))
        .map(|key| table.index(key.index).name.as_str())
        .collect();
    let of_table = entity.key.has(id).then(|| match entity.identity().len() {
        1 => "Tells one from another".to_owned(),
        _ => "Part of the key".to_owned(),
    });
    let of_indexes = match indexes.as_slice() {
        [] => None,
        [one] => Some(format!("in the key of {one}")),
        [most @ .., last] => Some(format!("in the keys of {} and {last}", most.join(", "))),
    };
    match (of_table, of_indexes) {
        (Some(table), Some(indexes)) => Some(format!("{table}; {indexes}.")),
        (Some(table), None) => Some(format!("{table}.")),
        (None, Some(indexes)) => Some(format!("Stands {indexes}.")),
        (None, None) => None,
    }
}
