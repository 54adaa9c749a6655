//! What of an answer looks like abuse. It counts all the same, until a person has looked at it.

use crate::model::{QuestionType, ResponseFlagReason};

/// Among how many of one's last answers is looked.
pub const LOOKED_AT: u32 = 20;

/// How fast nobody reads and writes, and how fast nobody reads and chooses, in milliseconds.
const TOO_FAST: (i64, i64) = (5000, 2000);

/// How many characters say hardly anything.
const SHORT: usize = 3;

/// How many such are too many: with so many before, the next is flagged.
const SHORT_ONES: usize = 4;

/// An answer, as far as abuse shows in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suspect<'a> {
    /// In words, or a choice.
    pub kind: QuestionType,
    /// The words.
    pub text: Option<&'a str>,
    /// How long after the question was opened, in milliseconds.
    pub response_time_ms: i64,
}

/// Why an answer is flagged, if it is. `earlier` are the texts of the person's last answers.
pub fn flag<'e>(
    suspect: &Suspect<'_>,
    earlier: impl Iterator<Item = &'e str> + Clone,
) -> Option<ResponseFlagReason> {
    let (writing, choosing) = TOO_FAST;
    let fastest = match suspect.kind {
        QuestionType::Text => writing,
        QuestionType::MultipleChoice => choosing,
    };
    if suspect.response_time_ms < fastest {
        return Some(ResponseFlagReason::TooFast);
    }
    let text = compared(suspect.text?);
    let mut earlier = earlier.map(compared);
    // Short answers are alike by themselves: many of them are what is wrong.
    if is_short(&text) {
        let short = earlier.filter(|text| is_short(text)).count();
        return (short >= SHORT_ONES).then_some(ResponseFlagReason::Minimal);
    }
    let repeated = earlier.any(|other| other == text);
    repeated.then_some(ResponseFlagReason::Repeated)
}

/// A text as it is compared: whatever its case and its spaces.
fn compared(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

fn is_short(text: &str) -> bool {
    text.chars().count() <= SHORT
}

#[cfg(test)]
mod tests {
    use QuestionType::{MultipleChoice, Text};
    use ResponseFlagReason::{Minimal, Repeated, TooFast};

    use super::*;

    fn flagged(
        kind: QuestionType,
        text: &str,
        response_time_ms: i64,
        earlier: &[&str],
    ) -> Option<ResponseFlagReason> {
        let suspect = Suspect {
            kind,
            text: (kind == Text).then_some(text),
            response_time_ms,
        };
        flag(&suspect, earlier.iter().copied())
    }

    #[test]
    fn what_comes_too_fast_is_flagged() {
        for (kind, time, reason) in [
            (Text, 4999, Some(TooFast)),
            (Text, 5000, None),
            (MultipleChoice, 1999, Some(TooFast)),
            (MultipleChoice, 2000, None),
            (MultipleChoice, 0, Some(TooFast)),
        ] {
            assert_eq!(flagged(kind, "well thought", time, &[]), reason, "{time}");
        }
    }

    #[test]
    fn what_was_said_before_is_flagged() {
        let earlier = ["I would not.", "Perhaps  tomorrow"];
        assert_eq!(
            flagged(Text, "perhaps tomorrow ", 9000, &earlier),
            Some(Repeated)
        );
        assert_eq!(flagged(Text, "I would.", 9000, &earlier), None);
        assert_eq!(flagged(Text, "I would.", 9000, &[]), None);
        assert_eq!(flagged(MultipleChoice, "", 9000, &earlier), None);
    }

    #[test]
    fn many_answers_that_say_nothing_are_flagged() {
        let short = ["ok", "no", "ja", "a long one", "ok"];
        assert_eq!(flagged(Text, "ok", 9000, &short), Some(Minimal));
        assert_eq!(flagged(Text, "ok", 9000, &short[..4]), None);
        assert_eq!(flagged(Text, "fine", 9000, &short), None);
        assert_eq!(flagged(Text, "äöü", 9000, &short), Some(Minimal));
    }
}
