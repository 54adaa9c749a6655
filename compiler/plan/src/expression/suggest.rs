//! Did you mean …? For the names of functions.

use tablewright_keys::nearest::distance_within;

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
        .filter_map(|candidate| {
            let allowed = candidate.len() / 4;
            let distance = distance_within(&plain, &self::plain(candidate), allowed)?;
            Some((distance, *candidate))
        })
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

#[cfg(test)]
mod tests {
    use super::function_meant;

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
