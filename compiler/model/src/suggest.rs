//! "Did you mean": the nearest of the words that would have been right.

/// The candidate nearest to `word`, if one is near enough to be a slip of the pen.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A suggestion for something long is noise, and measuring it would cost.
    if word.len() > 64 {
        return None;
    }
    let allowed = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 64)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A sentence with the suggestion, or with all that would be right when they are few.
pub fn hint<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    if let Some(near) = nearest(word, candidates.clone()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let all: Vec<&str> = candidates.into_iter().collect();
    (!all.is_empty() && all.len() <= 24).then(|| format!("it can be {}", one_of(&all)))
}

/// `a`, `b` or `c`.
pub fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::from("nothing"),
        [only] => format!("`{only}`"),
        [init @ .., last] => {
            let init: Vec<String> = init.iter().map(|word| format!("`{word}`")).collect();
            format!("{} or `{last}`", init.join(", "))
        }
    }
}

/// More than one of what a model has: `indexes`, `entities`, `fields of Task`.
pub(crate) fn plural(what: &str) -> String {
    let (noun, of) = what.find(" of ").map_or((what, ""), |at| what.split_at(at));
    match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies{of}"),
        None if noun.ends_with('x') => format!("{noun}es{of}"),
        None => format!("{noun}s{of}"),
    }
}

/// Edit distance, ignoring case, in which two swapped neighbours count once.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
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
    fn more_than_one() {
        assert_eq!(plural("index"), "indexes");
        assert_eq!(plural("entity"), "entities");
        assert_eq!(plural("access pattern"), "access patterns");
        assert_eq!(plural("field of Entity"), "fields of Entity");
    }
}
