//! Proofs for people, for programs, and to be kept.

mod growth;
pub mod json;
pub mod markdown;
mod measure;
pub mod text;

pub use self::measure::Measure;
use tablewright_plan::CostOf;
use tablewright_plan::print::units;

use crate::{Heat, PatternProof};

/// A share of a whole in per cent.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent >= 10.0 {
        format!("{percent:.0} %")
    } else if percent > 0.0 && percent < 0.05 {
        "< 0.1 %".to_owned()
    } else {
        format!("{percent:.1} %")
    }
}

/// What a pattern costs: small and large, and more where every shard is full; or what it writes; of a batch that finds its items both.
fn cost(pattern: &PatternProof) -> String {
    match (pattern.rcu_small, pattern.rcu_large, pattern.wcu) {
        (Some(small), Some(large), Some(wcu)) => {
            let (small, large) = (units(small), units(large));
            format!("{small} → {large} rcu, {} wcu", units(wcu))
        }
        (_, _, Some(wcu)) => format!("{} wcu", units(wcu)),
        (Some(small), Some(large), None) => {
            let full = pattern.rcu_full.filter(|full| *full > small.max(large));
            let full = full.map(|full| format!(", full {}", units(full)));
            let full = full.unwrap_or_default();
            format!("{} → {} rcu{full}", units(small), units(large))
        }
        (Some(small), None, None) => format!("{} rcu", units(small)),
        _ => "–".to_owned(),
    }
}

/// What a request is answered by, and of how much its cost is told.
fn request(pattern: &PatternProof) -> String {
    match pattern.cost_of {
        CostOf::Batch(keys) => format!("{}, {keys} keys", pattern.request),
        CostOf::Key => format!("{}, for each key", pattern.request),
        _ => pattern.request.clone(),
    }
}

/// Where the units of a write went: `notes 1, GSI1 2`; `GSI1 of notes 2` where several tables are written.
fn shares(pattern: &PatternProof) -> Vec<String> {
    let first = pattern.shares.first().map(|share| &share.table);
    let one_table = pattern
        .shares
        .iter()
        .all(|share| Some(&share.table) == first);
    let told = pattern.shares.iter().map(|share| {
        let place = match &share.index {
            Some(index) if one_table => index.clone(),
            index => place(&share.table, index.as_deref()),
        };
        format!("{place} {}", units(share.units))
    });
    told.collect()
}

/// `notes`, or `GSI1 of notes`.
fn place(table: &str, index: Option<&str>) -> String {
    match index {
        Some(index) => format!("{index} of {table}"),
        None => table.to_owned(),
    }
}

fn heated(heat: &Heat) -> String {
    place(&heat.table, heat.index.as_deref())
}

/// `1 pattern`, `2 patterns`.
fn patterns(count: usize) -> String {
    match count {
        1 => "1 pattern".to_owned(),
        several => format!("{several} patterns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_as_people_write_them() {
        assert_eq!(percent(0.0042), "0.4 %");
        assert_eq!(percent(0.0004), "< 0.1 %");
        assert_eq!(percent(0.5), "50 %");
        assert_eq!(place("notes", None), "notes");
        assert_eq!(place("notes", Some("GSI1")), "GSI1 of notes");
    }
}
