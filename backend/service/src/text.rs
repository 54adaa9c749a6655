//! What texts may be.

use crate::problem::{Kind, Problem};

/// What is wrong with the values of a request: all of it, not only the first (S0-48).
#[derive(Debug, Default)]
pub struct Faults {
    within: String,
    told: Vec<(String, String)>,
}

impl Faults {
    /// Nothing yet.
    pub fn new() -> Self {
        Faults::default()
    }

    /// Nothing yet, of values whose names begin so: `filter.`.
    pub fn within(within: &str) -> Self {
        Faults {
            within: within.to_owned(),
            told: Vec::new(),
        }
    }

    /// One more.
    pub fn add(&mut self, field: &str, reason: impl Into<String>) {
        let field = format!("{}{field}", self.within);
        self.told.push((field, reason.into()));
    }

    /// Notes what is wrong with a field, if anything is.
    pub fn note(&mut self, field: &str, checked: Result<(), String>) {
        if let Err(reason) = checked {
            self.add(field, reason);
        }
    }

    /// Goes on if nothing is wrong.
    ///
    /// # Errors
    /// A problem of a kind with every fault.
    pub fn none_of(self, kind: Kind) -> Result<(), Problem> {
        if self.told.is_empty() {
            return Ok(());
        }
        let problem = Problem::new(kind);
        let told = self.told.into_iter();
        Err(told.fold(problem, |problem, (field, reason)| {
            problem.field(field, reason)
        }))
    }
}

/// Whether a text fits into one line of 1 to `most` characters.
///
/// # Errors
/// Why not.
pub fn line(text: &str, most: usize) -> Result<(), String> {
    let length = text.chars().count();
    if !(1..=most).contains(&length) {
        return Err(format!(
            "it has 1 to {most} characters, and this has {length}"
        ));
    }
    if is_blank(text) {
        return Err(String::from("it is blank"));
    }
    match text.chars().find(|letter| letter.is_control()) {
        Some(letter) => Err(control(letter)),
        None => Ok(()),
    }
}

/// Whether a text of several lines has up to `most` characters. It may be empty, but not of characters alone that nobody sees and that are no spaces.
///
/// # Errors
/// Why not.
pub fn block(text: &str, most: usize) -> Result<(), String> {
    let length = text.chars().count();
    if length > most {
        return Err(format!(
            "it has up to {most} characters, and this has {length}"
        ));
    }
    if !text.trim().is_empty() && is_blank(text) {
        return Err(String::from("it is blank"));
    }
    let forbidden = |letter: &char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    match text.chars().find(forbidden) {
        Some(letter) => Err(control(letter)),
        None => Ok(()),
    }
}

/// Whether nobody would see anything of a text: it is empty, or has nothing but spaces and characters that are drawn as nothing.
pub fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|letter| letter.is_whitespace() || is_unseen(letter))
}

/// What is drawn as nothing by itself: Unicode's `Default_Ignorable_Code_Point`, and the letters and patterns that are empty by their own nature.
fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

fn control(letter: char) -> String {
    format!(
        "the control character U+{:04X} is not allowed",
        u32::from(letter)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S0-48
    #[test]
    fn characters_are_counted_not_bytes() {
        assert!(line(&"ä".repeat(200), 200).is_ok());
        assert!(line(&"ä".repeat(201), 200).is_err());
        assert!(line("", 200).is_err());
        assert!(line("  \u{a0}", 200).is_err());
        assert!(line("\u{200b}\u{feff} ", 200).is_err());
        assert!(line("a\u{200d}b", 200).is_ok());
        assert!(block("", 1000).is_ok());
        assert!(block(&"😀".repeat(1000), 1000).is_ok());
        assert!(block(&"😀".repeat(1001), 1000).is_err());
    }

    /// What nobody sees is no text, however long it is; between letters it is: a family of emoji is joined by it.
    #[test]
    fn a_text_of_nothing_to_be_seen_is_blank() {
        for unseen in [
            "\u{200b}",
            "\u{2800}",
            "\u{feff}",
            "\u{ad}",
            "\u{3164}",
            "\u{e0041}",
        ] {
            let text = format!(" {}\u{200d}", unseen.repeat(12));
            assert!(is_blank(&text) && !text.trim().is_empty(), "{unseen:?}");
            assert_eq!(line(&text, 99), Err(String::from("it is blank")));
            assert_eq!(block(&text, 99), Err(String::from("it is blank")));
            let seen = format!("{text}a");
            assert!(line(&seen, 99).is_ok() && block(&seen, 99).is_ok());
        }
        assert!(line("👨\u{200d}👩\u{200d}👧", 9).is_ok() && line("x", 9).is_ok());
        assert!(block("\n ", 9).is_ok(), "several lines may be empty ones");
    }

    #[test]
    fn control_characters_are_refused_and_delimiters_are_not() {
        for letter in ['\0', '\n', '\u{1b}', '\u{7f}', '\u{85}'] {
            assert!(line(&format!("a{letter}b"), 9).is_err(), "{letter:?}");
        }
        for letter in ['\0', '\u{1b}', '\u{7f}'] {
            assert!(block(&format!("a{letter}b"), 9).is_err(), "{letter:?}");
        }
        assert!(block("a\n\tb\r\n", 9).is_ok());
        for text in ["a#b", "#", "%23", "\\", "\u{202e}x", "{}", "'\""] {
            assert!(line(text, 9).is_ok(), "{text}");
        }
    }
}
