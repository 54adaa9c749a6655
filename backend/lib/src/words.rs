//! Texts as a search compares them: without case, accents and other marks.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// `Ängström` and `ANGSTROM` become one text.
pub(crate) fn folded(text: &str) -> String {
    let bare = text.nfkd().filter(|letter| !is_combining_mark(*letter));
    let mut folded = String::with_capacity(text.len());
    for letter in bare.flat_map(char::to_lowercase) {
        match PLAIN.iter().find(|(special, _)| *special == letter) {
            Some((_, plain)) => folded.push_str(plain),
            None => folded.push(letter),
        }
    }
    folded
}

/// Small letters that are written plainly in capitals or without accents, and that Unicode does not decompose.
const PLAIN: [(char, &str); 12] = [
    ('ß', "ss"),
    ('ς', "σ"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ø', "o"),
    ('ł', "l"),
    ('đ', "d"),
    ('ð', "d"),
    ('þ', "th"),
    ('ħ', "h"),
    ('ŧ', "t"),
    ('ı', "i"),
];

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
        for (one, other) in [
            ("straße", "STRASSE"),
            ("STRAẞE", "strasse"),
            ("οδος", "ΟΔΟΣ"),
            ("Łódź", "lodz"),
            ("smørrebrød", "SMORREBROD"),
            ("Œuvre", "oeuvre"),
            ("Æther", "aether"),
            ("Đorđe", "dorde"),
            ("ﬁn", "FIN"),
            ("İstanbul", "istanbul"),
        ] {
            assert_eq!(folded(one), folded(other), "{one}");
        }
        // A mark alone asks for nothing.
        assert_eq!(words("a \u{301} B"), ["a", "b"]);
    }
}
