//! How busy the busiest partition of every table and index is.
//!
//! Traffic is supposed to follow the data: every stored item is as likely to be asked for or written as any other. But what is written with
//! the time in its partition key is written now: all of it goes to the partition of the current day, or second. What a request costs is what
//! the planner says it costs.

mod current;
mod traffic;

use std::collections::{BTreeMap, HashMap};

use tablewright_model::Model;
use tablewright_model::model::{EntityId, IndexId, Key, TableId};

use crate::indexed::is_in;
use crate::record::{Record, key_value};
use traffic::{Load, Traffic, traffic};

/// Read units a second one partition gives.
pub const READ_LIMIT: f64 = 3000.0;

/// Write units a second one partition takes.
pub const WRITE_LIMIT: f64 = 1000.0;

/// The busiest partition of a table or an index.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// The table.
    pub table: String,
    /// The index; none for the table itself.
    pub index: Option<String>,
    /// How many partition keys there are among the items.
    pub partitions: u64,
    /// The partition key that has most of the traffic.
    pub busiest: String,
    /// Its share of all units that go there, 0 to 1.
    pub share: f64,
    /// The read units a second that go to it, at the declared rates. Of patterns without a rate one request a second is counted.
    pub read_units: f64,
    /// The write units a second that go to it.
    pub write_units: f64,
    /// The patterns that go there and declare no rate.
    pub without_rate: Vec<String>,
    /// What that means.
    pub verdict: Verdict,
}

/// What the busiest partition of a place means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It stays within what one partition can do.
    Cool,
    /// At the declared rates it is more than one partition can do.
    Hot,
    /// Not all patterns that go there declare a rate, and those that do stay within.
    Unknown,
}

impl Verdict {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Cool => "cool",
            Verdict::Hot => "hot",
            Verdict::Unknown => "unknown",
        }
    }
}

/// A table, or an index of it.
pub(crate) type Spot = (TableId, Option<IndexId>);

/// The heat of every table and index that has traffic, with the items of a population: best of its larger size.
pub fn heat<'r>(model: &Model, records: impl IntoIterator<Item = &'r Record>) -> Vec<Heat> {
    let mut by_entity: Vec<Vec<&Record>> = vec![Vec::new(); model.entities.len()];
    for record in records {
        by_entity[record.entity().0].push(record);
    }
    // What counts others is written and asked for with them, and its key is made of fields they have too.
    for (keeper, entity) in model.entity_ids() {
        let mut counted: Vec<EntityId> = entity
            .counters
            .iter()
            .map(|counter| counter.counts.1)
            .collect();
        counted.dedup();
        for counted in counted {
            let counted = by_entity[counted.0].clone();
            by_entity[keeper.0].extend(counted);
        }
    }
    let mut spots: BTreeMap<Spot, Vec<Traffic>> = BTreeMap::new();
    for one in traffic(model) {
        spots.entry(one.spot).or_default().push(one);
    }
    let heats = spots
        .into_iter()
        .filter_map(|(spot, traffic)| busiest(model, &by_entity, spot, &traffic));
    heats.collect()
}

fn busiest(
    model: &Model,
    by_entity: &[Vec<&Record>],
    spot: Spot,
    traffic: &[Traffic],
) -> Option<Heat> {
    // Writes of what is current go elsewhere than those of all there is.
    let mut of_entities: BTreeMap<(EntityId, &[String]), (Load, Load)> = BTreeMap::new();
    let mut without_rate: Vec<String> = Vec::new();
    for one in traffic {
        let written = (one.entity, one.current.as_slice());
        let (all, rated) = of_entities.entry(written).or_default();
        all.add(one.load, 1.0);
        if one.is_rated {
            rated.add(one.load, 1.0);
        } else if !without_rate.contains(&one.pattern) {
            without_rate.push(one.pattern.clone());
        }
    }
    let mut partitions: HashMap<String, (Load, Load)> = HashMap::new();
    let mut whole = Load::default();
    for ((entity, current), (all, rated)) in of_entities {
        let counts = distribution(model, &by_entity[entity.0], (entity, spot.1), current);
        let items: u64 = counts.values().sum();
        for (partition, count) in counts {
            let share = count as f64 / items as f64;
            let load = partitions.entry(partition).or_default();
            load.0.add(all, share);
            load.1.add(rated, share);
        }
        if items > 0 {
            whole.add(all, 1.0);
        }
    }
    let count = partitions.len() as u64;
    // Equally busy ones have an order, so that the same is named every time.
    let (busiest, (load, rated)) =
        partitions
            .into_iter()
            .max_by(|(a, (a_load, _)), (b, (b_load, _))| {
                a_load
                    .strain()
                    .total_cmp(&b_load.strain())
                    .then_with(|| b.cmp(a))
            })?;
    let table = model.table(spot.0);
    let verdict = match (rated.strain() > 1.0, without_rate.is_empty()) {
        (true, _) => Verdict::Hot,
        (false, true) => Verdict::Cool,
        (false, false) => Verdict::Unknown,
    };
    Some(Heat {
        table: table.name.value.clone(),
        index: spot.1.map(|index| table.index(index).name.value.clone()),
        partitions: count,
        busiest,
        share: load.units() / whole.units().max(f64::MIN_POSITIVE),
        read_units: load.read,
        write_units: load.write,
        without_rate,
        verdict,
    })
}

/// How many items of an entity each partition of a place has.
fn distribution(
    model: &Model,
    records: &[&Record],
    (id, index): (EntityId, Option<IndexId>),
    current: &[String],
) -> HashMap<String, u64> {
    let mut counts = HashMap::new();
    for record in records {
        if let Some(partition) = partition_of(model, record, (id, index), current) {
            *counts.entry(partition).or_default() += 1;
        }
    }
    counts
}

fn partition_of(
    model: &Model,
    record: &Record,
    (id, index): (EntityId, Option<IndexId>),
    current: &[String],
) -> Option<String> {
    let entity = model.entity(id);
    let Some(index) = index else {
        return rendered(model, &entity.key, record, current);
    };
    if record.entity() != id {
        return None;
    }
    let mut keys = entity
        .keys_in(index)
        .filter(|key| is_in(model, key, record));
    rendered(model, &keys.next()?.key, record, current)
}

fn rendered(model: &Model, key: &Key, record: &Record, current: &[String]) -> Option<String> {
    let entity = model.entity(record.entity());
    let value = |name: &str| {
        let field = entity.field_named(name)?;
        let stored = record.value(field)?;
        let now = current.iter().any(|one| one == name);
        let now = now.then(|| current::value_of(entity.field(field).kind()));
        key_value(&now.flatten().unwrap_or_else(|| stored.clone()))
    };
    key.partition.typed.render(value).ok()
}
