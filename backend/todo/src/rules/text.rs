//! What texts are compared by.

use unicode_normalization::UnicodeNormalization as _;

/// A category in Unicode normal form C, so that one that looks the same is the same (C0-3).
pub fn normal_category(text: &str) -> String {
    text.trim().nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C0-3
    #[test]
    fn one_category_has_one_spelling() {
        assert_eq!(normal_category("Cafe\u{301}"), "Café");
        assert_eq!(normal_category("Café"), "Café");
        assert_eq!(normal_category(" home\u{2003}"), "home");
        assert_ne!(normal_category("CAFÉ"), normal_category("Café"));
    }
}
