//! What agents ask, and what of it is allowed.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::{Timestamp, Uuid};
use tablewright_service::{Faults, Kind, Problem, block, is_blank, line};

use super::life::{FIRST_CATCH_UP, KEPT_EXPIRED};
use crate::model::{Question, QuestionAudience, QuestionPlace, QuestionStatus, QuestionType};

const PROMPT: std::ops::RangeInclusive<usize> = 10..=2000;
const OPTIONS: std::ops::RangeInclusive<usize> = 2..=10;
const OPTION: usize = 200;
const RESPONSES: std::ops::RangeInclusive<i64> = 1..=50;
const TIMEOUT: std::ops::RangeInclusive<i64> = 60..=86_400;

/// What an agent wants to know.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewQuestion {
    /// What people are asked.
    #[schemars(length(min = 10, max = 2000))]
    pub prompt: String,
    /// In words, or one of `options`; `text` unless said.
    #[serde(default)]
    pub r#type: QuestionType,
    /// What can be chosen, for `multiple_choice` only; all different.
    #[schemars(length(min = 2, max = 10), inner(length(min = 1, max = 200)))]
    pub options: Option<Vec<String>>,
    /// For whom it is; `general` unless said. The first counts for badges.
    #[serde(default = "everybody")]
    #[schemars(length(min = 1, max = 5))]
    pub audience: Vec<QuestionAudience>,
    /// With how many answers it closes; 5 unless said.
    #[serde(default = "usual_responses")]
    #[schemars(range(min = 1, max = 50))]
    pub min_responses: i64,
    /// After how many seconds it expires; 3600 unless said.
    #[serde(default = "usual_timeout")]
    #[schemars(range(min = 60, max = 86400))]
    pub timeout_seconds: i64,
}

fn everybody() -> Vec<QuestionAudience> {
    vec![QuestionAudience::General]
}

fn usual_responses() -> i64 {
    5
}

fn usual_timeout() -> i64 {
    3600
}

impl NewQuestion {
    /// Goes on if all values are allowed.
    ///
    /// # Errors
    /// 422 with every value that is not.
    pub fn checked(self) -> Result<Self, Problem> {
        let mut faults = Faults::new();
        faults.note("prompt", prompt(&self.prompt));
        match (self.r#type, &self.options) {
            (QuestionType::MultipleChoice, Some(options)) => {
                faults.note("options", different(options));
                for (position, option) in options.iter().enumerate() {
                    faults.note(&format!("options[{position}]"), line(option, OPTION));
                }
            }
            (QuestionType::MultipleChoice, None) => {
                faults.add("options", "a multiple_choice has 2 to 10 of them");
            }
            (QuestionType::Text, Some(_)) => {
                faults.add("options", "only a multiple_choice has them");
            }
            (QuestionType::Text, None) => {}
        }
        let tags: BTreeSet<&str> = self.audience.iter().map(|tag| tag.as_str()).collect();
        if self.audience.is_empty() || tags.len() != self.audience.len() {
            faults.add("audience", "it has 1 to 5 different ones");
        }
        faults.note("min_responses", within(self.min_responses, &RESPONSES));
        faults.note("timeout_seconds", within(self.timeout_seconds, &TIMEOUT));
        faults.none_of(Kind::INVALID)?;
        Ok(self)
    }

    /// The question, asked now. Its values have been checked.
    pub fn asked(
        self,
        question_id: Uuid,
        agent_id: &str,
        idempotency_key: Option<String>,
        now: Timestamp,
    ) -> Question {
        let expires_at = now.seconds() + self.timeout_seconds;
        Question {
            question_id,
            status: QuestionStatus::Open,
            prompt: self.prompt,
            r#type: self.r#type,
            options: self.options,
            audience: self.audience,
            required_responses: self.min_responses,
            current_responses: 0,
            responses_needed: self.min_responses,
            agent_id: agent_id.to_owned(),
            place: Some(QuestionPlace::Taken),
            idempotency_key,
            created_at: now,
            expires_at,
            catch_up_at: now.seconds() + FIRST_CATCH_UP,
            closed_at: None,
            purge_at: expires_at + KEPT_EXPIRED,
        }
    }
}

fn prompt(text: &str) -> Result<(), String> {
    let length = text.chars().count();
    if !PROMPT.contains(&length) {
        return Err(format!(
            "it has 10 to 2000 characters, and this has {length}"
        ));
    }
    if is_blank(text) {
        return Err(String::from("it is blank"));
    }
    block(text, *PROMPT.end())
}

/// C2-23
fn different(options: &[String]) -> Result<(), String> {
    if !OPTIONS.contains(&options.len()) {
        let count = options.len();
        return Err(format!("there are 2 to 10 of them, and these are {count}"));
    }
    let texts: BTreeSet<String> = options
        .iter()
        .map(|text| text.trim().to_lowercase())
        .collect();
    match texts.len() == options.len() {
        true => Ok(()),
        false => Err(String::from("two of them are the same")),
    }
}

fn within(number: i64, range: &std::ops::RangeInclusive<i64>) -> Result<(), String> {
    match range.contains(&number) {
        true => Ok(()),
        false => Err(format!("it is {} to {}", range.start(), range.end())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(json: &str) -> Result<NewQuestion, Vec<String>> {
        let question: NewQuestion = serde_json::from_str(json).unwrap();
        question.checked().map_err(|problem| {
            let errors = problem.body().errors.into_iter();
            errors.map(|error| error.field).collect()
        })
    }

    #[test]
    fn what_is_not_said_is_the_usual() {
        let question = said(r#"{"prompt": "Is this one good?"}"#).unwrap();
        let now = Timestamp::from_millis(1_700_000_000_000).unwrap();
        let asked = question.asked(Uuid::nil(), "agent", None, now);
        assert_eq!(asked.required_responses, 5);
        assert_eq!(asked.expires_at, 1_700_003_600);
        assert_eq!(asked.purge_at, 1_700_090_000);
        assert_eq!(asked.audience, [QuestionAudience::General]);
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let long = "x".repeat(2001);
        for (json, fields) in [
            (r#"{"prompt": "short"}"#.to_owned(), vec!["prompt"]),
            (format!(r#"{{"prompt": "{long}"}}"#), vec!["prompt"]),
            (r#"{"prompt": "          \n"}"#.to_owned(), vec!["prompt"]),
            (
                r#"{"prompt": "with a\u0000 zero"}"#.to_owned(),
                vec!["prompt"],
            ),
            (
                r#"{"prompt": "1234567890", "type": "multiple_choice"}"#.to_owned(),
                vec!["options"],
            ),
            (
                r#"{"prompt": "1234567890", "options": ["a", "b"]}"#.to_owned(),
                vec!["options"],
            ),
            (
                r#"{"prompt": "1234567890", "type": "multiple_choice", "options": ["a"]}"#
                    .to_owned(),
                vec!["options"],
            ),
            (
                r#"{"prompt": "1234567890", "type": "multiple_choice", "options": ["a", "A "]}"#
                    .to_owned(),
                vec!["options"],
            ),
            (
                r#"{"prompt": "1234567890", "type": "multiple_choice", "options": ["a", ""]}"#
                    .to_owned(),
                vec!["options[1]"],
            ),
            (
                r#"{"prompt": "1", "audience": [], "min_responses": 0, "timeout_seconds": 59}"#
                    .to_owned(),
                vec!["prompt", "audience", "min_responses", "timeout_seconds"],
            ),
            (
                r#"{"prompt": "1234567890", "audience": ["ethics", "ethics"]}"#.to_owned(),
                vec!["audience"],
            ),
            (
                r#"{"prompt": "1234567890", "min_responses": 51, "timeout_seconds": 86401}"#
                    .to_owned(),
                vec!["min_responses", "timeout_seconds"],
            ),
        ] {
            assert_eq!(said(&json).unwrap_err(), fields, "{json}");
        }
    }
}
