//! What people answer, and what of it is allowed.

use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::Uuid;
use tablewright_service::{Faults, Kind, Problem, block, is_blank};

use super::time_zone::Zone;
use crate::model::{Question, QuestionType};

const ANSWER: usize = 5000;

/// An answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAnswer {
    /// To which question.
    pub question_id: Uuid,
    /// What was given with the question when it was opened.
    pub opened: String,
    /// In words, for a question of type `text`.
    #[schemars(length(min = 1, max = 5000))]
    pub answer: Option<String>,
    /// The number of the option, from 0, for a `multiple_choice`.
    #[schemars(range(min = 0, max = 9))]
    pub selected_option: Option<i64>,
    /// How sure one is, if one likes to say so.
    #[schemars(range(min = 1, max = 5))]
    pub confidence: Option<i64>,
    /// Where one is, as `Europe/Berlin`: by whose days streaks are counted.
    #[schemars(length(min = 1, max = 64))]
    pub time_zone: Option<String>,
}

impl NewAnswer {
    /// Goes on if the values are allowed, whatever the question is.
    ///
    /// # Errors
    /// 422 with every value that is not.
    pub fn checked(self) -> Result<Self, Problem> {
        let mut faults = Faults::new();
        if let Some(answer) = &self.answer {
            faults.note("answer", words(answer));
        }
        if self
            .selected_option
            .is_some_and(|option| !(0..=9).contains(&option))
        {
            faults.add("selected_option", "it is 0 to 9");
        }
        if self.confidence.is_some_and(|sure| !(1..=5).contains(&sure)) {
            faults.add("confidence", "it is 1 to 5");
        }
        if self.time_zone.is_some() && self.zone().is_none() {
            faults.add("time_zone", "it is the name of one, as `Europe/Berlin`");
        }
        faults.none_of(Kind::INVALID)?;
        Ok(self)
    }

    /// Goes on if it answers what the question asks (C2-23).
    ///
    /// # Errors
    /// 422 with what does not fit.
    pub fn fits(&self, question: &Question) -> Result<(), Problem> {
        let mut faults = Faults::new();
        match question.r#type {
            QuestionType::Text => {
                if self.answer.is_none() {
                    faults.add("answer", "the question is to be answered in words");
                }
                if self.selected_option.is_some() {
                    faults.add("selected_option", "the question has no options");
                }
            }
            QuestionType::MultipleChoice => {
                if self.answer.is_some() {
                    faults.add("answer", "one of the options is asked for, and no words");
                }
                let options = question.options.as_deref().unwrap_or_default().len();
                let chosen = self.selected_option.map(usize::try_from);
                if !matches!(chosen, Some(Ok(chosen)) if chosen < options) {
                    let last = options.saturating_sub(1);
                    faults.add("selected_option", format!("it is 0 to {last}"));
                }
            }
        }
        faults.none_of(Kind::INVALID)
    }

    /// Where the person says they are.
    pub fn zone(&self) -> Option<Zone> {
        self.time_zone.as_deref().and_then(Zone::of)
    }

    /// How many characters the words have, without what is empty around them.
    pub fn length(&self) -> usize {
        let words = self.answer.as_deref().unwrap_or_default();
        words.trim().chars().count()
    }
}

fn words(text: &str) -> Result<(), String> {
    if is_blank(text) {
        return Err(String::from("it is blank"));
    }
    block(text, ANSWER)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::rules::question::NewQuestion;

    fn fields(checked: Result<(), Problem>) -> Vec<String> {
        let errors = checked.err().map(|problem| problem.body().errors);
        let errors = errors.unwrap_or_default().into_iter();
        errors.map(|error| error.field).collect()
    }

    fn answer(more: Value) -> NewAnswer {
        let mut body = json!({ "question_id": Uuid::nil(), "opened": "x" });
        let more = more.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(more);
        serde_json::from_value(body).unwrap()
    }

    #[test]
    fn values_that_are_not_allowed_are_told_at_once() {
        for (more, wrong) in [
            (json!({ "answer": "well" }), vec![]),
            (json!({ "answer": "" }), vec!["answer"]),
            (json!({ "answer": " \n " }), vec!["answer"]),
            (json!({ "answer": "a\u{0}b" }), vec!["answer"]),
            (json!({ "answer": "ä".repeat(5000) }), vec![]),
            (json!({ "answer": "ä".repeat(5001) }), vec!["answer"]),
            (
                json!({ "selected_option": -1, "confidence": 0 }),
                vec!["selected_option", "confidence"],
            ),
            (
                json!({ "selected_option": 10, "confidence": 6 }),
                vec!["selected_option", "confidence"],
            ),
            (
                json!({ "time_zone": "Atlantis/Poseidonia" }),
                vec!["time_zone"],
            ),
            (json!({ "time_zone": "" }), vec!["time_zone"]),
        ] {
            assert_eq!(
                fields(answer(more.clone()).checked().map(drop)),
                wrong,
                "{more}"
            );
        }
    }

    /// C2-23
    #[test]
    fn an_answer_fits_its_question() {
        let asked = |body: Value| {
            let new: NewQuestion = serde_json::from_value(body).unwrap();
            let now = "2026-11-15T12:00:00.000Z".parse().unwrap();
            new.asked(Uuid::nil(), "agent", None, now)
        };
        let text = asked(json!({ "prompt": "What is this?" }));
        let choice = asked(
            json!({ "prompt": "Which one?", "type": "multiple_choice", "options": ["a", "b"] }),
        );
        for (question, more, wrong) in [
            (&text, json!({ "answer": "x" }), vec![]),
            (&text, json!({}), vec!["answer"]),
            (
                &text,
                json!({ "answer": "x", "selected_option": 0 }),
                vec!["selected_option"],
            ),
            (&choice, json!({ "selected_option": 0 }), vec![]),
            (&choice, json!({ "selected_option": 1 }), vec![]),
            (
                &choice,
                json!({ "selected_option": 2 }),
                vec!["selected_option"],
            ),
            (&choice, json!({}), vec!["selected_option"]),
            (
                &choice,
                json!({ "answer": "a" }),
                vec!["answer", "selected_option"],
            ),
        ] {
            assert_eq!(fields(answer(more.clone()).fits(question)), wrong, "{more}");
        }
    }
}
