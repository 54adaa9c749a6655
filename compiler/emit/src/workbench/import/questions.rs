//! Access patterns to begin with.

use std::collections::BTreeSet;

use tablewright_keys::Template;

use super::entity::Draft;
use super::names::unique_name;
use super::write::{key, quoted};
use crate::rust::names::{plural, snake};

/// One question for each key there is, to begin with.
pub(super) fn write(draft: &Draft, text: &mut String) {
    let mut taken = BTreeSet::new();
    for table in &draft.tables {
        for entity in &table.entities {
            let one = snake(&entity.name);
            let many = plural(&one);
            let partition = fields_in(&entity.partition);
            let mut whole = partition.clone();
            for field in entity.sort.iter().flat_map(|sort| fields_in(sort)) {
                if !whole.contains(&field) {
                    whole.push(field);
                }
            }
            pattern(
                &unique_name(&one, &mut taken),
                "get",
                &entity.name,
                &whole,
                text,
            );
            if !partition.is_empty() && whole.len() > partition.len() {
                let several = match many == one {
                    true => format!("{one}_list"),
                    false => many.clone(),
                };
                pattern(
                    &unique_name(&several, &mut taken),
                    "list",
                    &entity.name,
                    &partition,
                    text,
                );
            }
            for index in &entity.indexes {
                let index_name = snake(&index.index);
                let index_name = index_name.strip_prefix("by_").unwrap_or(&index_name);
                let name = format!("{many}_by_{index_name}");
                let by = fields_in(&index.partition);
                let sorted = index.sort.iter().flat_map(|sort| fields_in(sort));
                let sorted = sorted.into_iter().find(|field| !by.contains(field));
                pattern(
                    &unique_name(&name, &mut taken),
                    "list",
                    &entity.name,
                    &by,
                    text,
                );
                // What the index does not have is not asked for.
                let sort = index.sort.iter().flat_map(|sort| fields_in(sort));
                let there: Vec<String> = sort
                    .filter(|field| !by.contains(field) && entity.may_lack(field))
                    .map(|field| format!("{field} exists"))
                    .collect();
                if !there.is_empty() {
                    text.push_str(&format!("where = {}\n", quoted(&there.join(" and "))));
                }
                if let Some(field) = sorted {
                    text.push_str(&format!("order = {}\n", quoted(&field)));
                }
            }
        }
    }
}

fn pattern(name: &str, verb: &str, entity: &str, by: &[String], text: &mut String) {
    text.push_str(&format!(
        "\n[access.{}]\n{verb} = {}\n",
        key(name),
        quoted(entity)
    ));
    if !by.is_empty() {
        let by: Vec<String> = by.iter().map(|field| quoted(field)).collect();
        text.push_str(&format!("by = [{}]\n", by.join(", ")));
    }
}

/// The fields of a template that a caller must know: not those that only spread.
fn fields_in(template: &str) -> Vec<String> {
    let Ok(template) = Template::parse(template) else {
        return Vec::new();
    };
    let mut fields: Vec<String> = Vec::new();
    for field in template
        .fields()
        .filter(|field| field.encodings.shard.is_none())
    {
        if !fields.contains(&field.name) {
            fields.push(field.name.clone());
        }
    }
    fields
}
