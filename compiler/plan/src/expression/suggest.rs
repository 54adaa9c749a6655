//! Did you mean …? For the names of functions.

/// Names people write for functions DynamoDB calls otherwise.
const KNOWN_BY_ANOTHER_NAME: [(&str, &str); 14] = [
    ("exists", "attribute_exists"),
    ("hasattribute", "attribute_exists"),
    ("notexists", "attribute_not_exists"),
    ("ifnotexists", "attribute_not_exists"),
    ("missing", "attribute_not_exists"),
    ("type", "attribute_type"),
    ("startswith", "begins_with"),
    ("prefix", "begins_with"),
    ("includes", "contains"),
    ("has", "contains"),
    ("length", "size"),
    ("len", "size"),
    ("append", "list_append"),
    ("coalesce", "if_not_exists"),
];

/// The known function that is probably meant by `name`, if one is near enough.
pub(super) fn function_meant(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let plain = plain(name);
    let by_spelling = known
        .iter()
        .map(|candidate| (distance(&plain, &self::plain(candidate)), *candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate);
    by_spelling.or_else(|| {
        KNOWN_BY_ANOTHER_NAME
            .iter()
            .find(|(other, meant)| *other == plain && known.contains(meant))
            .map(|(_, meant)| *meant)
    })
}

fn plain(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}

/// How many characters have to be inserted, removed or replaced to get from one to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, from_character) in from.chars().enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, to_character) in row.iter_mut().skip(1).zip(&to) {
            let replaced = diagonal + usize::from(from_character != *to_character);
            diagonal = *cell;
            left = replaced.min(left + 1).min(diagonal + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, function_meant};

    #[test]
    fn the_distance_counts_edits() {
        assert_eq!(distance("", ""), 0);
        assert_eq!(distance("size", "size"), 0);
        assert_eq!(distance("", "size"), 4);
        assert_eq!(distance("beginwith", "beginswith"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn a_function_is_known_by_spelling_case_and_other_names() {
        let known = ["attribute_exists", "begins_with", "contains", "size"];
        assert_eq!(function_meant("beginsWith", &known), Some("begins_with"));
        assert_eq!(function_meant("BEGIN_WITH", &known), Some("begins_with"));
        assert_eq!(function_meant("starts_with", &known), Some("begins_with"));
        assert_eq!(function_meant("contain", &known), Some("contains"));
        assert_eq!(function_meant("exists", &known), Some("attribute_exists"));
        assert_eq!(function_meant("coalesce", &known), None);
        assert_eq!(function_meant("now", &known), None);
    }
}
