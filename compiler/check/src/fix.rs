//! Mechanical repairs, applied to the text: everything outside the edits stays as it was, comments included.

use std::collections::BTreeMap;

use tablewright_model::{Diagnostic, Edit, Fix};

/// Repairs may uncover others, but not for ever.
const ROUNDS: usize = 10;

/// A text after its repairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// What was done, in the order in which it was.
    pub applied: Vec<Applied>,
}

/// One repair that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The rule that offered it.
    pub rule: &'static str,
    /// What it did.
    pub title: String,
}

/// Applies the fixes of what `check` finds, again and again until none is left or ten rounds are done.
///
/// In one round no two fixes touch the same characters: the later one waits for the next, when it is offered again for the text
/// as it then is. A round after which the text is no longer TOML is undone.
///
/// ```
/// use tablewright_check::fix::fix;
///
/// let text = "[model]\nnmae = \"todo\" # ours\n";
/// let fixed = fix(text, |text| tablewright_model::parse(text).err().unwrap_or_default());
/// assert_eq!(fixed.text, "[model]\nname = \"todo\" # ours\n");
/// assert_eq!(fixed.applied[0].title, "write `name`");
/// ```
pub fn fix(text: &str, check: impl Fn(&str) -> Vec<Diagnostic>) -> Fixed {
    let mut fixed = Fixed {
        text: text.to_owned(),
        applied: Vec::new(),
    };
    let mut diagnostics = check(text);
    for _ in 0..ROUNDS {
        let (next, applied) = one_round(&fixed.text, &diagnostics);
        if applied.is_empty() || next == fixed.text {
            break;
        }
        let found = check(&next);
        if is_broken(&found) && !is_broken(&diagnostics) {
            break;
        }
        diagnostics = found;
        fixed.text = next;
        fixed.applied.extend(applied);
    }
    fixed
}

fn is_broken(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|found| found.rule == "syntax")
}

/// The text with every fix that meets no earlier one.
fn one_round(text: &str, diagnostics: &[Diagnostic]) -> (String, Vec<Applied>) {
    let mut accepted = Edits::default();
    let mut applied = Vec::new();
    for diagnostic in diagnostics {
        let Some(fix) = &diagnostic.fix else {
            continue;
        };
        if accepted.accept(text, fix) {
            applied.push(Applied {
                rule: diagnostic.rule,
                title: fix.title.clone(),
            });
        }
    }
    (accepted.apply(text), applied)
}

/// Edits that do not meet, by where they begin.
#[derive(Default)]
struct Edits<'d>(BTreeMap<usize, &'d Edit>);

impl<'d> Edits<'d> {
    /// Takes all edits of a fix, or none.
    fn accept(&mut self, text: &str, fix: &'d Fix) -> bool {
        let mut taken = Vec::new();
        for edit in &fix.edits {
            if text.get(edit.span.range()).is_none() || !self.is_free(edit) {
                for start in taken {
                    self.0.remove(&start);
                }
                return false;
            }
            self.0.insert(edit.span.start, edit);
            taken.push(edit.span.start);
        }
        !taken.is_empty()
    }

    /// Whether an edit touches none of the others. Two that begin at one place do: their order would be open.
    fn is_free(&self, edit: &Edit) -> bool {
        let span = edit.span;
        let before = self.0.range(..=span.start).next_back();
        let after = self.0.range(span.start..).next();
        before.is_none_or(|(start, other)| *start != span.start && other.span.end <= span.start)
            && after.is_none_or(|(start, _)| span.end <= *start)
    }

    fn apply(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for edit in self.0.values().rev() {
            out.replace_range(edit.span.range(), &edit.text);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use tablewright_model::{Severity, Span};

    use super::*;

    fn offer(span: Span, text: &str) -> Diagnostic {
        Diagnostic::new("test", Severity::Error, span, "wrong").fix("mend it", span, text)
    }

    /// Offers to replace every occurrence of one word by another.
    fn replacing(from: &'static str, to: &'static str) -> impl Fn(&str) -> Vec<Diagnostic> {
        move |text| {
            text.match_indices(from)
                .map(|(at, _)| offer(Span::new(at, at + from.len()), to))
                .collect()
        }
    }

    #[test]
    fn every_place_is_mended_and_the_rest_stays() {
        let fixed = fix("a = 1 # é\nxx = 1\n\txx = 2", replacing("xx", "key"));
        assert_eq!(fixed.text, "a = 1 # é\nkey = 1\n\tkey = 2");
        assert_eq!(fixed.applied.len(), 2);
    }

    #[test]
    fn a_fix_that_meets_another_waits_for_the_next_round() {
        // Both pairs of "aaa" match one after the other: overlapping offers, one round each.
        let check = |text: &str| -> Vec<Diagnostic> {
            (0..text.len().saturating_sub(1))
                .filter(|at| text.get(*at..at + 2) == Some("aa"))
                .map(|at| offer(Span::new(at, at + 2), "a"))
                .collect()
        };
        let fixed = fix("aaaa", check);
        assert_eq!(fixed.text, "a");
        assert_eq!(fixed.applied.len(), 3);
    }

    #[test]
    fn fixes_that_never_end_are_stopped() {
        let fixed = fix("x", replacing("x", "xx"));
        assert!(fixed.text.len() <= 1 << ROUNDS);
    }

    #[test]
    fn all_edits_of_a_fix_are_made_or_none() {
        let text = "abcdef";
        let first = offer(Span::new(4, 6), "EF");
        let second = offer(Span::new(0, 1), "A").fix("", Span::new(3, 5), "?");
        let third = offer(Span::new(1, 1), "+").fix("", Span::new(2, 3), "C");
        let (next, applied) = one_round(text, &[first, second, third]);
        assert_eq!((next.as_str(), applied.len()), ("a+bCdEF", 2));
    }

    #[test]
    fn an_edit_outside_the_text_is_not_made() {
        let text = "é";
        for span in [Span::new(1, 2), Span::new(0, 9), Span::new(3, 2)] {
            let (next, applied) = one_round(text, &[offer(span, "x")]);
            assert_eq!((next.as_str(), applied.len()), (text, 0));
        }
    }

    #[test]
    fn a_round_that_breaks_the_file_is_undone() {
        let check = |text: &str| match text {
            "good" => vec![offer(Span::new(0, 4), "bad")],
            _ => vec![Diagnostic::language("syntax", Span::new(0, 0), "not TOML")],
        };
        assert_eq!(fix("good", check).text, "good");
    }
}
