//! What a design costs a month: units of every pattern at its declared rate, units and bytes of every table and index, and
//! the money for both.

mod against;
mod prices;
mod spread;
mod text;

use serde_json::{Value, json};
use tablewright_model::Model;
use tablewright_model::model::{Access, TableId, UnitKind};

use crate::read::Place;
use crate::{Plan, size};
pub use against::{Comparison, lend_load};
pub use prices::{Prices, PricesError};
pub use spread::Spent;

/// Seconds of a month of 730 hours, as bills count them.
pub const MONTH: f64 = 730.0 * 3600.0;
/// The share of provisioned capacity that is used, as autoscaling aims for.
pub const UTILISATION: f64 = 0.7;
const GIGABYTE: f64 = 1_073_741_824.0;

/// What a model costs a month.
#[derive(Debug, Clone)]
pub struct Bill {
    /// The model's name.
    pub model: String,
    /// What is paid for each pattern, in the order of the model.
    pub patterns: Vec<PatternBill>,
    /// What is used of each table, followed by its indexes.
    pub places: Vec<PlaceBill>,
    /// With which prices.
    pub prices: Prices,
}

/// What one pattern costs.
#[derive(Debug, Clone)]
pub struct PatternBill {
    /// Its name.
    pub pattern: String,
    /// Requests a second, when declared.
    pub rate: Option<f64>,
    /// What one request uses where, or what has to be declared to know.
    pub request: Result<Vec<Spent>, Vec<String>>,
}

/// What is used of a table or an index.
#[derive(Debug, Clone)]
pub struct PlaceBill {
    /// The table or index.
    pub place: Place,
    /// The table's or the index's name.
    pub name: String,
    /// Read units a second.
    pub reads: f64,
    /// Write units a second.
    pub writes: f64,
    /// Bytes it holds, at most; or the facts that have to be declared.
    pub bytes: Result<u64, Vec<String>>,
    /// It can be restored to any moment, which is paid by the gigabyte.
    pub recoverable: bool,
}

/// Units of one request, or of a second.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Units {
    /// Read units.
    pub reads: f64,
    /// Write units.
    pub writes: f64,
}

impl Units {
    fn of(spent: &[Spent]) -> Self {
        let sum = |kind| {
            let of_kind = spent.iter().filter(|spent| spent.kind == kind);
            of_kind.fold(0.0, |sum, spent| sum + spent.units)
        };
        Units {
            reads: sum(UnitKind::Read),
            writes: sum(UnitKind::Write),
        }
    }

    fn times(self, times: f64) -> Self {
        Units {
            reads: self.reads * times,
            writes: self.writes * times,
        }
    }
}

impl Prices {
    /// So many units on demand.
    pub fn on_demand(&self, units: Units) -> f64 {
        (units.reads * self.million_reads + units.writes * self.million_writes) / 1e6
    }

    /// So many units a second for a month, provisioned so that [`UTILISATION`] of them is used.
    pub fn provisioned(&self, a_second: Units) -> f64 {
        let hours = MONTH / 3600.0 / UTILISATION;
        hours * (a_second.reads * self.read_hour + a_second.writes * self.write_hour)
    }
}

impl PatternBill {
    /// The units of one request, when they are known.
    pub fn units(&self) -> Option<Units> {
        self.request.as_ref().ok().map(|spent| Units::of(spent))
    }

    /// The units of a month, when they and the rate are known.
    pub fn a_month(&self) -> Option<Units> {
        Some(self.units()?.times(self.rate? * MONTH))
    }
}

impl PlaceBill {
    /// What is kept costs a month, when it is known.
    pub fn storage(&self, prices: &Prices) -> Option<f64> {
        let gigabytes = *self.bytes.as_ref().ok()? as f64 / GIGABYTE;
        let each = prices.stored
            + if self.recoverable {
                prices.recoverable
            } else {
                0.0
            };
        Some(gigabytes * each)
    }

    /// Its units a second.
    pub fn a_second(&self) -> Units {
        Units {
            reads: self.reads,
            writes: self.writes,
        }
    }
}

impl Bill {
    /// The bill of a model, of which `plans` are the plans.
    pub fn of(model: &Model, plans: &[Plan], prices: &Prices) -> Self {
        let patterns: Vec<PatternBill> = model
            .accesses
            .iter()
            .zip(plans)
            .map(|(access, plan)| pattern(model, access, plan))
            .collect();
        let mut places = places(model);
        for (spent, rate) in patterns.iter().flat_map(PatternBill::used) {
            let place = places.iter_mut().find(|one| one.place == spent.place);
            let Some(place) = place else { continue };
            match spent.kind {
                UnitKind::Read => place.reads += spent.units * rate,
                UnitKind::Write => place.writes += spent.units * rate,
            }
        }
        Bill {
            model: model.name.value.clone(),
            patterns,
            places,
            prices: prices.clone(),
        }
    }

    /// The units of a second, of everything that is known.
    pub fn a_second(&self) -> Units {
        let places = self.places.iter().map(PlaceBill::a_second);
        places.fold(Units::default(), |sum, units| Units {
            reads: sum.reads + units.reads,
            writes: sum.writes + units.writes,
        })
    }

    /// What requests cost a month on demand.
    pub fn requests(&self) -> f64 {
        self.prices.on_demand(self.a_second().times(MONTH))
    }

    /// What is kept costs a month, as far as it is known.
    pub fn storage(&self) -> f64 {
        let places = self.places.iter();
        let known = places.filter_map(|place| place.storage(&self.prices));
        known.fold(0.0, |sum, one| sum + one)
    }

    /// What has to be declared before the bill is complete.
    pub fn lacks(&self) -> Vec<String> {
        let mut lacks: Vec<String> = Vec::new();
        for pattern in &self.patterns {
            lacks.extend(
                pattern
                    .request
                    .as_ref()
                    .err()
                    .into_iter()
                    .flatten()
                    .cloned(),
            );
            if pattern.rate.is_none() {
                lacks.push(format!("[access.{}] rate", pattern.pattern));
            }
        }
        for place in &self.places {
            lacks.extend(place.bytes.as_ref().err().into_iter().flatten().cloned());
        }
        lacks.sort();
        lacks.dedup();
        lacks
    }

    /// The bill as JSON.
    pub fn to_json(&self) -> Value {
        let patterns = self.patterns.iter().map(|one| {
            json!({
                "pattern": one.pattern,
                "rate": one.rate,
                "rcu": one.units().map(|units| units.reads),
                "wcu": one.units().map(|units| units.writes),
                "rcu_a_month": one.a_month().map(|units| units.reads),
                "wcu_a_month": one.a_month().map(|units| units.writes),
                "a_month": one.a_month().map(|units| self.prices.on_demand(units)),
                "lacks": one.request.as_ref().err(),
            })
        });
        let places = self.places.iter().map(|one| {
            json!({
                "place": one.name,
                "index": one.place.index.is_some(),
                "rcu_a_month": one.reads * MONTH,
                "wcu_a_month": one.writes * MONTH,
                "requests_a_month": self.prices.on_demand(one.a_second().times(MONTH)),
                "provisioned_a_month": self.prices.provisioned(one.a_second()),
                "bytes": one.bytes.as_ref().ok(),
                "storage_a_month": one.storage(&self.prices),
            })
        });
        json!({
            "model": self.model,
            "prices": {
                "date": self.prices.date,
                "region": self.prices.region,
                "currency": self.prices.currency,
            },
            "patterns": patterns.collect::<Vec<_>>(),
            "places": places.collect::<Vec<_>>(),
            "requests_a_month": self.requests(),
            "provisioned_a_month": self.prices.provisioned(self.a_second()),
            "storage_a_month": self.storage(),
            "lacks": self.lacks(),
        })
    }
}

impl PatternBill {
    /// What it uses where, with how often.
    fn used(&self) -> impl Iterator<Item = (&Spent, f64)> {
        let rate = self.rate.unwrap_or_default();
        let spent = self.request.iter().flatten();
        spent.map(move |spent| (spent, rate))
    }
}

fn pattern(model: &Model, access: &Access, plan: &Plan) -> PatternBill {
    PatternBill {
        pattern: access.name.value.clone(),
        rate: access.rate,
        request: spread::spread(model, access, plan),
    }
}

/// Every table, followed by its indexes, with what it holds.
fn places(model: &Model) -> Vec<PlaceBill> {
    let mut places = Vec::new();
    for (position, table) in model.tables.iter().enumerate() {
        let id = TableId(position);
        let mut add = |index, name: &str| {
            places.push(PlaceBill {
                place: Place { table: id, index },
                name: name.to_owned(),
                reads: 0.0,
                writes: 0.0,
                bytes: bytes(model, Place { table: id, index }),
                recoverable: index.is_none() && table.recovery.value,
            });
        };
        add(None, table.name.as_str());
        for index in &table.indexes {
            let found = table.index_named(index.name.as_str());
            add(found.map(|(id, _)| id), index.name.as_str());
        }
    }
    places
}

/// What a table or index holds at most: all items of the entities in it.
fn bytes(model: &Model, place: Place) -> Result<u64, Vec<String>> {
    let mut bytes: u64 = 0;
    let mut lacks = Vec::new();
    for (_, entity) in model.entities_of(place.table) {
        if place
            .index
            .is_some_and(|index| entity.keys_in(index).next().is_none())
        {
            continue;
        }
        let size = size::of_item(model, entity, place.index);
        match (entity.facts.items, size) {
            (Some(items), Ok(size)) => bytes = bytes.saturating_add(items.saturating_mul(size)),
            (items, size) => {
                lacks.extend(size.err());
                if items.is_none() {
                    lacks.push(format!("[entity.{}.facts] items", entity.name));
                }
            }
        }
    }
    if lacks.is_empty() {
        Ok(bytes)
    } else {
        Err(lacks)
    }
}
