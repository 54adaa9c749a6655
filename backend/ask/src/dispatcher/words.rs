//! The words of a notification.

use std::collections::BTreeMap;
use std::time::Duration;

use tablewright_push::Push;

use crate::model::{Question, QuestionType, Subscription};

/// How much of a prompt is shown, in characters.
const LONGEST: usize = 160;

/// The notification of a question that takes answers for so many seconds.
pub(super) fn push(
    question: &Question,
    device: &Subscription,
    left: i64,
    page: Option<&str>,
) -> Push {
    let id = question.question_id;
    Push {
        id: format!("{id}.{}", device.fingerprint_hash),
        token: device.fcm_token.clone(),
        title: String::from(match question.r#type {
            QuestionType::Text => "Somebody has a question for you",
            QuestionType::MultipleChoice => "Somebody wants you to choose",
        }),
        body: excerpt(&question.prompt),
        tag: id.to_string(),
        link: page.map(|page| format!("{}/questions/{id}", page.trim_end_matches('/'))),
        data: BTreeMap::from([(String::from("question_id"), id.to_string())]),
        good_for: Duration::from_secs(u64::try_from(left).unwrap_or(0)),
    }
}

/// The beginning of a prompt, on one line.
fn excerpt(prompt: &str) -> String {
    let visible = prompt.replace(|c: char| c.is_control(), " ");
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_shown_on_one_line_and_not_whole() {
        assert_eq!(excerpt(" Would\n you\u{0}\tcross? "), "Would you cross?");
        let long = excerpt(&"é".repeat(500));
        assert_eq!(long.chars().count(), LONGEST + 1);
        assert!(long.ends_with('…'));
        assert_eq!(excerpt("<b>bold</b>"), "<b>bold</b>", "text is text");
    }
}
