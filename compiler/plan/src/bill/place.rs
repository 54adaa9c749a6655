//! What is used of every table and index, and how it is paid for.

use tablewright_model::Model;
use tablewright_model::model::{self, Billing, Capacity, IndexKind, Table, TableId};

use super::{GIGABYTE, MONTH, Prices, Units};
use crate::read::Place;
use crate::size;

/// What is used of a table or an index.
#[derive(Debug, Clone)]
pub struct PlaceBill {
    /// The table or index.
    pub place: Place,
    /// The name of the table it is or belongs to: two tables may have an index of one name.
    pub table: String,
    /// The table's or the index's name.
    pub name: String,
    /// Units a second that are read and written there.
    pub used: Units,
    /// How they are paid for.
    pub paid: Paid,
    /// Units a second that are paid for there: of a provisioned table also those of its local indexes, which have no capacity of their own.
    pub charged: Units,
    /// Bytes it holds, at most; or the facts that have to be declared.
    pub bytes: Result<u64, Vec<String>>,
    /// It can be restored to any moment, which is paid by the gigabyte.
    pub recoverable: bool,
}

/// How requests are paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paid {
    /// Each for itself.
    OnDemand,
    /// By what is kept ready, used or not.
    Provisioned(Capacity),
    /// With its table: a local index of a provisioned table.
    WithTable(Capacity),
}

impl Paid {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Paid::OnDemand => "on-demand",
            Paid::Provisioned(_) => "provisioned",
            Paid::WithTable(_) => "with its table",
        }
    }

    fn of(table: &Table, index: Option<&model::Index>) -> Self {
        match (table.billing, index) {
            (Billing::OnDemand, _) => Paid::OnDemand,
            (Billing::Provisioned, None) => Paid::Provisioned(table.capacity),
            (Billing::Provisioned, Some(index)) if index.kind == IndexKind::Local => {
                Paid::WithTable(table.capacity)
            }
            (Billing::Provisioned, Some(index)) => Paid::Provisioned(index.capacity),
        }
    }

    /// What so many units a second cost a month, if nothing is kept ready beside them.
    pub(super) fn price(self, prices: &Prices, a_second: Units) -> f64 {
        match self {
            Paid::OnDemand => prices.on_demand(a_second.times(MONTH)),
            Paid::Provisioned(capacity) | Paid::WithTable(capacity) => {
                prices.provisioned(a_second, f64::from(capacity.target) / 100.0)
            }
        }
    }
}

impl PlaceBill {
    /// The units that are kept ready, and paid for whether they are used or not: as many as scaling provides for what is used, and neither fewer
    /// nor more than declared.
    pub fn ready(&self) -> Option<Units> {
        let Paid::Provisioned(capacity) = self.paid else {
            return None;
        };
        let share = f64::from(capacity.target) / 100.0;
        let ready = |used: f64, units: model::Units| {
            let wanted = (used / share).ceil();
            wanted.clamp(f64::from(units.fewest), f64::from(units.most))
        };
        Some(Units {
            reads: ready(self.charged.reads, capacity.read),
            writes: ready(self.charged.writes, capacity.write),
        })
    }

    /// What requests cost a month.
    pub fn requests(&self, prices: &Prices) -> f64 {
        match (self.paid, self.ready()) {
            (Paid::OnDemand, _) => prices.on_demand(self.charged.times(MONTH)),
            (_, Some(ready)) => prices.provisioned(ready, 1.0),
            (_, None) => 0.0,
        }
    }

    /// What it is asked for beyond the most it may have: that is refused.
    pub fn beyond(&self) -> Option<String> {
        let ready = self.ready()?;
        let mut told = Vec::new();
        for (used, ready, unit) in [
            (self.charged.reads, ready.reads, "rcu"),
            (self.charged.writes, ready.writes, "wcu"),
        ] {
            if used > ready {
                told.push(format!(
                    "{} needs {used} {unit} a second and has {ready} at most",
                    self.name
                ));
            }
        }
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// What is kept costs a month, when it is known.
    pub fn storage(&self, prices: &Prices) -> Option<f64> {
        let gigabytes = *self.bytes.as_ref().ok()? as f64 / GIGABYTE;
        let recovery = if self.recoverable {
            prices.recoverable
        } else {
            0.0
        };
        Some(gigabytes * (prices.stored + recovery))
    }
}

/// Every table, followed by its indexes, with what it holds.
pub(super) fn places(model: &Model) -> Vec<PlaceBill> {
    let mut places = Vec::new();
    for (position, table) in model.tables.iter().enumerate() {
        let id = TableId(position);
        let mut add = |index: Option<(model::IndexId, &model::Index)>, name: &str| {
            let place = Place {
                table: id,
                index: index.map(|(id, _)| id),
            };
            places.push(PlaceBill {
                place,
                table: table.name.value.clone(),
                name: name.to_owned(),
                used: Units::default(),
                paid: Paid::of(table, index.map(|(_, index)| index)),
                charged: Units::default(),
                bytes: bytes(model, place),
                recoverable: index.is_none() && table.recovery.value,
            });
        };
        add(None, table.name.as_str());
        for index in &table.indexes {
            add(table.index_named(index.name.as_str()), index.name.as_str());
        }
    }
    places
}

/// Adds what is used of every place to where it is paid for.
pub(super) fn charge(places: &mut [PlaceBill]) {
    let used: Vec<(Place, Units)> = places
        .iter()
        .map(|one| match one.paid {
            Paid::WithTable(_) => {
                let table = Place {
                    index: None,
                    ..one.place
                };
                (table, one.used)
            }
            _ => (one.place, one.used),
        })
        .collect();
    for (place, used) in used {
        if let Some(place) = places.iter_mut().find(|one| one.place == place) {
            place.charged = place.charged.plus(used);
        }
    }
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
