use std::sync::LazyLock;

use crate::CharSet;

/// Lower-cases a value as the `lower` encoding does: each character by itself.
///
/// A character becomes its Unicode lower case when that is a single character and stays as it is otherwise
/// (only `İ`). No character depends on its neighbours (a final `Σ` is `σ`, not `ς`), so the number of
/// characters stays the same, and other languages can do exactly the same per code point.
///
/// ```
/// assert_eq!(tablewright_keys::to_lower("Ann@Example.ORG"), "ann@example.org");
/// ```
pub fn to_lower(value: &str) -> String {
    value.chars().map(lower_char).collect()
}

fn lower_char(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only,
        _ => c,
    }
}

/// Every character that `lower` changes, with what it becomes.
static CHANGED: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    // Cased scripts end well below U+20000; what follows are ideographs, tags and private use.
    let candidates = ('\0'..'\u{20000}').map(|c| (c, lower_char(c)));
    candidates.filter(|(from, to)| from != to).collect()
});

/// The characters that lower-casing a text over `chars` can give, exactly.
pub(crate) fn lowered(chars: &CharSet) -> CharSet {
    let (changed, becomes): (Vec<_>, Vec<_>) = CHANGED
        .iter()
        .filter(|(from, _)| chars.contains(*from))
        .copied()
        .unzip();
    let one = |c: char| c..=c;
    let changed = CharSet::ranges(changed.into_iter().map(one));
    chars
        .without(&changed)
        .union(&CharSet::ranges(becomes.into_iter().map(one)))
}

/// Whether lower-casing changes any text over `chars`.
pub(crate) fn changes(chars: &CharSet) -> bool {
    CHANGED.iter().any(|(from, _)| chars.contains(*from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_lowered_one_by_one() {
        assert_eq!(to_lower("ÀΣ İ"), "àσ İ");
        assert_eq!(to_lower("ΑΣ").chars().count(), 2);
    }

    #[test]
    fn the_lowered_set_is_the_image_of_the_set() {
        assert_eq!(
            lowered(&CharSet::from_chars("AbC-Σ")),
            CharSet::from_chars("abc-σ")
        );
        let any = lowered(&CharSet::any());
        assert!(!any.contains('A') && any.contains('a') && any.contains('İ') && any.contains('#'));
    }

    #[test]
    fn nothing_above_the_searched_planes_has_a_lower_case() {
        assert!(('\u{20000}'..=char::MAX).all(|c| lower_char(c) == c));
    }

    #[test]
    fn sets_without_upper_case_are_unchanged() {
        assert!(!changes(&CharSet::from_chars("abc#1")));
        assert!(changes(&CharSet::ascii_id()));
    }
}
