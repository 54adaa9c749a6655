//! The key that would answer a pattern no key answers.

use std::fmt;

use tablewright_model::condition::ValueSets;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{
    Access, Entity, EntityId, FieldId, IndexKind, KeyKind, Model, Projection, Table, Verb,
};

use crate::bound::others;

/// A field with more values than this spreads its items well enough over partitions.
pub const FEW_VALUES: u64 = 20;

/// Index entries, ready to be pasted: of one entity, or of all that are listed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestedKey {
    /// The table.
    pub table: String,
    /// The index.
    pub index: String,
    /// Whether the table does not have it yet.
    pub is_new: bool,
    /// Whether its sort key is a number: what no text sorts, a number does.
    pub sorts_numbers: bool,
    /// Each entity, and what to write behind the name of the index.
    pub entries: Vec<(String, String)>,
}

impl fmt::Display for SuggestedKey {
    /// What to add, and to which sections: `add GSI1 = {} to [table.app.index] and GSI1 = { … } to [entity.Task.index]`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = &self.index;
        let declared = if self.sorts_numbers {
            format!("{{ sort_key = \"{index}SK: number\" }}")
        } else {
            "{}".to_owned()
        };
        let table = self
            .is_new
            .then(|| format!("{index} = {declared} to [table.{}.index]", self.table));
        let entries = self
            .entries
            .iter()
            .map(|(entity, entry)| format!("{index} = {entry} to [entity.{entity}.index]"));
        let lines: Vec<String> = table.into_iter().chain(entries).collect();
        write!(f, "add {}", lines.join(" and "))
    }
}

impl SuggestedKey {
    /// A key for an entity, in an index it is not in yet, or a new one.
    pub fn new(model: &Model, entity: EntityId, partition: &str, sort: &str) -> Self {
        Self::of_entities(model, vec![(entity, partition.to_owned(), sort.to_owned())])
    }

    fn of_entities(model: &Model, keys: Vec<(EntityId, String, String)>) -> Self {
        let (first, ..) = keys.first().expect("a key is suggested for some entity");
        let table = model.table_of(*first);
        let prefixes: Vec<&str> = keys
            .iter()
            .map(|(_, partition, _)| literal(partition))
            .collect();
        let ids: Vec<EntityId> = keys.iter().map(|(id, ..)| *id).collect();
        let free = free_index(model, table, &ids, &prefixes);
        let index = free.clone().unwrap_or_else(|| new_index(table));
        SuggestedKey {
            table: table.name.value.clone(),
            index,
            is_new: free.is_none(),
            sorts_numbers: false,
            entries: keys
                .into_iter()
                .map(|(id, partition, sort)| {
                    let entry = format!("{{ partition = \"{partition}\", sort = \"{sort}\" }}");
                    (model.entity(id).name.value.clone(), entry)
                })
                .collect(),
        }
    }

    /// The same in a new index that sorts by a number, which is all its sort key can be.
    fn sorting_by(
        mut self,
        model: &Model,
        entity: EntityId,
        partition: &str,
        field: FieldId,
    ) -> Self {
        let own = model.entity(entity);
        let sort = &own.field(field).name;
        self.index = new_index(model.table(own.table));
        self.is_new = true;
        self.sorts_numbers = true;
        let entry = format!("{{ partition = \"{partition}\", sort = \"{{{sort}}}\" }}");
        self.entries = vec![(own.name.value.clone(), entry)];
        self
    }

    /// The same, holding only items for which a condition holds.
    #[must_use]
    pub fn when(mut self, condition: &str) -> Self {
        for (_, entry) in &mut self.entries {
            *entry = format!(
                "{}, when = \"{condition}\" }}",
                entry.trim_end_matches(" }")
            );
        }
        self
    }
}

/// The key that would answer a pattern; none where an index cannot: a write takes the whole key, and entities that do not share what
/// is asked by share no partition.
pub fn suggestion(model: &Model, access: &Access) -> Option<SuggestedKey> {
    if !access.verb.is_read() || matches!(access.verb, Verb::Batch(_)) {
        return None;
    }
    let entities = access.verb.entities();
    let table = model.entity(entities.first()?.id).table;
    let mut keys = Vec::new();
    for entity in &entities {
        let own = model.entity(entity.id);
        if own.table != table {
            return None;
        }
        let (partition, sort) = templates(access, own, entities.len() == 1)?;
        keys.push((entity.id, partition, sort));
    }
    let number = match (entities.as_slice(), keys.as_slice()) {
        ([one], [(_, partition, _)]) => only_a_number_sorts(access, model.entity(one.id))
            .map(|field| (one.id, partition.clone(), field)),
        _ => None,
    };
    let mut suggested = SuggestedKey::of_entities(model, keys);
    if let Some((entity, partition, field)) = number {
        suggested = suggested.sorting_by(model, entity, &partition, field);
    }
    let when = match entities.as_slice() {
        [one] => when(access, model.entity(one.id)),
        _ => None,
    };
    Some(match when {
        Some(when) => suggested.when(&when),
        None => suggested,
    })
}

/// The condition of a pattern as the `when` of an index, where it is one of fixed values.
pub fn when(access: &Access, entity: &Entity) -> Option<String> {
    let condition = access.condition.as_ref()?;
    let parts: Option<Vec<String>> = condition
        .condition
        .conjuncts()
        .iter()
        .map(|part| match others(part, entity) {
            Some((field, words)) => Some(format!("{field} in ({})", words.join(", "))),
            None => ValueSets::of(part).map(|_| part.to_string()),
        })
        .collect();
    Some(parts?.join(" and "))
}

/// The field that is bounded or sorted by first, if no text sorts as it does: a fraction, or a number below zero. What the caller
/// knows must then all be in the partition.
fn only_a_number_sorts(access: &Access, entity: &Entity) -> Option<FieldId> {
    let order = access.order.iter().flat_map(|order| &order.by);
    let first = access
        .range
        .iter()
        .map(|range| range.id)
        .chain(order.map(|term| term.id))
        .next()?;
    let unsortable = match entity.field(first).kind() {
        FieldType::Decimal => true,
        FieldType::Int { min, .. } => min.is_some_and(|min| min < 0),
        _ => false,
    };
    (unsortable && access.by.len() <= 1).then_some(first)
}

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
fn templates(access: &Access, entity: &Entity, alone: bool) -> Option<(String, String)> {
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

/// An index of the table that none of the entities is in, and whose other keys begin with another text.
fn free_index(
    model: &Model,
    table: &Table,
    entities: &[EntityId],
    prefixes: &[&str],
) -> Option<String> {
    let usable = table.indexes.iter().filter(|index| {
        let sort = index.sort_key.as_ref().map(|key| &key.kind);
        let keys = std::iter::once(&index.partition_key).chain(&index.sort_key);
        let is_field = |name: &str| {
            entities
                .iter()
                .any(|id| model.entity(*id).field_named(name).is_some())
        };
        index.kind == IndexKind::Global
            && matches!(index.projection, Projection::All)
            && index.partition_key.kind == KeyKind::String
            && sort == Some(&KeyKind::String)
            && !keys.into_iter().any(|key| is_field(&key.name))
    });
    let mut names = usable.map(|index| index.name.as_str());
    names
        .find(|name| {
            let mut of_table = model
                .entity_ids()
                .filter(|(_, entity)| std::ptr::eq(model.table(entity.table), table));
            of_table.all(|(id, entity)| {
                let mut keys = entity
                    .index_keys
                    .iter()
                    .filter(|key| key.name.value == *name);
                keys.all(|key| {
                    let own = key.key.partition.prefix();
                    let meets = |prefix: &&str| own.starts_with(prefix) || prefix.starts_with(own);
                    !entities.contains(&id) && !prefixes.iter().any(meets)
                })
            })
        })
        .map(str::to_owned)
}

fn new_index(table: &Table) -> String {
    (1..)
        .map(|number| format!("GSI{number}"))
        .find(|name| table.index_named(name).is_none())
        .unwrap_or_default()
}

/// The text before the first field of a template.
fn literal(template: &str) -> &str {
    template.split('{').next().unwrap_or_default()
}

fn upper(name: &str) -> String {
    name.to_uppercase().replace('-', "_")
}
