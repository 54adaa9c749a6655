//! How pages say things.

use crate::model::Question;
use crate::rules::life::status_at;

/// How long somebody still has: `12 min left`.
pub(super) fn left(seconds: i64) -> String {
    match seconds {
        ..=0 => String::from("over"),
        1..60 => String::from("under a minute left"),
        60..5400 => format!("{} min left", (seconds + 30) / 60),
        _ => format!("{} h left", (seconds + 1800) / 3600),
    }
}

/// How many answers lack: `3 answers needed`.
pub(super) fn needed(count: i64) -> String {
    match count {
        1 => String::from("1 answer needed"),
        count => format!("{count} answers needed"),
    }
}

/// How it is answered: with so many options, or in words.
pub(super) fn kind(options: Option<usize>) -> String {
    match options {
        Some(options) => format!("choose one of {options}"),
        None => String::from("in words"),
    }
}

/// How far it is, for who asked: `2 of 5 answers`.
pub(super) fn progress(question: &Question) -> String {
    format!(
        "{} of {} answers",
        question.current_responses, question.required_responses
    )
}

/// How long it still has; nothing when it is over.
pub(super) fn time_left(question: &Question, now: i64) -> String {
    match status_at(question, now).as_str() {
        "OPEN" | "PARTIAL" => left(question.expires_at - now),
        _ => String::from("over"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_told_as_people_say_it() {
        for (seconds, words) in [
            (-5, "over"),
            (0, "over"),
            (59, "under a minute left"),
            (60, "1 min left"),
            (3599, "60 min left"),
            (7200, "2 h left"),
            (86_400, "24 h left"),
        ] {
            assert_eq!(left(seconds), words);
        }
        assert_eq!(
            (needed(1), needed(2)),
            ("1 answer needed".into(), "2 answers needed".into())
        );
    }
}
