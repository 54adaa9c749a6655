//! Proofs for people, for programs, and to be kept.

pub mod json;
pub mod markdown;
pub mod text;

use tablewright_plan::columns::with_commas;

/// A number of units as people write it: no zeros behind the point, and no more than two digits there.
fn units(units: f64) -> String {
    let rounded = (units * 100.0).round() / 100.0;
    format!("{rounded}")
}

/// A number with its thousands apart.
fn thousands(number: u64) -> String {
    with_commas(&number.to_string())
}

/// A share of a whole in per cent.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent >= 10.0 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// What a pattern costs: small and large, or what it writes.
fn cost(pattern: &crate::PatternProof) -> String {
    match (pattern.rcu_small, pattern.rcu_large, pattern.wcu) {
        (_, _, Some(wcu)) => format!("{} wcu", units(wcu)),
        (Some(small), Some(large), None) => format!("{} → {} rcu", units(small), units(large)),
        (Some(small), None, None) => format!("{} rcu", units(small)),
        _ => "–".to_owned(),
    }
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
    fn numbers_are_told_as_people_write_them() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(units(0.5), "0.5");
        assert_eq!(units(13.0), "13");
        assert_eq!(units(1.0 / 3.0), "0.33");
        assert_eq!(percent(0.0042), "0.4 %");
        assert_eq!(percent(0.5), "50 %");
    }
}
