//! The units of writes, on the table and on every index.

use tablewright_model::condition::{Allowed, Condition};
use tablewright_model::model::{
    ActionKind, Entity, FieldChanges, IndexId, IndexKey, Model, Projection, UnitKind,
};

use super::Cost;
use crate::bound::sets_of_all;
use crate::size;

const WRITE_UNIT: u64 = 1024;

/// What an index has to write for an item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IndexWrite {
    pub(crate) id: IndexId,
    pub(crate) index: String,
    /// 1 when the entry is put, deleted or copied anew, 2 when its key changes, 0 when it is left alone.
    pub(crate) writes: u64,
    /// How many of these are sure: of a new or deleted item that cannot be missing in the index.
    sure: u64,
}

/// What each index of an entity has to write, at most.
pub(crate) fn index_writes(
    model: &Model,
    entity: &Entity,
    kind: ActionKind,
    changes: &FieldChanges,
) -> Vec<IndexWrite> {
    let table = model.table(entity.table);
    let writes_of = |key: &IndexKey| match kind {
        ActionKind::Create | ActionKind::Delete => 1,
        ActionKind::Update => writes_of_update(key, &table.index(key.index).projection, changes),
        ActionKind::Check | ActionKind::Get => 0,
    };
    let keys = entity.index_keys.iter();
    keys.map(|key| IndexWrite {
        id: key.index,
        index: table.index(key.index).name.value.clone(),
        writes: writes_of(key),
        sure: match kind {
            ActionKind::Create | ActionKind::Delete => u64::from(holds_every_item(entity, key)),
            _ => 0,
        },
    })
    .collect()
}

/// Whether an index can hold an item that meets a condition. What only completed tasks meet is in no index of open ones.
pub(crate) fn can_hold(entity: &Entity, index: IndexId, condition: &Condition) -> bool {
    let Some(mut sets) = sets_of_all(condition, entity) else {
        return true;
    };
    for key in entity.index_keys.iter().filter(|key| key.index == index) {
        let when = key.when.as_ref();
        let let_in = when.and_then(|when| sets_of_all(&when.condition, entity));
        for (field, allowed) in let_in.into_iter().flat_map(|sets| sets.0) {
            sets.narrow(&field, allowed);
        }
        for field in key.key.field_ids() {
            sets.narrow(entity.field(field).name.as_str(), Allowed::Present);
        }
    }
    let nothing =
        |allowed: &Allowed| matches!(allowed, Allowed::OneOf(values) if values.is_empty());
    !sets.0.values().any(nothing)
}

/// Whether no item of the entity is left out of the index.
pub(crate) fn holds_every_item(entity: &Entity, key: &IndexKey) -> bool {
    let fields = key.key.field_ids();
    key.when.is_none()
        && !fields
            .into_iter()
            .any(|field| entity.field(field).is_optional())
}

/// A changed key is a deletion and a put. Entering or leaving a sparse index is one of the two; what stays is copied
/// anew when something it holds has changed.
fn writes_of_update(key: &IndexKey, projection: &Projection, changes: &FieldChanges) -> u64 {
    let changed = || changes.set.iter().chain(&changes.add);
    if changed().any(|known| key.key.has(known.id)) {
        return 2;
    }
    let sparse = key.when.iter().flat_map(|when| when.condition.fields());
    let enters_or_leaves = sparse
        .into_iter()
        .any(|field| changed().any(|known| known.written.value == field.name));
    let copied = match projection {
        // A versioned entity's token changes with every write, and is projected with everything.
        Projection::All => true,
        Projection::KeysOnly => false,
        Projection::Fields(fields) => changed().any(|known| {
            fields
                .iter()
                .any(|field| field.value == known.written.value)
        }),
    };
    u64::from(enters_or_leaves || copied)
}

/// The units one written item takes: on the table, where a transaction doubles them, and on its indexes, to which
/// a transaction's changes propagate afterwards, at the single price.
#[derive(Debug, Clone)]
pub(crate) struct ItemCost {
    table: Cost,
    indexes: Vec<Cost>,
}

/// Write units of one item.
pub(crate) fn of_write(model: &Model, entity: &Entity, indexes: &[IndexWrite]) -> ItemCost {
    // Indexes of the same size are told together.
    let mut groups: Vec<(Result<u64, String>, u64, u64)> = Vec::new();
    for index in indexes.iter().filter(|index| index.writes > 0) {
        let size = size::of_item(model, entity, Some(index.id));
        match groups.iter_mut().find(|(other, _, _)| *other == size) {
            Some((_, writes, sure)) => {
                *writes += index.writes;
                *sure += index.sure;
            }
            None => groups.push((size, index.writes, index.sure)),
        }
    }
    ItemCost {
        table: writes_of_size(size::of_item(model, entity, None), 1, 1),
        indexes: groups
            .into_iter()
            .map(|(size, writes, sure)| writes_of_size(size, writes, sure))
            .collect(),
    }
}

/// The blocks a written item takes.
pub(crate) fn write_blocks(size: u64) -> u64 {
    size.div_ceil(WRITE_UNIT)
}

fn writes_of_size(size: Result<u64, String>, writes: u64, sure: u64) -> Cost {
    let times = if writes == 1 {
        String::new()
    } else {
        format!("{writes} × ")
    };
    let (size_text, units, lacks) = match size {
        Ok(size) => {
            let blocks = write_blocks(size);
            (
                format!("{size} B"),
                Some(writes as f64 * blocks as f64),
                Vec::new(),
            )
        }
        Err(lack) => ("size".to_owned(), None, vec![lack]),
    };
    Cost {
        kind: UnitKind::Write,
        formula: format!("{times}⌈{size_text} / 1 KB⌉"),
        units,
        at_least: sure as f64,
        lacks,
    }
}

/// A small item of our own: a guard.
pub(crate) fn of_guard() -> ItemCost {
    let table = Cost {
        kind: UnitKind::Write,
        formula: "1".to_owned(),
        units: Some(1.0),
        at_least: 1.0,
        lacks: Vec::new(),
    };
    ItemCost {
        table,
        indexes: Vec::new(),
    }
}

/// The sum of all items of a write.
pub(crate) fn sum(items: &[ItemCost], transaction: bool) -> Cost {
    let tables: Vec<&Cost> = items.iter().map(|item| &item.table).collect();
    let indexes: Vec<&Cost> = items.iter().flat_map(|item| &item.indexes).collect();
    let join = |costs: &[&Cost]| {
        let formulas: Vec<&str> = costs.iter().map(|cost| cost.formula.as_str()).collect();
        formulas.join(" + ")
    };
    let add = |costs: &[&Cost]| costs.iter().map(|cost| cost.units).sum::<Option<f64>>();
    let least = |costs: &[&Cost]| costs.iter().map(|cost| cost.at_least).sum::<f64>();
    let mut formula = match (transaction, tables.len()) {
        (false, _) => join(&tables),
        (true, 1) => format!("2 × {}", join(&tables)),
        (true, _) => format!("2 × ({})", join(&tables)),
    };
    if !indexes.is_empty() {
        formula = format!("{formula} + {}", join(&indexes));
    }
    let all = tables.iter().chain(&indexes);
    let mut lacks: Vec<String> = all.flat_map(|cost| cost.lacks.clone()).collect();
    lacks.sort();
    lacks.dedup();
    let times = if transaction { 2.0 } else { 1.0 };
    let units = add(&tables).zip(add(&indexes));
    Cost {
        kind: UnitKind::Write,
        formula,
        units: units.map(|(tables, indexes)| times * tables + indexes),
        at_least: times * least(&tables) + least(&indexes),
        lacks,
    }
}
