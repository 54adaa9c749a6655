//! Every sample held against the model that was made of it.

use tablewright_keys::KeyValue;
use tablewright_model::Model;
use tablewright_model::model::{Entity, KeyAttribute, KeyKind, KeyTemplate};

use super::entity::Draft;
use super::source::{Item, Sample, one_line};

/// A note for each key of which a sample has another text than the model gives it.
pub(super) fn verify(model: &Model, draft: &Draft) -> Vec<String> {
    let drafts = draft.tables.iter().flat_map(|table| &table.entities);
    let mut notes = Vec::new();
    for (entity, draft) in model.entities.iter().zip(drafts) {
        for (attribute, template) in keys(model, entity) {
            let different = draft
                .items
                .iter()
                .find_map(|item| different(attribute, template, item));
            if let Some((made, stored)) = different {
                notes.push(format!(
                    "a sample of {} has `{}` in `{}`, for which `{}` gives `{}`",
                    entity.name,
                    one_line(&stored),
                    attribute.name,
                    template,
                    one_line(&made)
                ));
            }
        }
    }
    notes
}

fn keys<'m>(model: &'m Model, entity: &'m Entity) -> Vec<(&'m KeyAttribute, &'m KeyTemplate)> {
    let table = model.table(entity.table);
    let mut keys = vec![(&table.partition_key, &entity.key.partition)];
    keys.extend(table.sort_key.as_ref().zip(entity.key.sort.as_ref()));
    for key in &entity.index_keys {
        let index = table.index(key.index);
        keys.push((&index.partition_key, &key.key.partition));
        keys.extend(index.sort_key.as_ref().zip(key.key.sort.as_ref()));
    }
    keys
}

/// What the template gives and what the sample has, where that is not the same.
fn different(
    attribute: &KeyAttribute,
    template: &KeyTemplate,
    item: &Item,
) -> Option<(String, String)> {
    let Sample::Text(stored) = item.get(&attribute.name)? else {
        return None;
    };
    if attribute.kind != KeyKind::String {
        return None;
    }
    let value = |name: &str| match item.get(name)? {
        Sample::Text(text) => Some(KeyValue::Text(text.clone())),
        Sample::Number(number) => Some(match number.parse() {
            Ok(integer) => KeyValue::Integer(integer),
            Err(_) => KeyValue::Text(number.clone()),
        }),
        _ => None,
    };
    let made = match template.typed.render(value) {
        Ok(made) => made,
        Err(why) => why.to_string(),
    };
    (made != *stored).then(|| (made, stored.clone()))
}
