//! "Did you mean": how far apart two words are, and which of some words is nearest.
//!
//! ```
//! use tablewright_keys::nearest::nearest;
//!
//! assert_eq!(nearest("srot_key", ["partition_key", "sort_key"]), Some("sort_key"));
//! assert_eq!(nearest("banana", ["partition_key", "sort_key"]), None);
//! ```

/// A suggestion for something longer is noise, and measuring it would cost.
const LONGEST: usize = 64;

/// The candidate nearest to `word`, if one is near enough to be a slip of the pen: an edit for every three characters.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance_within(word, candidate, allowed)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many edits lead from one word to the other, if no more than `allowed`. Case does not count, and two swapped
/// neighbours count once.
pub fn distance_within(a: &str, b: &str, allowed: usize) -> Option<usize> {
    if a.len() > LONGEST || b.len() > LONGEST {
        return None;
    }
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    if a.len().abs_diff(b.len()) > allowed {
        return None;
    }
    Some(distance(&a, &b)).filter(|distance| *distance <= allowed)
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substitution = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substitution.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_nonsense_finds_none() {
        let words = ["partition_key", "sort_key", "stream", "ttl"];
        assert_eq!(nearest("partiton_key", words), Some("partition_key"));
        assert_eq!(nearest("srot_key", words), Some("sort_key"));
        assert_eq!(nearest("TTL", words), Some("ttl"));
        assert_eq!(nearest("banana", words), None);
        assert_eq!(nearest(&"x".repeat(100_000), words), None);
    }

    #[test]
    fn the_distance_counts_edits() {
        for (from, to, edits) in [
            ("", "", 0),
            ("size", "size", 0),
            ("SIZE", "size", 0),
            ("", "size", 4),
            ("beginwith", "beginswith", 1),
            ("conatins", "contains", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance_within(from, to, 4), Some(edits), "{from}, {to}");
        }
        assert_eq!(distance_within("kitten", "sitting", 2), None);
    }
}
