//! The units of writes, on the table and on every index.

use tablewright_model::model::{Entity, Model, UnitKind};

use super::{Cost, IndexWrite};
use crate::size;

const WRITE_UNIT: u64 = 1024;

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
    for index in indexes.iter().filter(|index| index.dearest > 0) {
        let size = size::of_item(model, entity, Some(index.id));
        match groups.iter_mut().find(|(other, _, _)| *other == size) {
            Some((_, writes, sure)) => {
                *writes += index.dearest;
                *sure += index.sure;
            }
            None => groups.push((size, index.dearest, index.sure)),
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
