//! "Did you mean": the words that would have been right, as a person reads them.

pub use tablewright_keys::nearest::nearest;

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
