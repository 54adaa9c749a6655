//! Values that people typed in TypeScript, read as the Rust types.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

use crate::known::{self, MODELS};

/// By model and type, its values.
type Typed = BTreeMap<String, BTreeMap<String, Vec<Value>>>;

/// Every value is read, written as it was, and is what the type's own JSON Schema describes. No type is without values.
pub(crate) fn read(file: &Path) -> anyhow::Result<()> {
    let text = fs::read_to_string(file)?;
    let typed: Typed = serde_json::from_str(&text)?;
    let mut count = 0;
    for known in known::all() {
        let Some(types) = typed.get(known.model) else {
            // The golden models have no services.
            ensure!(
                !MODELS[..4].iter().any(|(name, ..)| *name == known.model),
                "no value of {}",
                known.model
            );
            continue;
        };
        let values = types.get(known.name).filter(|values| !values.is_empty());
        let values =
            values.with_context(|| format!("no value of {} in {}", known.name, known.model))?;
        let schema = (known.schema)();
        let schema = jsonschema::validator_for(&schema)?;
        for value in values {
            let name = format!("{} of {}", known.name, known.model);
            let written =
                (known.through)(value.clone()).with_context(|| format!("{name}: {value}"))?;
            ensure!(
                written == *value,
                "{name} writes {written} where {value} was typed"
            );
            if let Err(error) = schema.validate(value) {
                bail!("{name}: {value}: {error}");
            }
            count += 1;
        }
    }
    println!("   {count} values typed in TypeScript are read");
    Ok(())
}
