//! What holds, and what does not.

use std::fmt::Display;

/// How many faults of one kind are shown.
const SHOWN: usize = 8;

/// Every invariant with its verdict.
#[derive(Debug, Default)]
pub(crate) struct Verdicts(Vec<Verdict>);

#[derive(Debug)]
struct Verdict {
    about: &'static str,
    what: String,
    note: String,
    faults: Vec<String>,
}

impl Verdicts {
    /// Something that must hold: it does if there are no faults.
    pub(crate) fn hold(
        &mut self,
        about: &'static str,
        what: impl Into<String>,
        note: impl Display,
        faults: Vec<String>,
    ) {
        self.0.push(Verdict {
            about,
            what: what.into(),
            note: note.to_string(),
            faults,
        });
    }

    /// How many do not hold.
    pub(crate) fn broken(&self) -> usize {
        let broken = |verdict: &&Verdict| !verdict.faults.is_empty();
        self.0.iter().filter(broken).count()
    }

    /// All of them, for people.
    pub(crate) fn told(&self) -> String {
        let mut lines = String::new();
        for verdict in &self.0 {
            let Verdict {
                about,
                what,
                note,
                faults,
            } = verdict;
            let mark = if faults.is_empty() { "✓" } else { "✗" };
            let note = if note.is_empty() {
                String::new()
            } else {
                format!(" ({note})")
            };
            lines.push_str(&format!("  {mark} {about:<6} {what}{note}\n"));
            for fault in faults.iter().take(SHOWN) {
                lines.push_str(&format!("      {fault}\n"));
            }
            if faults.len() > SHOWN {
                lines.push_str(&format!("      and {} more\n", faults.len() - SHOWN));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::Verdicts;

    #[test]
    fn what_is_broken_is_counted_and_shown() {
        let mut verdicts = Verdicts::default();
        verdicts.hold("todo", "tasks agree", "3 of them", Vec::new());
        assert_eq!(verdicts.broken(), 0);
        let faults = (0..10).map(|number| format!("fault {number}")).collect();
        verdicts.hold("lake", "silver agrees", "", faults);
        assert_eq!(verdicts.broken(), 1);
        let told = verdicts.told();
        assert!(
            told.contains("✓ todo   tasks agree (3 of them)\n"),
            "{told}"
        );
        assert!(
            told.contains("✗ lake   silver agrees\n      fault 0\n"),
            "{told}"
        );
        assert!(told.contains("and 2 more"), "{told}");
    }
}
