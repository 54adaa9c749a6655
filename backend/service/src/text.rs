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
    if text.trim().is_empty() {
        return Err(String::from("it is blank"));
    }
    match text.chars().find(|letter| letter.is_control()) {
        Some(letter) => Err(control(letter)),
        None => Ok(()),
    }
}

/// Whether a text of several lines has up to `most` characters.
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
    let forbidden = |letter: &char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    match text.chars().find(forbidden) {
        Some(letter) => Err(control(letter)),
        None => Ok(()),
    }
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
        assert!(block("", 1000).is_ok());
        assert!(block(&"😀".repeat(1000), 1000).is_ok());
        assert!(block(&"😀".repeat(1001), 1000).is_err());
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
