//! The key that would answer a pattern no key answers.

use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Entity, EntityId, FieldId, Model};

/// An index entry for the entity, ready to be pasted.
pub fn suggestion(model: &Model, access: &Access, id: EntityId) -> String {
    let entity = model.entity(id);
    let table = model.table(entity.table);
    let known: Vec<FieldId> = access
        .by
        .iter()
        .filter_map(|by| entity.field_named(by.written.as_str()))
        .collect();
    let number = (1..)
        .find(|number| table.index_named(&format!("GSI{number}")).is_none())
        .unwrap_or(1);
    let partition = match known.first() {
        Some(first) => part(entity, *first, true),
        None => format!("{}#{}", upper(entity.name.as_str()), shard(entity)),
    };
    let mut sort: Vec<FieldId> = known.iter().skip(1).copied().collect();
    let mut push = |field: FieldId| {
        if !sort.contains(&field) && known.first() != Some(&field) {
            sort.push(field);
        }
    };
    access.range.iter().for_each(|range| push(range.id));
    access
        .order
        .iter()
        .flat_map(|order| &order.by)
        .for_each(|term| push(term.id));
    // The identity at the end keeps the order stable.
    entity.identity().into_iter().for_each(&mut push);
    let sort: Vec<String> = sort
        .iter()
        .enumerate()
        .map(|(position, field)| part(entity, *field, position == 0))
        .collect();
    format!(
        "GSI{number} = {{ partition = \"{partition}\", sort = \"{}\" }}",
        sort.join("#")
    )
}

/// A field as a part of a key, encoded so that it sorts; the first with the field's name before it.
fn part(entity: &Entity, field: FieldId, named: bool) -> String {
    let declared = entity.field(field);
    let encoding = match declared.kind() {
        FieldType::Ordered(_) => ":rank".to_owned(),
        FieldType::EpochSeconds => ":012".to_owned(),
        FieldType::EpochMillis => ":015".to_owned(),
        FieldType::Int { max: Some(max), .. } => format!(":0{}", max.to_string().len()),
        FieldType::Int { .. } => ":019".to_owned(),
        _ => String::new(),
    };
    let name = &declared.name.value;
    if named {
        format!(
            "{}#{{{name}{encoding}}}",
            upper(name.trim_end_matches("_id"))
        )
    } else {
        format!("{{{name}{encoding}}}")
    }
}

fn shard(entity: &Entity) -> String {
    let id = entity.identity().last().copied();
    id.map_or_else(String::new, |id| {
        format!("{{{}:shard(8)}}", entity.field(id).name)
    })
}

fn upper(name: &str) -> String {
    name.to_uppercase().replace('-', "_")
}
