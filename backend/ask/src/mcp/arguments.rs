//! What a model sends to a tool.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use tablewright::Uuid;

use super::service::Failure;

/// Ten minutes: clients give up sooner.
const LONGEST_WAIT: u64 = 600;

/// A question, and how long to wait for its answers. What a question may have is for the service to say.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AskHuman {
    pub(super) question: Map<String, Value>,
    pub(super) wait: Duration,
}

/// Which question's answers are wanted.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckAnswers {
    /// What ask_human has given.
    pub(super) question_id: Uuid,
    /// For how many seconds to wait until all answers are there; 0 unless said. What is there by then is given in any case.
    #[serde(default)]
    #[schemars(range(min = 0, max = 600))]
    wait_seconds: u64,
}

impl AskHuman {
    pub(super) fn of(mut arguments: Map<String, Value>) -> Result<Self, Failure> {
        let wait = arguments.remove("wait_seconds").unwrap_or(Value::from(0));
        let wait = wait.as_u64().and_then(duration).ok_or_else(too_long)?;
        Ok(AskHuman {
            question: arguments,
            wait,
        })
    }
}

impl CheckAnswers {
    pub(super) fn of(arguments: Map<String, Value>) -> Result<(Uuid, Duration), Failure> {
        let arguments: Self = serde_json::from_value(Value::from(arguments))
            .map_err(|error| Failure::Argument(format!("the arguments are wrong: {error}")))?;
        let wait = duration(arguments.wait_seconds).ok_or_else(too_long)?;
        Ok((arguments.question_id, wait))
    }
}

fn duration(seconds: u64) -> Option<Duration> {
    (seconds <= LONGEST_WAIT).then(|| Duration::from_secs(seconds))
}

fn too_long() -> Failure {
    Failure::Argument(format!(
        "wait_seconds: it is a whole number from 0 to {LONGEST_WAIT}"
    ))
}
