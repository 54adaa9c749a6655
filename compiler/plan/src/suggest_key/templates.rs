//! The templates of a key that would answer a pattern.

use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Entity, FieldId, Verb};

/// A field with more values than this spreads its items well enough over partitions.
pub const FEW_VALUES: u64 = 20;

/// A part that spreads the items of an entity over eight partitions: `{task_id:shard(8)}`. Of its identity the last field of many
/// values, and rather not a time, which many items share.
pub fn shard_part(entity: &Entity) -> Option<String> {
    let identity = entity.identity().into_iter().rev();
    let many: Vec<FieldId> = identity
        .filter(|field| entity.field(*field).kind().shape().is_some() && !has_few(entity, *field))
        .collect();
    let is_time = |field: &FieldId| entity.field(*field).kind().is_time();
    let field = many
        .iter()
        .find(|field| !is_time(field))
        .or_else(|| many.first())?;
    Some(format!("{{{}:shard(8)}}", entity.field(*field).name))
}

fn has_few(entity: &Entity, field: FieldId) -> bool {
    entity
        .distinct(field)
        .is_some_and(|count| count <= FEW_VALUES)
}

/// The templates for one entity: what the caller knows, then what it bounds and sorts by, then what tells items apart.
pub(super) fn templates(access: &Access, entity: &Entity, alone: bool) -> Option<(String, String)> {
    let named: Vec<Option<FieldId>> = access
        .by
        .iter()
        .map(|by| entity.field_named(by.written.as_str()))
        .collect();
    let mut known: Vec<FieldId> = named.iter().flatten().copied().collect();
    if !alone && (known.is_empty() || known.len() != named.len()) {
        return None;
    }
    let spreads =
        |field: &FieldId| !has_few(entity, *field) && !entity.field(*field).kind().is_time();
    let wide = known.iter().position(spreads);
    let head = (!known.is_empty()).then(|| known.remove(wide.unwrap_or(0)));
    let narrow = match head {
        Some(field) => part(entity, field, true, false, true),
        None => upper(entity.name.as_str()),
    };
    // Entities that are listed together share a partition, which no shard of their own gives.
    let shard = shard_part(entity).filter(|_| wide.is_none() && alone);
    let partition = shard.map_or_else(|| narrow.clone(), |shard| format!("{narrow}#{shard}"));

    let mut sort: Vec<(FieldId, bool)> = known.iter().map(|field| (*field, false)).collect();
    let mut push = |field: FieldId, desc: bool| {
        if !sort.iter().any(|(own, _)| *own == field) && head != Some(field) {
            sort.push((field, desc));
        }
    };
    if alone {
        access.range.iter().for_each(|range| push(range.id, false));
        let order: Vec<_> = access.order.iter().flat_map(|order| &order.by).collect();
        for term in &order {
            push(term.id, term.descending != order[0].descending);
        }
    }
    // The identity at the end keeps the order stable. One item is found by what is known of it alone.
    if !matches!(access.verb, Verb::Get(_)) {
        let identity = entity.identity().into_iter();
        identity.for_each(|field| push(field, false));
    }
    let mut sort: Vec<String> = sort
        .iter()
        .enumerate()
        .map(|(position, (field, desc))| {
            // Entities that are listed together are told apart by their names.
            let named = alone && position == 0 || position < known.len().min(1);
            part(entity, *field, named, *desc, position < known.len())
        })
        .collect();
    if !alone {
        sort.insert(known.len(), upper(entity.name.as_str()));
    }
    let sort = if sort.is_empty() {
        upper(entity.name.as_str())
    } else {
        sort.join("#")
    };
    Some((partition, sort))
}

/// A field as a part of a key, encoded so that it sorts, or is found by one value; the first with the field's name before it.
fn part(entity: &Entity, field: FieldId, named: bool, desc: bool, equal: bool) -> String {
    let declared = entity.field(field);
    let encoding = match declared.kind() {
        // What people type is found in any spelling; it would not sort as it is written.
        _ if equal && entity.has_open_case(field) => ":lower".to_owned(),
        FieldType::Ordered(_) => ":rank".to_owned(),
        FieldType::EpochSeconds => ":012".to_owned(),
        FieldType::EpochMillis => ":015".to_owned(),
        FieldType::Int { max: Some(max), .. } => format!(":0{}", max.to_string().len()),
        FieldType::Int { .. } => ":019".to_owned(),
        _ => String::new(),
    };
    let desc = if desc { ":desc" } else { "" };
    let name = &declared.name.value;
    let part = format!("{{{name}{encoding}{desc}}}");
    if named {
        format!("{}#{part}", upper(name.trim_end_matches("_id")))
    } else {
        part
    }
}

fn upper(name: &str) -> String {
    name.to_uppercase().replace('-', "_")
}
