//! Words in braces that stand for something: a day from today on, or a field of an answer.

use std::collections::BTreeMap;

use jiff::ToSpan as _;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What words stand for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Words {
    today: Date,
    kept: BTreeMap<String, Value>,
}

impl Words {
    pub(super) fn new(today: Date) -> Self {
        Words {
            today,
            kept: BTreeMap::new(),
        }
    }

    /// Keeps an answer, by a name.
    pub(super) fn keep(&mut self, name: &str, answer: Value) {
        self.kept.insert(name.to_owned(), answer);
    }

    /// A text with everything in it that words stand for.
    pub(super) fn fill(&self, text: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (word, after) = after
                .split_once('}')
                .ok_or_else(|| format!("`{text}` has a brace that is not closed"))?;
            filled.push_str(before);
            match self.meaning(word)? {
                Value::String(text) => filled.push_str(&text),
                other => filled.push_str(&other.to_string()),
            }
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// A value with all its texts filled. What is a word and nothing else keeps the type of what it stands for.
    pub(super) fn fill_all(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => {
                let word = text
                    .strip_prefix('{')
                    .and_then(|text| text.strip_suffix('}'));
                match word.filter(|word| !word.contains(['{', '}'])) {
                    Some(word) => self.meaning(word)?.clone(),
                    None => Value::String(self.fill(text)?),
                }
            }
            Value::Array(entries) => {
                let entries: Result<Vec<Value>, String> =
                    entries.iter().map(|entry| self.fill_all(entry)).collect();
                Value::Array(entries?)
            }
            Value::Object(fields) => {
                let fields: Result<Map<String, Value>, String> = fields
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), self.fill_all(value)?)))
                    .collect();
                Value::Object(fields?)
            }
            other => other.clone(),
        })
    }

    fn meaning(&self, word: &str) -> Result<Value, String> {
        if let Some(days) = word.strip_prefix("today") {
            let days = match days {
                "" => Some(0),
                _ => days
                    .parse::<i64>()
                    .ok()
                    .filter(|_| days.starts_with(['+', '-'])),
            };
            let date = days
                .filter(|days| days.abs() < 100_000)
                .and_then(|days| self.today.checked_add(days.days()).ok());
            if let Some(date) = date {
                return Ok(Value::String(date.to_string()));
            }
        }
        let mut steps = word.split('.');
        let kept = steps.next().and_then(|name| self.kept.get(name));
        let found = kept.and_then(|kept| {
            steps.try_fold(kept, |value, step| match value {
                Value::Array(entries) => entries.get(step.parse::<usize>().ok()?),
                other => other.get(step),
            })
        });
        found
            .cloned()
            .ok_or_else(|| format!("there is nothing for `{{{word}}}`"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words() -> Words {
        let mut words = Words::new(jiff::civil::date(2026, 2, 27));
        words.keep("a", json!({ "id": "x/1", "n": 7, "list": [{ "b": true }] }));
        words
    }

    #[test]
    fn words_become_what_they_stand_for() {
        let words = words();
        for (text, filled) in [
            ("", ""),
            ("plain", "plain"),
            ("{today}", "2026-02-27"),
            (
                "from {today-27} to {today+2}",
                "from 2026-01-31 to 2026-03-01",
            ),
            ("/tasks/{a.id}/{a.n}", "/tasks/x/1/7"),
            ("{a.list.0.b}", "true"),
        ] {
            assert_eq!(words.fill(text).as_deref(), Ok(filled));
        }
        let body = json!({ "n": "{a.n}", "all": ["{a.id}", 1], "text": "n is {a.n}" });
        assert_eq!(
            words.fill_all(&body),
            Ok(json!({ "n": 7, "all": ["x/1", 1], "text": "n is 7" }))
        );
    }

    #[test]
    fn a_word_that_stands_for_nothing_is_told() {
        let words = words();
        for text in [
            "{",
            "{}",
            "{b.id}",
            "{a.missing}",
            "{a.list.9}",
            "{today+}",
            "{today3}",
            "{today+99999999999999999999}",
            "{today+9999999}",
            "{tomorrow}",
        ] {
            assert!(words.fill(text).is_err(), "{text}");
        }
    }
}
