//! Where another implementation is known to differ, and whether it still does.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fmt, fs};

use anyhow::{Context, bail};

use super::suite::Outcomes;

/// The tests that fail on an implementation, each with the reason.
#[derive(Debug, Default)]
pub(super) struct Differences(BTreeMap<String, String>);

impl Differences {
    /// Those in `xtask/compat/NAME.txt`.
    pub(super) fn read(name: &str) -> anyhow::Result<Self> {
        let path = format!("xtask/compat/{name}.txt");
        let text = fs::read_to_string(&path).with_context(|| path.clone())?;
        Differences::parse(&text).context(path)
    }

    /// A line a test: its name, a space, the reason. Lines that begin with `#` are for readers.
    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut differences = BTreeMap::new();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((test, reason)) = line.split_once(' ') else {
                bail!("`{line}` gives no reason");
            };
            let before = differences.insert(test.to_owned(), reason.trim().to_owned());
            if before.is_some() {
                bail!("`{test}` is there twice");
            }
        }
        Ok(Differences(differences))
    }
}

/// How a run compares with what is known.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    passed: usize,
    differ: usize,
    failed: Vec<String>,
    unfinished: Vec<String>,
    /// Listed, and they pass.
    agree: Vec<String>,
    /// Listed, and there is no such test.
    unknown: Vec<String>,
}

impl Verdict {
    pub(super) fn of(outcomes: &Outcomes, known: &Differences) -> Self {
        let mut verdict = Verdict::default();
        for (test, outcome) in outcomes {
            match (outcome, known.0.contains_key(test)) {
                (Some(true), false) => verdict.passed += 1,
                (Some(true), true) => verdict.agree.push(test.clone()),
                (Some(false), true) => verdict.differ += 1,
                (Some(false), false) => verdict.failed.push(test.clone()),
                (None, _) => verdict.unfinished.push(test.clone()),
            }
        }
        let gone = known.0.keys().filter(|test| !outcomes.contains_key(*test));
        verdict.unknown = gone.cloned().collect();
        verdict
    }

    pub(super) fn is_good(&self) -> bool {
        [&self.failed, &self.unfinished, &self.agree, &self.unknown]
            .iter()
            .all(|tests| tests.is_empty())
    }

    /// What has to be looked at, test by test.
    pub(super) fn tell(&self, log: &Path) {
        for (tests, what) in [
            (&self.failed, "failed"),
            (&self.unfinished, "did not end"),
            (&self.agree, "passes and is listed as different"),
            (&self.unknown, "is listed as different and is no test"),
        ] {
            for test in tests {
                println!("   {test} {what}");
            }
        }
        if !self.is_good() {
            println!("   see {}", log.display());
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed = self.failed.len() + self.unfinished.len();
        write!(
            f,
            "{} passed, {failed} failed, {} expected to differ",
            self.passed, self.differ
        )?;
        match self.agree.len() {
            0 => Ok(()),
            agree => write!(f, ", {agree} expected to differ and do not"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes() -> Outcomes {
        Outcomes::from([
            ("good".to_owned(), Some(true)),
            ("bad".to_owned(), Some(false)),
        ])
    }

    fn known(text: &str) -> Differences {
        Differences::parse(text).unwrap()
    }

    #[test]
    fn a_list_that_is_true_passes() {
        let verdict = Verdict::of(&outcomes(), &known("# why\n\nbad it has no such thing\n"));
        assert!(verdict.is_good(), "{verdict:?}");
        assert_eq!(
            verdict.to_string(),
            "1 passed, 0 failed, 1 expected to differ"
        );
    }

    #[test]
    fn a_list_that_is_not_true_fails() {
        for text in [
            "",
            "bad it has none\ngood it has none",
            "bad it has none\ngone it has none",
        ] {
            assert!(
                !Verdict::of(&outcomes(), &known(text)).is_good(),
                "{text:?}"
            );
        }
        let mut hanging = outcomes();
        hanging.insert("bad".to_owned(), None);
        assert!(!Verdict::of(&hanging, &known("bad it hangs")).is_good());
    }

    #[test]
    fn a_difference_has_one_reason() {
        assert!(Differences::parse("test").is_err());
        assert!(Differences::parse("test a\ntest b").is_err());
    }
}
