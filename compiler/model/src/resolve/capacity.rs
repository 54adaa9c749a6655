//! Provisioned capacity of tables and indexes.

use super::Resolver;
use crate::model::{Capacity, Units};
use crate::source::CapacitySource;
use crate::span::Text;

/// What DynamoDB's scaling can aim at, in percent.
const TARGETS: std::ops::RangeInclusive<u64> = 20..=90;

impl Resolver<'_> {
    /// What is written, and the rest as given.
    pub(super) fn capacity(&mut self, source: Option<&CapacitySource>, rest: Capacity) -> Capacity {
        let Some(source) = source else {
            return rest;
        };
        let mut capacity = rest;
        if let Some(read) = &source.read {
            capacity.read = self.units(read).unwrap_or(rest.read);
        }
        if let Some(write) = &source.write {
            capacity.write = self.units(write).unwrap_or(rest.write);
        }
        if let Some(target) = source.target {
            match u8::try_from(target.value) {
                Ok(percent) if TARGETS.contains(&target.value) => capacity.target = percent,
                _ => self.fault(
                    "bad-value",
                    target.span,
                    "scaling aims at a use of 20 to 90 percent",
                    "write a number from 20 to 90; 70 leaves room for a rise",
                ),
            }
        }
        capacity
    }

    /// `"5..100"`, or `"5"` where nothing scales.
    fn units(&mut self, written: &Text) -> Option<Units> {
        let (fewest, most) = match written.value.split_once("..") {
            Some(ends) => ends,
            None => (written.as_str(), written.as_str()),
        };
        let units = fewest.trim().parse().ok().zip(most.trim().parse().ok());
        match units {
            Some((fewest, most)) if 1 <= fewest && fewest <= most => Some(Units { fewest, most }),
            _ => {
                self.fault(
                    "bad-value",
                    written.content(),
                    format!("`{written}` is no range of capacity units"),
                    "write the fewest and the most, from 1 on: \"5..100\"",
                );
                None
            }
        }
    }
}
