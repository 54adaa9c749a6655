//! Where the units of a pattern are used: on the table, and on every index that is read or written with it.

use tablewright_model::model::{Access, Consistency, Entity, IndexId, Model, Request, UnitKind};

use super::Units;
use crate::hand::HandPlan;
use crate::read::{Operation, Place, ReadPlan};
use crate::write::{ItemRole, WritePlan};
use crate::{Answer, CostOf, Plan, cost, cost_by_hand, hand_cost, items_found, size};

/// Units of one request in one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// The table or index.
    pub place: Place,
    /// Read or write units.
    pub kind: UnitKind,
    /// How many a request.
    pub units: f64,
}

impl Spent {
    fn times(self, times: f64) -> Self {
        Spent {
            units: self.units * times,
            ..self
        }
    }

    /// The units, of their kind.
    pub fn units(&self) -> Units {
        match self.kind {
            UnitKind::Read => Units {
                reads: self.units,
                writes: 0.0,
            },
            UnitKind::Write => Units {
                reads: 0.0,
                writes: self.units,
            },
        }
    }
}

/// Where one request of a pattern uses which units; of a batch, all its items together.
///
/// # Errors
/// What has to be declared, as keys of the model.
pub(crate) fn spread(
    model: &Model,
    access: &Access,
    plan: &Plan,
) -> Result<Vec<Spent>, Vec<String>> {
    let (mut spent, items) = match &plan.answer {
        Answer::Read(read) => (read_units(read)?, items_of(access)?),
        Answer::Write(write) => {
            let mut spent = written(model, write)?;
            if write.reads_first {
                spent.extend(read_first(model, write)?);
            }
            (spent, items_of(access)?)
        }
        Answer::ByHand(hand) => (by_hand(model, access, hand)?, items_of(access)?),
        Answer::Nothing(_) => {
            return Err(vec![format!("a key that answers [access.{}]", access.name)]);
        }
    };
    for spent in &mut spent {
        spent.units *= items;
    }
    if let Answer::Write(write) = &plan.answer
        && let Some(finds) = &write.finds
    {
        spent.extend(found(model, access, write, finds, items)?);
    }
    Ok(spent)
}

/// As often what is planned is spent: once for each item of a batch that is written.
fn items_of(access: &Access) -> Result<f64, Vec<String>> {
    if !matches!(CostOf::of(access), CostOf::Item | CostOf::Key) {
        return Ok(1.0);
    }
    let lack = || vec![format!("[access.{}] returns", access.name)];
    access.returns.map(|items| items as f64).ok_or_else(lack)
}

/// What a read spends where it asks, and on the table what is fetched from there.
fn read_units(read: &ReadPlan) -> Result<Vec<Spent>, Vec<String>> {
    let units = read.cost.units.ok_or_else(|| read.cost.lacks.clone())?;
    let fetched = read.fetched.as_ref().and_then(|fetched| fetched.units);
    let fetched = fetched.unwrap_or_default();
    let table = Place {
        index: None,
        ..read.place
    };
    let mut spent = vec![reads(read.place, units - fetched)];
    if fetched > 0.0 {
        spent.push(reads(table, fetched));
    }
    Ok(spent)
}

fn reads(place: Place, units: f64) -> Spent {
    Spent {
        place,
        kind: UnitKind::Read,
        units,
    }
}

fn table_of(entity: &Entity) -> Place {
    Place {
        table: entity.table,
        index: None,
    }
}

/// The units of every item on its table, where a transaction doubles them, and on its indexes, where it does not.
fn written(model: &Model, plan: &WritePlan) -> Result<Vec<Spent>, Vec<String>> {
    let times = if plan.operation == Operation::TransactWriteItems {
        2.0
    } else {
        1.0
    };
    let mut spent = Vec::new();
    for item in &plan.items {
        let entity = model.entity(item.entity);
        let guard = matches!(item.role, ItemRole::Guard(_));
        let on_table = if guard {
            writes(table_of(entity), 1)
        } else {
            entries(model, entity, None, 1)?
        };
        spent.push(on_table.times(times));
        let table = model.table(entity.table);
        for written in item.entries_each_time(model) {
            if let Some((index, _)) = table.index_named(&written.index) {
                spent.push(entries(model, entity, Some(index), written.dearest)?);
            }
        }
    }
    spent.retain(|spent| spent.units > 0.0);
    Ok(spent)
}

/// So many entries of an item, each in blocks of its own.
fn entries(
    model: &Model,
    entity: &Entity,
    index: Option<IndexId>,
    count: u64,
) -> Result<Spent, Vec<String>> {
    let place = Place {
        table: entity.table,
        index,
    };
    if count == 0 {
        return Ok(writes(place, 0));
    }
    let size = size::of_item(model, entity, index).map_err(lack)?;
    Ok(writes(place, count * cost::write_blocks(size)))
}

fn writes(place: Place, blocks: u64) -> Spent {
    Spent {
        place,
        kind: UnitKind::Write,
        units: blocks as f64,
    }
}

/// What is read before it is changed: eventually, since a condition on what was read holds either way.
fn read_first(model: &Model, plan: &WritePlan) -> Result<Vec<Spent>, Vec<String>> {
    let read = plan.items.iter().filter(|item| item.is_read);
    let read = read.map(|item| {
        let entity = model.entity(item.entity);
        let cost = cost::of_item(model, entity, Consistency::Eventual);
        let units = cost.units.ok_or(cost.lacks)?;
        Ok(reads(table_of(entity), units))
    });
    read.collect()
}

/// What is read to find the items of a batch; and where it writes on a condition, what is paid for those that do not meet it: they are tried
/// like the others, and a write that is refused costs what it would have written to the table.
fn found(
    model: &Model,
    access: &Access,
    write: &WritePlan,
    finds: &ReadPlan,
    items: f64,
) -> Result<Vec<Spent>, Vec<String>> {
    let lack = || vec![format!("[access.{}] keeps", access.name)];
    let found = items_found(access).ok_or_else(lack)? as f64;
    // A page costs so much; as many pages as the items fill.
    let page = finds.page.unwrap_or(1).max(1) as f64;
    let mut spent = read_units(finds)?;
    for spent in &mut spent {
        spent.units *= (found / page).ceil();
    }
    let mut refused = written(model, write)?;
    refused.retain(|spent| spent.place.index.is_none());
    if write.reads_first {
        refused.extend(read_first(model, write)?);
    }
    for spent in &mut refused {
        spent.units *= (found - items).max(0.0);
    }
    refused.retain(|spent| spent.units > 0.0);
    spent.extend(refused);
    Ok(spent)
}

/// What a write by hand names, on the table and on its indexes: no guard, no count, and nothing that is read first.
fn written_by_hand(
    model: &Model,
    access: &Access,
    hand: &HandPlan,
) -> Result<Vec<Spent>, Vec<String>> {
    let times = match hand.request {
        Request::TransactWriteItems => 2.0,
        _ => 1.0,
    };
    let mut spent = Vec::new();
    for (entity, indexes) in hand_cost::written(model, access) {
        spent.push(entries(model, entity, None, 1)?.times(times));
        for index in indexes {
            spent.push(entries(model, entity, Some(index.id), index.dearest)?);
        }
    }
    spent.retain(|spent| spent.units > 0.0);
    Ok(spent)
}

fn by_hand(model: &Model, access: &Access, hand: &HandPlan) -> Result<Vec<Spent>, Vec<String>> {
    if !access.verb.is_read() {
        return written_by_hand(model, access, hand);
    }
    let unknown = || vec![format!("a request that answers [access.{}]", access.name)];
    let cost = cost_by_hand(model, access, hand).ok_or_else(unknown)?;
    let limit = access.by_hand.as_ref().and_then(|by_hand| by_hand.limit);
    // `Limit` counts before the filter: a full page takes as many requests as the filter leaves room for.
    let requests = match (hand.filter.is_some() && limit.is_some(), access.keeps) {
        (false, _) => 1.0,
        (true, Some(keeps)) if keeps > 0.0 => 1.0 / keeps,
        (true, _) => return Err(vec![format!("[access.{}] keeps", access.name)]),
    };
    Ok(vec![Spent {
        place: hand.place,
        kind: cost.kind,
        units: cost.units.ok_or(cost.lacks)? * requests,
    }])
}

fn lack(fact: String) -> Vec<String> {
    vec![fact]
}
