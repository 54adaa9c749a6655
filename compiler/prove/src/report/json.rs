//! For programs: `{"models": […], "patterns": […], "heat": […]}`, and of a run what it took.

use serde_json::{Map, Value, json};

use super::{Measure, growth};
use crate::{Few, Growth, Heat, PatternProof, PlaceUnits, Proof};

/// Several proofs in one document, or that of one model, with a newline at its end. The same proofs give the same text.
pub fn render(proofs: &[Proof]) -> String {
    format!("{:#}\n", document(proofs))
}

/// The same with what the run took, which is never the same.
pub fn render_with(proofs: &[Proof], measure: Measure) -> String {
    let mut document = document(proofs);
    let seconds = (measure.time.as_secs_f64() * 1000.0).round() / 1000.0;
    document["run"] = json!({
        "seconds": seconds,
        "peak_memory_bytes": measure.peak_memory,
    });
    format!("{document:#}\n")
}

fn document(proofs: &[Proof]) -> Value {
    let models: Vec<Value> = proofs.iter().map(model).collect();
    let patterns: Vec<Value> = proofs
        .iter()
        .flat_map(|proof| proof.patterns.iter().map(|one| pattern(proof, one)))
        .collect();
    let heat: Vec<Value> = proofs
        .iter()
        .flat_map(|proof| proof.heat.iter().map(|one| heat_of(proof, one)))
        .collect();
    json!({
        "models": models,
        "patterns": patterns,
        "heat": heat,
    })
}

/// What a model was proved with.
fn model(proof: &Proof) -> Value {
    let mut model = json!({
        "model": proof.model,
        "design": proof.design,
        "seed": proof.settings.seed,
        "items": proof.settings.items,
        "pass": proof.passes(),
    });
    if !proof.few.is_empty() {
        model["few"] = proof.few.iter().map(few_of).collect();
    }
    model
}

fn few_of(few: &Few) -> Value {
    json!({
        "entity": few.name,
        "index": few.index.as_ref().map(|(_, name)| name),
        "small": few.small,
        "large": few.large,
        "because": few.because(),
    })
}

/// A table, or an index as `table/index`: two tables may have an index of one name.
fn place(share: &PlaceUnits) -> String {
    match &share.index {
        Some(index) => format!("{}/{index}", share.table),
        None => share.table.clone(),
    }
}

fn pattern(proof: &Proof, pattern: &PatternProof) -> Value {
    let shares: Map<String, Value> = pattern
        .shares
        .iter()
        .map(|share| (place(share), json!(share.units)))
        .collect();
    json!({
        "model": proof.model,
        "pattern": pattern.pattern,
        "request": pattern.request,
        "kind": if pattern.is_write { "write" } else { "read" },
        "calls": pattern.calls,
        "items_small": proof.items_small,
        "items_large": proof.items_large,
        "returned": pattern.returned,
        "expected": pattern.expected,
        "cost_of": pattern.cost_of.to_string(),
        "rcu_small": pattern.rcu_small,
        "rcu_large": pattern.rcu_large,
        "rcu_full": pattern.rcu_full,
        "growth": pattern.growth.iter().map(growth_of).collect::<Vec<_>>(),
        "wcu": pattern.wcu,
        "wcu_by_place": shares,
        "budget": pattern.budget,
        "pass": pattern.passes(),
        "why": pattern.why,
    })
}

fn growth_of(growth: &Growth) -> Value {
    json!({
        "kind": growth::kind(&growth.because),
        "rcu_small": growth.rcu_small,
        "rcu_large": growth.rcu_large,
        "because": growth::reason(growth),
    })
}

fn heat_of(proof: &Proof, heat: &Heat) -> Value {
    json!({
        "model": proof.model,
        "table": heat.table,
        "index": heat.index,
        "partitions": heat.partitions,
        "busiest": heat.busiest,
        "share": rounded(heat.share),
        "read_units": rounded(heat.read_units),
        "write_units": rounded(heat.write_units),
        "without_rate": heat.without_rate,
        "verdict": heat.verdict.as_str(),
    })
}

/// To four digits behind the point: what is added up in another order is still the same.
fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
