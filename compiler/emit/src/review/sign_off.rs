//! What people signed: read from the document that is there, and kept as long as the design is the same.

use std::collections::BTreeMap;

/// The blank to sign on.
const BLANK: &str = "____________________";
/// What a signature begins with.
const SIGNED: &str = "Signed:";
/// What is added to a signature for another design; it is taken off again before the next look.
const LAPSED: &str = " *(for another design)*";

/// The signatures of a review, by the words of their line.
pub(super) struct SignOffs {
    by_line: BTreeMap<String, Signature>,
}

/// A signature.
pub(super) struct Signature {
    words: String,
    /// Whether it is for the design as it is.
    pub(super) holds: bool,
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
            let signature = signature.replace(LAPSED, "");
            let words = signature.trim().trim_matches('_').trim();
            if let (Some(line), false) = (line_of.take(), words.is_empty()) {
                let holds = words
                    .split(|c: char| !c.is_ascii_alphanumeric())
                    .any(|word| word == design);
                by_line.insert(
                    line,
                    Signature {
                        words: words.to_owned(),
                        holds,
                    },
                );
            }
        }
        SignOffs { by_line }
    }

    /// The signature of a line.
    pub(super) fn of(&self, line: &str) -> Option<&Signature> {
        self.by_line.get(line)
    }

    /// The lines whose signature holds.
    pub(super) fn holding(&self) -> Vec<String> {
        let holding = self.by_line.iter().filter(|(_, signature)| signature.holds);
        holding.map(|(line, _)| line.clone()).collect()
    }

    /// The line to sign on, or as it is signed.
    pub(super) fn line(&self, line: &str) -> String {
        match self.of(line) {
            None => format!("{SIGNED} {BLANK}"),
            Some(signature) if signature.holds => format!("{SIGNED} {}", signature.words),
            Some(signature) => format!("{SIGNED} {}{LAPSED}", signature.words),
        }
    }
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
  Signed: Charles, 1842, ffffffff *(for another design)*
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
            "Signed: Charles, 1842, ffffffff *(for another design)*"
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
            "Signed: Charles, 1842, ffffffff"
        );
    }
}
