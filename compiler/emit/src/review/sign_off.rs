//! What people signed: read from the document that is there, and kept as long as the design is the same. (S3-54, S3-55)
//!
//! A signature has a name, a day and the design it is for. What lacks one of them is kept as it was written, told what it lacks, and
//! signs nothing.

use std::collections::BTreeMap;

use crate::markdown::and;

/// The blank to sign on.
const BLANK: &str = "____________________";
/// What a signature begins with.
const SIGNED: &str = "Signed:";
/// What is added to a signature for another design; like [`LACKS`], it is taken off again before the next look.
const LAPSED: &str = " *(for another design)*";
/// What begins the note behind something that is no signature.
const LACKS: &str = " *(this signs nothing: ";

/// The signatures of a review, by the words of their line.
pub(super) struct SignOffs {
    by_line: BTreeMap<String, Signature>,
}

/// What stands where a signature belongs.
struct Signature {
    words: String,
    worth: Worth,
}

/// What it is worth.
#[derive(Debug, PartialEq, Eq)]
enum Worth {
    /// Somebody signed for the design as it is.
    Holds,
    /// Somebody signed for another.
    ForAnotherDesign,
    /// It is no signature: these are missing.
    Lacks(Vec<&'static str>),
}

impl SignOffs {
    /// Reads the signatures of a review.
    pub(super) fn read(review: &str, design: &str) -> Self {
        let mut by_line = BTreeMap::new();
        let mut line_of = None;
        for line in review.lines() {
            if let Some(words) = checklist_words(line) {
                line_of = Some(words.to_owned());
                continue;
            }
            let Some(signature) = line.trim_start().strip_prefix(SIGNED) else {
                continue;
            };
            let words = without_note(signature).trim().trim_matches('_').trim();
            if let (Some(line), false) = (line_of.take(), words.is_empty()) {
                let signature = Signature {
                    words: words.to_owned(),
                    worth: worth(words, design),
                };
                by_line.insert(line, signature);
            }
        }
        SignOffs { by_line }
    }

    /// Whether a line is signed for this design.
    pub(super) fn holds(&self, line: &str) -> bool {
        let signature = self.by_line.get(line);
        signature.is_some_and(|signature| signature.worth == Worth::Holds)
    }

    /// The lines whose signature holds.
    pub(super) fn holding(&self) -> Vec<String> {
        let lines = self.by_line.keys();
        lines.filter(|line| self.holds(line)).cloned().collect()
    }

    /// The line to sign on, or as it is signed.
    pub(super) fn line(&self, line: &str) -> String {
        let Some(Signature { words, worth }) = self.by_line.get(line) else {
            return format!("{SIGNED} {BLANK}");
        };
        match worth {
            Worth::Holds => format!("{SIGNED} {words}"),
            Worth::ForAnotherDesign => format!("{SIGNED} {words}{LAPSED}"),
            Worth::Lacks(missing) => {
                let verb = if missing.len() == 1 { "is" } else { "are" };
                format!("{SIGNED} {words}{LACKS}{} {verb} missing)*", and(missing))
            }
        }
    }
}

/// What a person wrote, without what was said of it the last time.
fn without_note(signature: &str) -> &str {
    let note = signature.find(LACKS).or_else(|| signature.find(LAPSED));
    note.map_or(signature, |at| &signature[..at])
}

fn worth(words: &str, design: &str) -> Worth {
    let (mut name, mut day, mut designs) = (false, false, Vec::new());
    for word in words.split(|c: char| c.is_whitespace() || ",;`()".contains(c)) {
        match word {
            word if is_design(word) => designs.push(word),
            word if is_day(word) => day = true,
            word => name = name || word.chars().any(char::is_alphabetic),
        }
    }
    let parts = [
        (name, "a name"),
        (day, "a day as in 2024-01-31"),
        (!designs.is_empty(), "the design"),
    ];
    let missing = parts.iter().filter(|(there, _)| !there);
    let missing: Vec<&'static str> = missing.map(|(_, what)| *what).collect();
    match missing.is_empty() {
        false => Worth::Lacks(missing),
        true if designs.contains(&design) => Worth::Holds,
        true => Worth::ForAnotherDesign,
    }
}

/// Whether a word is a design: eight hexadecimal digits, as the fingerprint has them.
fn is_design(word: &str) -> bool {
    word.len() == 8
        && word
            .chars()
            .all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
}

/// Whether a word is a day of the calendar, `2024-01-31`.
fn is_day(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let digits = |part: &str, many: usize| {
        let all = part.len() == many && part.bytes().all(|c| c.is_ascii_digit());
        all.then(|| part.parse::<u32>().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2))
    else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// The words of a line of the checklist: what is bold behind its box.
fn checklist_words(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("- [")?;
    let rest = rest.get(1..)?.strip_prefix("] **")?;
    rest.split_once(".**").map(|(words, _)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REVIEW: &str = "\
- [ ] **Team consensus on design.** All agree.<br>
  Signed: Ada Lovelace, 1843-07-01, 0123abcd
- [x] **Stakeholder sign-off on requirements.** Theirs.<br>
  Signed: Charles, 1842-10-01, ffffffff *(for another design)*
- [ ] **Phase 1 complete and approved.** Yes.<br>
  Signed: ____________________
";

    #[test]
    fn a_signature_holds_for_its_design() {
        let signed = SignOffs::read(REVIEW, "0123abcd");
        assert_eq!(signed.holding(), ["Team consensus on design"]);
        assert_eq!(
            signed.line("Team consensus on design"),
            "Signed: Ada Lovelace, 1843-07-01, 0123abcd"
        );
        assert_eq!(
            signed.line("Stakeholder sign-off on requirements"),
            "Signed: Charles, 1842-10-01, ffffffff *(for another design)*"
        );
        assert_eq!(
            signed.line("Phase 1 complete and approved"),
            "Signed: ____________________"
        );
        // Back at its design, it holds again.
        let signed = SignOffs::read(REVIEW, "ffffffff");
        assert_eq!(signed.holding(), ["Stakeholder sign-off on requirements"]);
        assert_eq!(
            signed.line("Stakeholder sign-off on requirements"),
            "Signed: Charles, 1842-10-01, ffffffff"
        );
    }

    #[test]
    fn without_a_name_a_day_or_a_design_it_is_no_signature() {
        for (words, missing) in [
            ("0123abcd", "a name and a day as in 2024-01-31 are missing"),
            ("2024-01-31, 0123abcd", "a name is missing"),
            ("Ada, 0123abcd", "a day as in 2024-01-31 is missing"),
            (
                "Ada, 2023-02-29, 0123abcd",
                "a day as in 2024-01-31 is missing",
            ),
            (
                "Ada, some day, 0123abcd",
                "a day as in 2024-01-31 is missing",
            ),
            ("Ada, 2024-01-31", "the design is missing"),
            ("yes", "a day as in 2024-01-31 and the design are missing"),
        ] {
            let review = format!("- [ ] **A line.** Is it so?<br>\n  Signed: {words}\n");
            let read = SignOffs::read(&review, "0123abcd");
            assert!(read.holding().is_empty(), "{words}");
            let told = format!("Signed: {words} *(this signs nothing: {missing})*");
            assert_eq!(read.line("A line"), told);
            // Told once, and gone as soon as what was missing is there.
            let again = review.replace(&format!("Signed: {words}"), &told);
            assert_eq!(SignOffs::read(&again, "0123abcd").line("A line"), told);
        }
        let mended = "- [ ] **A line.** Is it so?<br>\n  Signed: Ada (2024-02-29), `0123abcd` *(this signs nothing: a day is missing)*\n";
        let read = SignOffs::read(mended, "0123abcd");
        assert_eq!(read.line("A line"), "Signed: Ada (2024-02-29), `0123abcd`");
        assert!(read.holds("A line"));
    }
}
