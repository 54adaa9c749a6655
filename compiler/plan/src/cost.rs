//! Capacity: a formula people can follow, its value where the facts are declared, and what it is at least.

pub(crate) mod cases;
mod change;
mod cost_of;
mod entries;
mod possible;
mod write;

use tablewright_model::model::{
    Access, Consistency, Entity, IndexId, Model, TableId, UnitKind, Verb,
};

use crate::print::exact as number;
use crate::size;
pub use cost_of::CostOf;
pub(crate) use entries::{
    IndexWrite, Written, holds_every_item, index_writes, index_writes_of_counts,
};
pub(crate) use write::{ItemCost, of_guard, of_write, sum, write_blocks};

const READ_UNIT: u64 = 4096;

/// No page has more items.
pub const LARGEST_PAGE: u64 = 1000;

/// What a request costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// Read or write units.
    pub kind: UnitKind,
    /// How it comes about.
    pub formula: String,
    /// The number, when every fact it needs is declared. Of a write it is the most it can be.
    pub units: Option<f64>,
    /// What it is in any case: nothing that is read or written is smaller than one block.
    pub at_least: f64,
    /// The facts it lacks, as the keys to declare.
    pub lacks: Vec<String>,
}

impl Cost {
    pub(crate) fn free() -> Self {
        Cost {
            kind: UnitKind::Read,
            formula: "0".to_owned(),
            units: Some(0.0),
            at_least: 0.0,
            lacks: Vec::new(),
        }
    }

    /// As often as that.
    pub(crate) fn times(self, times: u64) -> Self {
        Cost {
            formula: format!("{times} × {}", self.formula),
            units: self.units.map(|own| own * times as f64),
            at_least: self.at_least * times as f64,
            ..self
        }
    }

    /// Both.
    pub(crate) fn plus(self, other: Cost) -> Self {
        let mut lacks = self.lacks;
        lacks.extend(other.lacks);
        lacks.sort();
        lacks.dedup();
        Cost {
            formula: format!("{} + {}", self.formula, other.formula),
            units: self.units.zip(other.units).map(|(own, other)| own + other),
            at_least: self.at_least + other.at_least,
            lacks,
            ..self
        }
    }

    pub(crate) fn plus_read(self, units: f64) -> Self {
        Cost {
            formula: format!("{} + {}", number(units), self.formula),
            units: self.units.map(|own| own + units),
            at_least: self.at_least + units,
            ..self
        }
    }
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

/// Reading one item by its key.
pub(crate) fn of_item(model: &Model, entity: &Entity, consistency: Consistency) -> Cost {
    let each = factor(consistency);
    let (size_text, units, lacks) = match size::of_item(model, entity, None) {
        Ok(size) => {
            let blocks = size.div_ceil(READ_UNIT);
            (format!("{size} B"), Some(each * blocks as f64), Vec::new())
        }
        Err(lack) => ("size".to_owned(), None, vec![lack]),
    };
    Cost {
        kind: UnitKind::Read,
        formula: format!("{} × ⌈{size_text} / 4 KB⌉", number(each)),
        units,
        at_least: each,
        lacks,
    }
}

/// What the cost of a query depends on.
pub(crate) struct QueryShape {
    pub(crate) index: Option<IndexId>,
    pub(crate) requests: u32,
    pub(crate) consistency: Consistency,
    /// A filter drops some of what is read.
    pub(crate) filtered: bool,
    /// The key is whole: there is one item at most.
    pub(crate) whole_key: bool,
    /// Items a page.
    pub(crate) page: u64,
    /// Every item is fetched from the table, since the index does not hold it.
    pub(crate) fetches: bool,
}

/// A query: what it reads, in blocks of 4 KB, for each of its requests; and what is fetched from the table for it.
pub(crate) fn of_query(
    model: &Model,
    access: &Access,
    entities: &[&Entity],
    query: &QueryShape,
) -> Cost {
    let read = items_read(access, entities, query);
    of_items(model, entities, query, read)
}

/// What a page looks at, at most: as many items of each shard, and one of each at least.
pub(crate) fn of_items_looked_at(
    model: &Model,
    entities: &[&Entity],
    query: &QueryShape,
    looks_at: u64,
) -> Cost {
    let read = of_each_shard(looks_at, query).min(there_are(entities).unwrap_or(u64::MAX));
    of_items(model, entities, query, Ok(read))
}

/// The part of each shard in what a page looks at: one item at least.
fn of_each_shard(looks_at: u64, query: &QueryShape) -> u64 {
    (looks_at / u64::from(query.requests.max(1))).max(1)
}

/// Whether `looks_at` bounds anything: it is less than the model says there are, or no more than a page may have.
pub fn bounds_a_page(model: &Model, access: &Access, looks_at: u64) -> bool {
    let entities = access.verb.entities();
    let entities: Vec<&Entity> = entities.iter().map(|one| model.entity(one.id)).collect();
    looks_at <= LARGEST_PAGE || there_are(&entities).is_some_and(|all| looks_at < all)
}

/// The first entity of a list of which nobody says how many there are.
pub fn without_items<'m>(model: &'m Model, access: &Access) -> Option<&'m Entity> {
    let entities = access.verb.entities();
    let mut entities = entities.iter().map(|one| model.entity(one.id));
    entities.find(|entity| entity.facts.items.is_none())
}

/// How many items there are, as far as that is declared.
fn there_are(entities: &[&Entity]) -> Option<u64> {
    let items = entities.iter().map(|entity| entity.facts.items);
    items.reduce(|all, one| all?.checked_add(one?)).flatten()
}

/// So many items for each request, or the fact that is missing to say how many.
fn of_items(
    model: &Model,
    entities: &[&Entity],
    query: &QueryShape,
    read: Result<u64, String>,
) -> Cost {
    let mut lacks = Vec::new();
    let size = largest(model, entities, query.index, &mut lacks);
    lacks.extend(read.as_ref().err().cloned());
    let each = factor(query.consistency);
    let requests = f64::from(query.requests);
    let times = match query.requests {
        0 | 1 => String::new(),
        several => format!("{several} × "),
    };
    let items_text = read
        .as_ref()
        .map_or_else(|_| "items".to_owned(), u64::to_string);
    let units = match (&read, size, lacks.is_empty()) {
        (Ok(read), Some(size), true) => {
            let blocks = read.saturating_mul(size).div_ceil(READ_UNIT).max(1);
            Some(requests * each * blocks as f64)
        }
        _ => None,
    };
    let of_index = Cost {
        kind: UnitKind::Read,
        formula: format!(
            "{times}{} × ⌈{items_text} × {} / 4 KB⌉",
            number(each),
            shown(size)
        ),
        units,
        at_least: requests * each,
        lacks,
    };
    match query.fetches {
        true => of_index.plus(fetched_items(model, entities, query, read)),
        false => of_index,
    }
}

/// What a local index does not hold: whole items, each in blocks of its own.
pub(crate) fn fetched(
    model: &Model,
    access: &Access,
    entities: &[&Entity],
    query: &QueryShape,
) -> Cost {
    let read = items_read(access, entities, query);
    fetched_items(model, entities, query, read)
}

/// The same of so many items for each request.
fn fetched_items(
    model: &Model,
    entities: &[&Entity],
    query: &QueryShape,
    read: Result<u64, String>,
) -> Cost {
    let mut lacks = Vec::new();
    let size = largest(model, entities, None, &mut lacks);
    lacks.extend(read.as_ref().err().cloned());
    let each = factor(query.consistency);
    let items = read.map(|read| read.saturating_mul(u64::from(query.requests.max(1))));
    let items = items.ok();
    let blocks = size.map(|size| size.div_ceil(READ_UNIT).max(1));
    let items_text = items.map_or_else(|| "items".to_owned(), |items| items.to_string());
    Cost {
        kind: UnitKind::Read,
        formula: format!("{items_text} × {} × ⌈{} / 4 KB⌉", number(each), shown(size)),
        units: items
            .zip(blocks)
            .filter(|_| lacks.is_empty())
            .map(|(items, blocks)| items as f64 * each * blocks as f64),
        at_least: 0.0,
        lacks,
    }
}

fn shown(size: Option<u64>) -> String {
    size.map_or_else(|| "size".to_owned(), |size| format!("{size} B"))
}

/// The largest item of several entities, in the table or in an index.
fn largest(
    model: &Model,
    entities: &[&Entity],
    index: Option<IndexId>,
    lacks: &mut Vec<String>,
) -> Option<u64> {
    let mut largest = None;
    for entity in entities {
        match size::of_item(model, entity, index) {
            Ok(bytes) => largest = Some(largest.unwrap_or(0).max(bytes)),
            Err(lack) => lacks.push(lack),
        }
    }
    largest
}

/// The items one request reads: those it gives, and those its filter drops; and never more than there are, or than a page looks at. Otherwise the fact to
/// declare.
fn items_read(access: &Access, entities: &[&Entity], query: &QueryShape) -> Result<u64, String> {
    let most = there_are(entities).unwrap_or(u64::MAX);
    // A page reads its items, of each shard as many; a count or a search reads all there are, of each shard its part.
    let whole = matches!(access.verb, Verb::Count(_) | Verb::Search { .. });
    let one = matches!(access.verb, Verb::Get(_)) || (whole && query.whole_key);
    let items = match access.returns {
        _ if one => 1,
        Some(returns) if whole => returns.min(most).div_ceil(u64::from(query.requests).max(1)),
        Some(returns) => returns.min(query.page).min(most),
        None if whole => {
            return Err(format!("[access.{}] returns", access.name));
        }
        None => query.page.min(most),
    };
    if !query.filtered {
        return Ok(items);
    }
    let looks_at = access.looks_at;
    let most = looks_at.map_or(most, |looks_at| most.min(of_each_shard(looks_at, query)));
    match access.keeps {
        Some(keeps) if keeps > 0.0 => Ok(((items as f64 / keeps).ceil() as u64).min(most)),
        _ => Err(format!("[access.{}] keeps", access.name)),
    }
}

/// A scan: everything the table holds, of every entity.
pub(crate) fn of_scan(model: &Model, table: TableId, consistency: Consistency) -> Cost {
    let each = factor(consistency);
    let mut bytes: u64 = 0;
    let mut lacks = Vec::new();
    for (_, entity) in model.entities_of(table) {
        match (entity.facts.items, entity.facts.size) {
            (Some(items), Some(size)) => bytes = bytes.saturating_add(items.saturating_mul(size)),
            (items, size) => {
                let missing = [(items, "items"), (size, "size")]
                    .into_iter()
                    .filter(|(fact, _)| fact.is_none());
                lacks.extend(
                    missing.map(|(_, fact)| format!("[entity.{}.facts] {fact}", entity.name)),
                );
            }
        }
    }
    let units = lacks
        .is_empty()
        .then(|| each * bytes.div_ceil(READ_UNIT).max(1) as f64);
    let whole = if units.is_some() {
        format!("{bytes} B")
    } else {
        "the whole table".to_owned()
    };
    Cost {
        kind: UnitKind::Read,
        formula: format!("{} × ⌈{whole} / 4 KB⌉", number(each)),
        units,
        at_least: each,
        lacks,
    }
}
