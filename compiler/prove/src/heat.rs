//! How busy the busiest partition of every table and index is.
//!
//! Traffic is supposed to follow the data: every stored item is as likely to be asked for or written as any other. But what is written with
//! the time in its partition key is written now: all of it goes to the partition of the current day, or second. There are no more items and
//! values than declared. Guards and counts are written with what they are of, wherever they are. A local index is in the partitions of its
//! table. What a request costs is what the planner says it costs.

mod current;
mod declared;
mod spread;
mod traffic;

use std::collections::{BTreeMap, HashMap};

use tablewright_model::Model;
use tablewright_model::model::{IndexId, IndexKind, TableId};

use crate::record::Record;
use declared::no_more_than_declared;
use spread::Items;
use traffic::{Goes, Load, Traffic, traffic};

/// Read units a second one partition gives.
pub const READ_LIMIT: f64 = 3000.0;

/// Write units a second one partition takes.
pub const WRITE_LIMIT: f64 = 1000.0;

/// The busiest partition of a table or an index.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// The table.
    pub table: String,
    /// The index; none for the table itself, with its local indexes.
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

/// What has partitions of its own: a table with its local indexes, or a global index.
type Spot = (TableId, Option<IndexId>);

/// The heat of every table and global index that has traffic, with the items of a population: best of its larger size.
pub fn heat<'r>(model: &Model, records: impl IntoIterator<Item = &'r Record>) -> Vec<Heat> {
    let by_entity = no_more_than_declared(model, records);
    let items = Items {
        model,
        by_entity: &by_entity,
    };
    let mut spots: BTreeMap<Spot, Vec<Traffic>> = BTreeMap::new();
    for one in traffic(model) {
        spots.entry(spot(model, &one)).or_default().push(one);
    }
    let heats = spots
        .into_iter()
        .filter_map(|(spot, traffic)| busiest(&items, spot, &traffic));
    heats.collect()
}

fn spot(model: &Model, traffic: &Traffic) -> Spot {
    let id = model.entity(traffic.goes.entity).table;
    let table = model.table(id);
    let is_global = |index: &IndexId| table.index(*index).kind == IndexKind::Global;
    (id, traffic.index.filter(is_global))
}

/// Which items traffic goes to, where, and what of them is of now.
type Way<'t> = (&'t Goes, Option<IndexId>, &'t [String]);

fn busiest(items: &Items<'_>, spot: Spot, traffic: &[Traffic]) -> Option<Heat> {
    // Writes of what is current go elsewhere than those of all there is.
    let mut ways: BTreeMap<Way<'_>, (Load, Load)> = BTreeMap::new();
    let mut without_rate: Vec<String> = Vec::new();
    for one in traffic {
        let way = (&one.goes, one.index, one.current.as_slice());
        let (all, rated) = ways.entry(way).or_default();
        all.add(one.load, 1.0);
        if one.is_rated {
            rated.add(one.load, 1.0);
        } else if !without_rate.contains(&one.pattern) {
            without_rate.push(one.pattern.clone());
        }
    }
    let mut partitions: HashMap<String, (Load, Load)> = HashMap::new();
    let mut whole = Load::default();
    for ((goes, index, current), (all, rated)) in ways {
        let counts = items.in_partitions(goes, index, current);
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
    // What is too much at the declared rates is told first. Equally busy ones have an order, so that the same is named every time.
    let is_hot = |rated: &Load| rated.strain() > 1.0;
    let (busiest, (load, rated)) =
        partitions
            .into_iter()
            .max_by(|(a, (a_load, a_rated)), (b, (b_load, b_rated))| {
                is_hot(a_rated)
                    .cmp(&is_hot(b_rated))
                    .then_with(|| a_load.strain().total_cmp(&b_load.strain()))
                    .then_with(|| b.cmp(a))
            })?;
    let table = items.model.table(spot.0);
    let verdict = match (is_hot(&rated), without_rate.is_empty()) {
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
