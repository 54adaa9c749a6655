//! The key that would answer a pattern no key answers.

mod place;
mod templates;

use std::fmt;

use tablewright_model::condition::ValueSets;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Entity, EntityId, FieldId, Model, Verb};

use self::place::{free_index, literal, new_index};
use self::templates::templates;
pub use self::templates::{FEW_VALUES, shard_part};
use crate::bound::others;

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
