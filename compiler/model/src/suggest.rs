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

/// More than one of what a model has: `indexes`, `entities`, `fields of Task`.
pub(crate) fn plural(what: &str) -> String {
    let (noun, of) = what.find(" of ").map_or((what, ""), |at| what.split_at(at));
    match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies{of}"),
        None if noun.ends_with('x') => format!("{noun}es{of}"),
        None => format!("{noun}s{of}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_one() {
        assert_eq!(plural("index"), "indexes");
        assert_eq!(plural("entity"), "entities");
        assert_eq!(plural("access pattern"), "access patterns");
        assert_eq!(plural("field of Entity"), "fields of Entity");
    }
}
