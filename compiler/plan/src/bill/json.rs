//! A bill for programs.

use serde_json::{Value, json};

use super::{Bill, MONTH, UTILISATION};

impl Bill {
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
                "a_month": one.price,
                "lacks": one.request.as_ref().err(),
            })
        });
        let places = self.places.iter().map(|one| {
            let month = one.used.times(MONTH);
            json!({
                "table": one.table,
                "place": one.name,
                "index": one.place.index.is_some(),
                "billing": one.paid.as_str(),
                "rcu_a_month": month.reads,
                "wcu_a_month": month.writes,
                "rcu_ready": one.ready().map(|ready| ready.reads),
                "wcu_ready": one.ready().map(|ready| ready.writes),
                "requests_a_month": one.requests(&self.prices),
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
            "on_demand_a_month": self.prices.on_demand(self.a_second().times(MONTH)),
            "provisioned_a_month": self.prices.provisioned(self.a_second(), UTILISATION),
            "storage_a_month": self.storage(),
            "beyond_capacity": self.beyond(),
            "complete": self.lacks().is_empty(),
            "lacks": self.lacks(),
        })
    }
}
