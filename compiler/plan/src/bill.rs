//! What a design costs a month: units of every pattern at its declared rate, units and bytes of every table and index, and
//! the money for both.

mod against;
mod json;
mod place;
mod prices;
mod spread;
mod text;

use tablewright_model::Model;
use tablewright_model::model::Access;

use crate::Plan;
pub use against::{Comparison, lend_load};
pub use place::{Paid, PlaceBill};
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
    /// What a month of it costs, when units and rate are known: of a provisioned table, its part of what has to be ready.
    pub price: Option<f64>,
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
        let spent = spent.iter().map(Spent::units);
        spent.fold(Units::default(), Units::plus)
    }

    fn plus(self, other: Units) -> Self {
        Units {
            reads: self.reads + other.reads,
            writes: self.writes + other.writes,
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

    /// So many units a second for a month, provisioned so that this share of them is used.
    pub fn provisioned(&self, a_second: Units, used: f64) -> f64 {
        let hours = MONTH / 3600.0 / used;
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

impl Bill {
    /// The bill of a model, of which `plans` are the plans.
    pub fn of(model: &Model, plans: &[Plan], prices: &Prices) -> Self {
        let mut patterns: Vec<PatternBill> = model
            .accesses
            .iter()
            .zip(plans)
            .map(|(access, plan)| pattern(model, access, plan))
            .collect();
        let mut places = place::places(model);
        for pattern in &mut patterns {
            pattern.price = pattern.priced(&places, prices);
        }
        for (spent, rate) in patterns.iter().flat_map(PatternBill::used) {
            let place = places.iter_mut().find(|one| one.place == spent.place);
            let Some(place) = place else { continue };
            place.used = place.used.plus(spent.units().times(rate));
        }
        place::charge(&mut places);
        Bill {
            model: model.name.value.clone(),
            patterns,
            places,
            prices: prices.clone(),
        }
    }

    /// The units of a second, of everything that is known.
    pub fn a_second(&self) -> Units {
        let places = self.places.iter().map(|place| place.used);
        places.fold(Units::default(), Units::plus)
    }

    /// What requests cost a month, each table by its own billing.
    pub fn requests(&self) -> f64 {
        let places = self.places.iter();
        places.fold(0.0, |sum, place| sum + place.requests(&self.prices))
    }

    /// Whether every table is paid on demand.
    pub fn is_on_demand(&self) -> bool {
        self.places.iter().all(|place| place.paid == Paid::OnDemand)
    }

    /// What is asked of provisioned tables and indexes beyond the most they may have.
    pub fn beyond(&self) -> Vec<String> {
        self.places.iter().filter_map(PlaceBill::beyond).collect()
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
}

impl PatternBill {
    fn priced(&self, places: &[PlaceBill], prices: &Prices) -> Option<f64> {
        self.rate?;
        self.request.as_ref().ok()?;
        let paid = |spent: &Spent| {
            let mut places = places.iter();
            let place = places.find(|place| place.place == spent.place);
            place.map_or(Paid::OnDemand, |place| place.paid)
        };
        let used = self.used();
        Some(used.fold(0.0, |sum, (spent, rate)| {
            sum + paid(spent).price(prices, spent.units().times(rate))
        }))
    }

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
        price: None,
    }
}
