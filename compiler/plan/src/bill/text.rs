//! A bill as people read it.

use std::fmt::Write as _;

use super::{Bill, MONTH, PatternBill, Prices, UTILISATION, Units};
use crate::columns::{Align, Columns, with_commas};
use crate::cost::number;

impl Bill {
    /// What every pattern and every table and index costs a month, and the sums.
    pub fn to_text(&self) -> String {
        let prices = &self.prices;
        let mut text = format!(
            "{}: a month at the declared rates, on demand in {} ({}, prices of {})\n\n",
            self.model, prices.region, prices.currency, prices.date
        );
        text.push_str(&self.patterns_text());
        text.push('\n');
        text.push_str(&self.places_text());
        let requests = self.requests();
        let storage = self.storage();
        let _ = write!(
            text,
            "\n{} a month: requests {}, storage {}\nprovisioned instead of on demand, {} % of it used: requests {}\n",
            money(prices, requests + storage),
            money(prices, requests),
            money(prices, storage),
            number(UTILISATION * 100.0),
            money(prices, prices.provisioned(self.a_second())),
        );
        let lacks = self.lacks();
        if !lacks.is_empty() {
            let _ = writeln!(text, "not in the sums: declare {}", lacks.join(", "));
        }
        text
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
            month.map_or_else(unknown, |month| cents(self.prices.on_demand(month))),
        ]
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
            let month = place.a_second().times(MONTH);
            let stored = match &place.bytes {
                Ok(bytes) => gigabytes(*bytes),
                Err(_) => String::from("?"),
            };
            let storage = place.storage(&self.prices);
            columns.row(vec![
                format!("{indent}{}", place.name),
                large(month.reads),
                large(month.writes),
                cents(self.prices.on_demand(month)),
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
        parts.push(format!("{} rcu", grouped(units.reads)));
    }
    if units.writes > 0.0 {
        parts.push(format!("{} wcu", grouped(units.writes)));
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
    let text = format!("{amount:.2}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, "00"));
    format!("{}.{fraction}", with_commas(whole))
}

/// A number of units, with commas and without zeros behind the point.
pub(super) fn grouped(units: f64) -> String {
    let text = number(units);
    match text.split_once('.') {
        Some((whole, fraction)) => format!("{}.{fraction}", with_commas(whole)),
        None => with_commas(&text),
    }
}

/// `236.5 M`: of large numbers the first digits are what one wants to know.
fn large(units: f64) -> String {
    const SCALES: [(f64, &str); 3] = [(1e12, "T"), (1e9, "G"), (1e6, "M")];
    if units == 0.0 {
        return String::from("–");
    }
    match SCALES.iter().find(|(least, _)| units >= *least) {
        Some((least, letter)) => format!("{:.1} {letter}", units / least),
        None => with_commas(&format!("{units:.0}")),
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
        assert_eq!(grouped(768_000.5), "768,000.5");
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
