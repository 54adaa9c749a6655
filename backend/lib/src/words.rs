//! Texts as a search compares them: without case, accents and other marks.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// `Ängström` and `ANGSTROM` become one text.
pub(crate) fn folded(text: &str) -> String {
    text.nfkd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The words of a text, as they are compared.
///
/// A text without words, as one of accents alone, asks for nothing.
pub fn words(text: &str) -> Vec<String> {
    text.split_whitespace()
        .map(folded)
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_accents_do_not_count() {
        assert_eq!(folded("Ångström"), folded("ANGSTROM"));
        assert_eq!(folded("e\u{301}te\u{301}"), folded("Été"));
        assert_ne!(folded("ete"), folded("etes"));
        // A mark alone asks for nothing.
        assert_eq!(words("a \u{301} B"), ["a", "b"]);
    }
}
