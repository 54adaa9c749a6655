//! What a unit costs: one dated file, which a reader may replace by one of another region.

use std::fmt;

use serde_json::Value;

/// Prices of one region on one day.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    /// The day from which they hold.
    pub date: String,
    /// The region.
    pub region: String,
    /// The currency, as `USD`.
    pub currency: String,
    /// A million read units on demand.
    pub million_reads: f64,
    /// A million write units on demand.
    pub million_writes: f64,
    /// A provisioned read unit for an hour.
    pub read_hour: f64,
    /// A provisioned write unit for an hour.
    pub write_hour: f64,
    /// A gigabyte stored for a month.
    pub stored: f64,
    /// A gigabyte that can be restored to any moment, for a month.
    pub recoverable: f64,
}

/// More than anything costs: a greater price is a mistake, and sums of it would be no numbers.
const MOST: f64 = 1e6;

/// Why a file of prices cannot be used.
#[derive(Debug, Clone, PartialEq)]
pub enum PricesError {
    /// It is not JSON.
    NotJson(String),
    /// A price is missing, or is no number from 0 to a million.
    NoPrice(&'static str),
    /// A text is missing.
    NoText(&'static str),
}

impl fmt::Display for PricesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PricesError::NotJson(why) => write!(f, "it is not JSON: {why}"),
            PricesError::NoPrice(at) => {
                write!(f, "`{at}` is missing, or is no number from 0 to 1,000,000")
            }
            PricesError::NoText(at) => write!(f, "`{at}` is missing, or is no text"),
        }
    }
}

impl std::error::Error for PricesError {}

impl Prices {
    /// The prices that come with this program, as a file to copy and change.
    pub const FILE: &'static str = include_str!("prices.json");

    /// The prices that come with this program.
    pub fn built_in() -> Self {
        Prices::parse(Self::FILE).expect("a test reads the file")
    }

    /// Reads a file of prices.
    ///
    /// # Errors
    /// What it lacks.
    pub fn parse(text: &str) -> Result<Self, PricesError> {
        let file: Value =
            serde_json::from_str(text).map_err(|why| PricesError::NotJson(why.to_string()))?;
        let price = |at: &'static str| {
            let found = at.split('.').try_fold(&file, |value, key| value.get(key));
            let price = found.and_then(Value::as_f64);
            let price = price.filter(|price| (0.0..=MOST).contains(price));
            price.ok_or(PricesError::NoPrice(at))
        };
        let words = |at: &'static str| {
            let found = file.get(at).and_then(Value::as_str);
            found.map(str::to_owned).ok_or(PricesError::NoText(at))
        };
        Ok(Prices {
            date: words("date")?,
            region: words("region")?,
            currency: words("currency")?,
            million_reads: price("on_demand.million_read_units")?,
            million_writes: price("on_demand.million_write_units")?,
            read_hour: price("provisioned.read_unit_hour")?,
            write_hour: price("provisioned.write_unit_hour")?,
            stored: price("gigabyte_month.stored")?,
            recoverable: price("gigabyte_month.recoverable")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_comes_along_can_be_read() {
        let prices = Prices::built_in();
        assert_eq!(prices.region, "us-east-1");
        assert!(prices.million_writes > prices.million_reads);
    }

    #[test]
    fn what_a_file_lacks_is_named() {
        assert!(matches!(Prices::parse("{"), Err(PricesError::NotJson(_))));
        let without_date = Prices::FILE.replace("\"date\"", "\"day\"");
        assert_eq!(
            Prices::parse(&without_date),
            Err(PricesError::NoText("date"))
        );
        let negative = Prices::FILE.replace("0.625", "-1");
        assert_eq!(
            Prices::parse(&negative),
            Err(PricesError::NoPrice("on_demand.million_write_units"))
        );
        let endless = Prices::FILE.replace("0.625", "1e308");
        assert_eq!(
            Prices::parse(&endless),
            Err(PricesError::NoPrice("on_demand.million_write_units"))
        );
    }
}
