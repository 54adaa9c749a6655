//! Capacity: a formula people can follow, and its value where the facts are declared.

use tablewright_model::model::{
    Access, ActionKind, Consistency, Entity, FieldChanges, Model, Projection, UnitKind, Verb,
};

use crate::read::ReadPlan;

const READ_UNIT: u64 = 4096;
const WRITE_UNIT: u64 = 1024;

/// What a request costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// Read or write units.
    pub kind: UnitKind,
    /// How it comes about.
    pub formula: String,
    /// The number, when every fact it needs is declared.
    pub units: Option<f64>,
    /// The facts it lacks, as the keys to declare.
    pub lacks: Vec<String>,
}

impl Cost {
    pub(crate) fn free() -> Self {
        Cost {
            kind: UnitKind::Read,
            formula: "0".to_owned(),
            units: Some(0.0),
            lacks: Vec::new(),
        }
    }

    pub(crate) fn plus_read(self, units: f64) -> Self {
        Cost {
            formula: format!("{} + {}", number(units), self.formula),
            units: self.units.map(|own| own + units),
            ..self
        }
    }
}

/// A number as people write it: no zeros behind the point.
pub(crate) fn number(units: f64) -> String {
    format!("{units}")
}

fn factor(consistency: Consistency) -> f64 {
    match consistency {
        Consistency::Eventual => 0.5,
        Consistency::Strong => 1.0,
    }
}

/// A read of an item of at most 4 KB.
pub(crate) fn small_item(consistency: Consistency) -> f64 {
    factor(consistency)
}

fn size_fact(entity: &Entity) -> Result<u64, String> {
    entity
        .facts
        .size
        .ok_or_else(|| format!("[entity.{}.facts] size", entity.name))
}

/// Reading so many items one by one.
pub(crate) fn of_items(entity: &Entity, consistency: Consistency, items: u64) -> Cost {
    let each = factor(consistency);
    match size_fact(entity) {
        Ok(size) => {
            let blocks = size.div_ceil(READ_UNIT);
            Cost {
                kind: UnitKind::Read,
                formula: format!("{} × ⌈{size} B / 4 KB⌉", number(each)),
                units: Some(each * blocks as f64 * items as f64),
                lacks: Vec::new(),
            }
        }
        Err(lack) => Cost {
            kind: UnitKind::Read,
            formula: format!("{} × ⌈size / 4 KB⌉", number(each)),
            units: None,
            lacks: vec![lack],
        },
    }
}

/// A query: what it reads, in blocks of 4 KB, for each of its requests.
pub(crate) fn of_query(access: &Access, entities: &[&Entity], plan: &ReadPlan) -> Cost {
    let each = factor(plan.consistency);
    let requests = u64::from(plan.requests);
    let mut lacks = Vec::new();
    let mut size = None;
    for entity in entities {
        match size_fact(entity) {
            Ok(bytes) => size = Some(size.unwrap_or(0).max(bytes)),
            Err(lack) => lacks.push(lack),
        }
    }
    // A page reads its items; a count or a search reads all there are.
    let whole = matches!(access.verb, Verb::Count(_) | Verb::Search { .. });
    let items = match access.returns {
        Some(returns) => Some(if whole {
            returns
        } else {
            returns.min(access.page.value)
        }),
        None if whole => {
            lacks.push(format!("[access.{}] returns", access.name));
            None
        }
        None => Some(access.page.value),
    };
    let read = if plan.filter.is_empty() {
        items
    } else {
        match (access.keeps, items) {
            (Some(keeps), Some(items)) if keeps > 0.0 => Some((items as f64 / keeps).ceil() as u64),
            _ => {
                lacks.push(format!("[access.{}] keeps", access.name));
                None
            }
        }
    };
    let times = if requests > 1 {
        format!("{requests} × ")
    } else {
        String::new()
    };
    let items_text = read.map_or_else(|| "items".to_owned(), |read| read.to_string());
    let size_text = size
        .filter(|_| lacks.is_empty() || size.is_some())
        .map_or_else(|| "size".to_owned(), |size| format!("{size} B"));
    let formula = format!(
        "{times}{} × ⌈{items_text} × {size_text} / 4 KB⌉",
        number(each)
    );
    let units = match (read, size, lacks.is_empty()) {
        (Some(read), Some(size), true) => {
            let blocks = (read * size).div_ceil(READ_UNIT).max(1);
            Some(requests as f64 * each * blocks as f64)
        }
        _ => None,
    };
    Cost {
        kind: UnitKind::Read,
        formula,
        units,
        lacks,
    }
}

/// What an index costs when an item of the entity is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IndexWrite {
    pub(crate) index: String,
    /// 1 when the entry is put or rewritten, 2 when its key changes, 0 when it is left alone.
    pub(crate) writes: u64,
}

/// What each index of an entity has to write, at most.
pub(crate) fn index_writes(
    model: &Model,
    entity: &Entity,
    kind: ActionKind,
    changes: &FieldChanges,
) -> Vec<IndexWrite> {
    let table = model.table(entity.table);
    entity
        .index_keys
        .iter()
        .map(|key| {
            let index = table.index(key.index);
            let changed = || changes.set.iter().chain(&changes.add);
            let writes = match kind {
                ActionKind::Create | ActionKind::Delete => 1,
                ActionKind::Update => {
                    let in_when = |name: &str| {
                        let when = key.when.as_ref();
                        when.is_some_and(|when| {
                            when.condition
                                .fields()
                                .iter()
                                .any(|field| field.name == name)
                        })
                    };
                    let moves = changed()
                        .any(|known| key.key.has(known.id) || in_when(known.written.as_str()));
                    // A versioned entity's token changes with every write, and is projected with everything.
                    let copied = match &index.projection {
                        Projection::All => true,
                        Projection::KeysOnly => false,
                        Projection::Fields(fields) => changed().any(|known| {
                            fields
                                .iter()
                                .any(|field| field.value == known.written.value)
                        }),
                    };
                    match (moves, copied) {
                        (true, _) => 2,
                        (false, true) => 1,
                        (false, false) => 0,
                    }
                }
                ActionKind::Check | ActionKind::Get => 0,
            };
            IndexWrite {
                index: index.name.value.clone(),
                writes,
            }
        })
        .collect()
}

/// The units one written item takes: on the table, where a transaction doubles them, and on its indexes, to which
/// a transaction's changes propagate afterwards, at the single price.
#[derive(Debug, Clone)]
pub(crate) struct ItemCost {
    pub(crate) table: Cost,
    pub(crate) indexes: Option<Cost>,
}

/// Write units of one item.
pub(crate) fn of_write(entity: &Entity, indexes: &[IndexWrite]) -> ItemCost {
    let entries: u64 = indexes.iter().map(|index| index.writes).sum();
    ItemCost {
        table: writes_of(entity, 1),
        indexes: (entries > 0).then(|| writes_of(entity, entries)),
    }
}

fn writes_of(entity: &Entity, writes: u64) -> Cost {
    let times = if writes == 1 {
        String::new()
    } else {
        format!("{writes} × ")
    };
    match size_fact(entity) {
        Ok(size) => {
            let blocks = size.div_ceil(WRITE_UNIT);
            Cost {
                kind: UnitKind::Write,
                formula: format!("{times}⌈{size} B / 1 KB⌉"),
                units: Some(writes as f64 * blocks as f64),
                lacks: Vec::new(),
            }
        }
        Err(lack) => Cost {
            kind: UnitKind::Write,
            formula: format!("{times}⌈size / 1 KB⌉"),
            units: None,
            lacks: vec![lack],
        },
    }
}

/// A small item of our own: a guard.
pub(crate) fn of_guard() -> ItemCost {
    ItemCost {
        table: Cost {
            kind: UnitKind::Write,
            formula: "1".to_owned(),
            units: Some(1.0),
            lacks: Vec::new(),
        },
        indexes: None,
    }
}

/// The sum of all items of a write.
pub(crate) fn sum(items: &[ItemCost], transaction: bool) -> Cost {
    let tables: Vec<&Cost> = items.iter().map(|item| &item.table).collect();
    let indexes: Vec<&Cost> = items
        .iter()
        .filter_map(|item| item.indexes.as_ref())
        .collect();
    let join = |costs: &[&Cost]| {
        let formulas: Vec<&str> = costs.iter().map(|cost| cost.formula.as_str()).collect();
        formulas.join(" + ")
    };
    let add = |costs: &[&Cost]| costs.iter().map(|cost| cost.units).sum::<Option<f64>>();
    let mut formula = match (transaction, tables.len()) {
        (false, _) => join(&tables),
        (true, 1) => format!("2 × {}", join(&tables)),
        (true, _) => format!("2 × ({})", join(&tables)),
    };
    if !indexes.is_empty() {
        formula = format!("{formula} + {}", join(&indexes));
    }
    let mut lacks: Vec<String> = tables.iter().flat_map(|cost| cost.lacks.clone()).collect();
    lacks.sort();
    lacks.dedup();
    let times = if transaction { 2.0 } else { 1.0 };
    Cost {
        kind: UnitKind::Write,
        formula,
        units: add(&tables)
            .zip(add(&indexes))
            .map(|(tables, indexes)| times * tables + indexes),
        lacks,
    }
}
