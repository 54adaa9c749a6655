//! What the page says of costs in general: only what the plans and the proof bear out.

use std::collections::BTreeSet;

use tablewright_emit::proof::{KeptProof, Measured};
use tablewright_model::Model;
use tablewright_plan::print::thousands;

use super::Row;

/// What was measured, in words that follow "Measured".
pub(super) fn measured(rows: &[Row], proof: &KeptProof) -> String {
    let patterns: BTreeSet<&str> = rows
        .iter()
        .flat_map(|row| row.answered_by)
        .copied()
        .collect();
    let (known, unknown): (Vec<&str>, Vec<&str>) = patterns
        .into_iter()
        .partition(|name| proof.patterns.contains_key(*name));
    if known.is_empty() {
        return String::from("waits for `tablewright prove todo --keep`.");
    }
    let that = |test: fn(&Measured) -> bool| -> Vec<&str> {
        let all = known.iter().copied();
        all.filter(|name| test(&proof.patterns[*name])).collect()
    };
    let failed = that(|one| !one.pass);
    let grown = that(|one| one.rcu_large > one.rcu_small);
    let mut words = match proof.sizes() {
        Some((small, large)) => format!(
            "is what the engine reported, for the smaller and for the larger table: in tables of {} and {} items.",
            thousands(small),
            thousands(large)
        ),
        None => String::from("is what the engine reported."),
    };
    for (names, says) in [
        (&failed, "The proof failed for"),
        (&grown, "These cost more in the larger table:"),
        (&unknown, "Not measured yet:"),
    ] {
        if !names.is_empty() {
            words.push_str(&format!(" {says} `{}`.", names.join("`, `")));
        }
    }
    if failed.is_empty() && grown.is_empty() && unknown.is_empty() {
        words.push_str(" No cost grows with the table.");
    }
    let counts = known.iter().filter(|name| name.starts_with("count_"));
    let counts = counts.filter_map(|name| proof.patterns[*name].rcu_large);
    if let Some(most) = counts.reduce(f64::max) {
        words.push_str(&format!(
            " Of the former scans, the counts cost at most {most} RCU."
        ));
    }
    words
}

/// Where the document differs from what is planned.
pub(super) fn differences(model: &Model, requests: &[&str]) -> String {
    let indexes: usize = model.tables.iter().map(|table| table.indexes.len()).sum();
    let scans = requests
        .iter()
        .filter(|request| **request == "Scan")
        .count();
    let scans = match scans {
        0 => String::from("No pattern is a Scan: the"),
        some => format!("Patterns that are a Scan: {some}. The"),
    };
    format!(
        "
Where the document differs:

* A delete takes at least one unit and one for each index that holds the task, never half a unit; a task of four indexes costs five to create, not one (C0-14). Ours has {indexes}, keeps the counts in the same
  transaction, and remembers the answer to the request.
* {scans} counts are kept with the tasks (C0-11), and a search reads one user's tasks (C0-12). What the scans would cost is in [costs.md](costs.md).
* The check for a repeated request reads strongly, because one that has just been answered must be found; that is a whole unit (C0-15).
* Bulk changes are one conditional transaction a task, since `BatchWriteItem` can neither change an item nor keep a condition (C0-13).
"
    )
}
