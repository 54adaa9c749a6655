//! A bill as people read it.

use std::fmt::Write as _;

use super::{Bill, MONTH, Paid, PatternBill, Prices, UTILISATION, Units};
use crate::print::{Align, Columns, exact as number, grouped};

impl Bill {
    /// What every pattern and every table and index costs a month, and the sums.
    pub fn to_text(&self) -> String {
        let prices = &self.prices;
        let mut text = format!(
            "{}: a month at the declared rates{} in {} ({}, prices of {})\n\n",
            self.model,
            if self.is_on_demand() {
                ", on demand"
            } else {
                ""
            },
            prices.region,
            prices.currency,
            prices.date
        );
        text.push_str(&self.patterns_text());
        text.push('\n');
        text.push_str(&self.places_text());
        text.push('\n');
        // Before any sum, which is of what is served.
        let beyond = self.beyond();
        for beyond in &beyond {
            let _ = writeln!(text, "{beyond}: the rest is throttled");
        }
        if !beyond.is_empty() {
            text.push_str("without what is throttled, ");
        }
        text.push_str(&self.sums());
        let lacks = self.lacks();
        if !lacks.is_empty() {
            let _ = writeln!(text, "not in the sums: declare {}", lacks.join(", "));
        }
        text
    }

    /// The sums, and what they would be otherwise. Of what is not wholly known they are the least; of nothing there are none.
    fn sums(&self) -> String {
        let prices = &self.prices;
        let (requests, storage) = (self.requests(), self.storage());
        let sums = |requests: String, storage: String| {
            let sum = money(prices, self.requests() + self.storage());
            format!("{sum} a month: requests {requests}, storage {storage}\n")
        };
        let known_requests = self.patterns.iter().any(|one| one.price.is_some());
        let known_storage = self.places.iter().any(|place| place.bytes.is_ok());
        if self.lacks().is_empty() {
            let sums = sums(money(prices, requests), money(prices, storage));
            return format!("{sums}{}\n", self.otherwise());
        }
        if !known_requests && !known_storage && self.is_on_demand() {
            return "what a month costs is not known: no pattern has a rate and a cost, and no entity says how many items it has\n".to_owned();
        }
        let known = |known: bool, amount: f64| match known {
            true => money(prices, amount),
            false => "not known".to_owned(),
        };
        let sums = sums(
            known(known_requests || !self.is_on_demand(), requests),
            known(known_storage, storage),
        );
        format!("at least {sums}")
    }

    /// What the other way of paying would cost.
    fn otherwise(&self) -> String {
        let prices = &self.prices;
        if self.is_on_demand() {
            let requests = prices.provisioned(self.a_second(), UTILISATION);
            return format!(
                "provisioned instead of on demand, {} % of it used: requests {}",
                number(UTILISATION * 100.0),
                money(prices, requests)
            );
        }
        let requests = prices.on_demand(self.a_second().times(MONTH));
        format!(
            "all on demand instead: requests {}",
            money(prices, requests)
        )
    }

    fn patterns_text(&self) -> String {
        use Align::{Left, Right};
        let mut columns = Columns::new(&[
            ("pattern", Left),
            ("a second", Right),
            ("a request", Right),
            ("units a month", Right),
            (&self.prices.currency, Right),
        ]);
        for pattern in &self.patterns {
            columns.row(self.pattern_row(pattern));
        }
        columns.to_text()
    }

    fn pattern_row(&self, pattern: &PatternBill) -> Vec<String> {
        let unknown = || String::from("?");
        let month = pattern.a_month();
        vec![
            pattern.pattern.clone(),
            pattern.rate.map_or_else(unknown, number),
            pattern.units().map_or_else(unknown, units),
            month.map_or_else(unknown, |month| large(month.reads + month.writes)),
            pattern.price.map_or_else(unknown, cents),
        ]
    }

    /// Whether it is known of every pattern what a month of it costs.
    fn has_all_requests(&self) -> bool {
        self.patterns.iter().all(|one| one.price.is_some())
    }

    fn places_text(&self) -> String {
        use Align::{Left, Right};
        let mut columns = Columns::new(&[
            ("table, index", Left),
            ("rcu a month", Right),
            ("wcu a month", Right),
            ("requests", Right),
            ("stored", Right),
            ("storage", Right),
        ]);
        for place in &self.places {
            let indent = if place.place.index.is_some() {
                "  "
            } else {
                ""
            };
            let month = place.used.times(MONTH);
            let stored = match &place.bytes {
                Ok(bytes) => gigabytes(*bytes),
                Err(_) => String::from("?"),
            };
            let storage = place.storage(&self.prices);
            let requests = match (place.paid, place.ready()) {
                (Paid::WithTable(_), _) => String::from("with its table"),
                (_, Some(ready)) => format!(
                    "{} rcu, {} wcu ready {}",
                    grouped(&number(ready.reads)),
                    grouped(&number(ready.writes)),
                    cents(place.requests(&self.prices))
                ),
                // What is not known of a pattern may be of this place.
                _ if place.used == Units::default() && !self.has_all_requests() => {
                    String::from("?")
                }
                _ => cents(place.requests(&self.prices)),
            };
            columns.row(vec![
                format!("{indent}{}", place.name),
                large(month.reads),
                large(month.writes),
                requests,
                stored,
                storage.map_or_else(|| String::from("?"), cents),
            ]);
        }
        columns.to_text()
    }
}

/// `1.5 rcu`, `11 wcu`, or both.
pub(super) fn units(units: Units) -> String {
    let mut parts = Vec::new();
    if units.reads > 0.0 {
        parts.push(format!("{} rcu", grouped(&number(units.reads))));
    }
    if units.writes > 0.0 {
        parts.push(format!("{} wcu", grouped(&number(units.writes))));
    }
    if parts.is_empty() {
        parts.push(String::from("0"));
    }
    parts.join(" + ")
}

/// `$29.57`, or `EUR 29.57`.
pub(super) fn money(prices: &Prices, amount: f64) -> String {
    match prices.currency.as_str() {
        "USD" => format!("${}", cents(amount)),
        other => format!("{other} {}", cents(amount)),
    }
}

/// `29.57`, with commas from a thousand on.
pub(super) fn cents(amount: f64) -> String {
    grouped(&format!("{amount:.2}"))
}

/// `236.5 M`: of large numbers the first digits are what one wants to know.
fn large(units: f64) -> String {
    const SCALES: [(f64, &str); 3] = [(1e12, "T"), (1e9, "G"), (1e6, "M")];
    if units == 0.0 {
        return String::from("–");
    }
    match SCALES.iter().find(|(least, _)| units >= *least) {
        Some((least, letter)) => format!("{:.1} {letter}", units / least),
        None => grouped(&format!("{units:.0}")),
    }
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.2} GB", bytes as f64 / super::GIGABYTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_read_them() {
        assert_eq!(cents(1_234_567.891), "1,234,567.89");
        assert_eq!(cents(0.0), "0.00");
        assert_eq!(large(236_520_000.0), "236.5 M");
        assert_eq!(large(999.0), "999");
        assert_eq!(
            units(Units {
                reads: 0.5,
                writes: 11.0
            }),
            "0.5 rcu + 11 wcu"
        );
    }
}
