//! How a table is paid.

use serde_json::{Map, Value};

use super::super::error::ImportError;
use super::Provisioned;
use super::members::{is_nothing, noted, unknown};

/// The units of a provisioned table; none of one that is paid by request.
pub(super) fn read_capacity(
    table: &Map<String, Value>,
    place: &str,
    of: &str,
    lost: &mut Vec<String>,
) -> Result<Option<Provisioned>, ImportError> {
    const SETTINGS: &str = "ProvisionedCapacitySettings";
    let settings = table.get(SETTINGS).unwrap_or(&Value::Null);
    match table.get("BillingMode").map(|mode| mode.as_str()) {
        None | Some(Some("PAY_PER_REQUEST")) => {
            if !is_nothing(settings) {
                lost.push(noted(SETTINGS, of, settings));
            }
            return Ok(None);
        }
        Some(Some("PROVISIONED")) => {}
        Some(_) => {
            let expected = "PAY_PER_REQUEST or PROVISIONED is expected";
            return Err(ImportError::wrong(
                &format!("{place}.BillingMode"),
                expected,
            ));
        }
    }
    let mut settings = Settings {
        all: settings,
        of,
        lost,
    };
    Ok(Some(settings.read()))
}

/// The settings of a table, and the notes on what of them is not kept.
struct Settings<'s> {
    all: &'s Value,
    of: &'s str,
    lost: &'s mut Vec<String>,
}

impl Settings<'_> {
    fn read(&mut self) -> Provisioned {
        const THROUGHPUT: &str = "ProvisionedThroughput";
        const READ: &str = "AutoScalingRead";
        const WRITE: &str = "AutoScalingWrite";
        self.only("", &[THROUGHPUT, READ, WRITE]);
        self.only(THROUGHPUT, &["ReadCapacityUnits", "WriteCapacityUnits"]);
        let targets = [READ, WRITE].map(|scaling| {
            self.only(
                scaling,
                &["ScalableTargetRequest", "ScalingPolicyConfiguration"],
            );
            self.only(
                &format!("{scaling}/ScalableTargetRequest"),
                &[
                    "MinCapacity",
                    "MaxCapacity",
                    "ServiceNamespace",
                    "ScalableDimension",
                ],
            );
            let policy = format!("{scaling}/ScalingPolicyConfiguration");
            self.only(&policy, &["TargetValue"]);
            self.target(&policy)
        });
        // A table of the language has one.
        if let [Some(read), Some(write)] = targets
            && read != write
        {
            self.lost.push(format!(
                "that {} scales writes to {write} percent: reads have {read}",
                self.of
            ));
        }
        let [read, write] = targets;
        Provisioned {
            read: self.range(READ, "ReadCapacityUnits"),
            write: self.range(WRITE, "WriteCapacityUnits"),
            target: read.or(write),
        }
    }

    fn at(&self, path: &str) -> Option<&Value> {
        match path {
            "" => Some(self.all),
            path => self.all.pointer(&format!("/{path}")),
        }
    }

    /// Notes whatever else is there.
    fn only(&mut self, path: &str, known: &[&str]) {
        let of = match path {
            "" => format!("the capacity of {}", self.of),
            path => format!("{} of {}", path.replace('/', "."), self.of),
        };
        let mut notes = Vec::new();
        match self.at(path) {
            Some(Value::Object(members)) => unknown(members, known, &of, &mut notes),
            Some(value) if !is_nothing(value) => notes.push(noted("all", &of, value)),
            _ => {}
        }
        self.lost.extend(notes);
    }

    /// The use that scaling aims at, in percent.
    fn target(&mut self, policy: &str) -> Option<u64> {
        let value = self.at(policy)?.get("TargetValue")?.clone();
        let whole = value.as_f64().filter(|target| target.fract() == 0.0);
        let target = whole.filter(|target| (20.0..=90.0).contains(target));
        if target.is_none() {
            self.lost.push(noted("TargetValue", self.of, &value));
        }
        // It is whole, and at most 90.
        target.map(|target| target as u64)
    }

    /// The fewest and the most units: as scaling has them, else as they are fixed.
    fn range(&mut self, scaling: &str, units: &str) -> Option<(u64, u64)> {
        let target = self
            .at(&format!("{scaling}/ScalableTargetRequest"))
            .cloned();
        let fixed = self.at(&format!("ProvisionedThroughput/{units}")).cloned();
        let bound = |name: &str| {
            target
                .as_ref()
                .and_then(|target| target.get(name)?.as_u64())
        };
        let scaled = bound("MinCapacity").zip(bound("MaxCapacity"));
        let units_fixed = fixed.as_ref().and_then(Value::as_u64);
        let fits = |(fewest, most): &(u64, u64)| {
            1 <= *fewest && fewest <= most && *most <= u64::from(u32::MAX)
        };
        if let Some(target) = target.as_ref().filter(|_| scaled.filter(fits).is_none()) {
            self.lost.push(noted(scaling, self.of, target));
        }
        let range = scaled.filter(fits);
        // What a scaled table begins with is its own affair, unless it is not between the two.
        let between = |range: &(u64, u64)| units_fixed.is_some_and(|units| range.0 == units);
        if let Some(fixed) = fixed.as_ref().filter(|_| {
            range.is_some_and(|range| !between(&range))
                || (range.is_none()
                    && units_fixed
                        .map(|units| (units, units))
                        .filter(fits)
                        .is_none())
        }) {
            self.lost.push(noted(units, self.of, fixed));
        }
        range.or_else(|| units_fixed.map(|units| (units, units)).filter(fits))
    }
}
