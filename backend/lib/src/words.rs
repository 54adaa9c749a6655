//! Texts as a search compares them: without case and accents.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// `Ängström` and `ANGSTROM` become one text. A mark of a script that is not written with accents is a part of its word: a vowel of Devanagari
/// or Thai, the voice of a kana.
pub(crate) fn folded(text: &str) -> String {
    let mut is_accented = true;
    let bare = text.nfkd().filter(|letter| {
        if !is_combining_mark(*letter) {
            is_accented = !letter.is_alphabetic() || has_accents(*letter);
        }
        !(is_combining_mark(*letter) && is_accented)
    });
    let mut folded = String::with_capacity(text.len());
    for letter in bare.flat_map(char::to_lowercase) {
        match PLAIN.iter().find(|(special, _)| *special == letter) {
            Some((_, plain)) => folded.push_str(plain),
            None => folded.push(letter),
        }
    }
    folded.nfc().collect()
}

/// Whether a letter is Latin, Greek or Cyrillic: marks on these are accents.
fn has_accents(letter: char) -> bool {
    matches!(letter,
        '\0'..='\u{52f}' // ASCII, Latin, phonetic letters, Greek, Cyrillic
        | '\u{1c80}'..='\u{1c8f}' // Cyrillic
        | '\u{1d00}'..='\u{1dbf}' // phonetic letters
        | '\u{1e00}'..='\u{1fff}' // Latin, Greek
        | '\u{2c60}'..='\u{2c7f}' // Latin
        | '\u{a640}'..='\u{a69f}' // Cyrillic
        | '\u{a720}'..='\u{a7ff}' // Latin
        | '\u{ab30}'..='\u{ab6f}') // Latin
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
        // Vowel signs and the like are no accents.
        for (one, other) in [
            ("दिन", "दान"),
            ("किताब", "कातिब"),
            ("กัน", "กิน"),
            ("ばば", "はは"),
            ("하", "한"),
        ] {
            assert_ne!(folded(one), folded(other), "{one}");
            assert!(!folded(other).contains(&folded(one)), "{one}");
        }
        // However they are written: in one character or in several.
        assert_eq!(folded("\u{306f}\u{3099}"), folded("\u{3070}"));
        assert_eq!(folded("\u{1112}\u{1161}\u{11ab}"), folded("\u{d55c}"));
        assert_eq!(folded("Йод"), folded("иод"));
        // A mark alone asks for nothing.
        assert_eq!(words("a \u{301} B"), ["a", "b"]);
    }
}
