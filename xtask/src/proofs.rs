//! The kept proofs, and what they may take.

use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The memory a proof of a hundred thousand items may take, in bytes. Its time is told and not held: that is the machine's.
const MOST_MEMORY: u64 = 500_000_000;

/// Proves every model again, and holds it to what was kept. The proofs have a hundred thousand items, which a build without optimisation takes
/// ten minutes for.
pub(crate) fn hold() -> anyhow::Result<()> {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--release", "--package"])
        .args(["tablewright-cli", "--", "prove", "--check"])
        .args(["--format", "json"])
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started")?;
    let told: Value = match serde_json::from_slice(&output.stdout) {
        Ok(told) => told,
        Err(_) => bail!("{}", String::from_utf8_lossy(&output.stdout)),
    };
    for failed in failures(&told) {
        println!("{failed}");
    }
    if !output.status.success() {
        bail!("the models are not what their proofs say: run `tablewright prove --keep`");
    }
    println!("took {} s", told["run"]["seconds"]);
    within_memory(&told)
}

/// The patterns that failed, each with why.
fn failures(told: &Value) -> Vec<String> {
    let patterns = told["patterns"].as_array().into_iter().flatten();
    let failed = patterns.filter(|one| one["pass"] != true);
    let told = failed.map(|one| {
        let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
        format!("{} of {}: {}", text("pattern"), text("model"), text("why"))
    });
    told.collect()
}

fn within_memory(told: &Value) -> anyhow::Result<()> {
    // Only where the system tells.
    let Some(peak) = told["run"]["peak_memory_bytes"].as_u64() else {
        return Ok(());
    };
    if peak > MOST_MEMORY {
        bail!("the proofs took {peak} bytes of memory, and may take {MOST_MEMORY}");
    }
    println!("at most {} MB of memory", peak.div_ceil(1_000_000));
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn memory_is_held_where_it_is_told() {
        let told = |bytes: Value| json!({ "run": { "peak_memory_bytes": bytes } });
        assert!(within_memory(&told(json!(499_000_000))).is_ok());
        assert!(within_memory(&told(json!(501_000_000))).is_err());
        assert!(within_memory(&told(Value::Null)).is_ok());
    }

    #[test]
    fn what_failed_is_told() {
        let told = json!({ "patterns": [
            { "model": "notes", "pattern": "note", "pass": true, "why": null },
            { "model": "notes", "pattern": "notes", "pass": false, "why": "it costs 2 rcu" },
        ] });
        assert_eq!(failures(&told), ["notes of notes: it costs 2 rcu"]);
    }
}
