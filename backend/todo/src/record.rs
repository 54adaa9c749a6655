//! How answers are remembered, for requests that are sent again.

use tablewright::{Entity, EntityKey};
use tablewright_keys::KeyValue;
use tablewright_service::{Answer, Claimed, Problem, Record};

use crate::model::{Idempotency, IdempotencyKey, Task, TaskKey};

impl Record for Idempotency {
    fn key_of(claimed: &Claimed) -> IdempotencyKey {
        IdempotencyKey::new(&claimed.caller, &claimed.route, &claimed.key)
    }

    fn record(claimed: &Claimed, answer: &Answer) -> Self {
        Idempotency {
            response_data: Some(answer.kept()),
            http_status_code: Some(answer.status().into()),
            ..Idempotency::begun(claimed)
        }
    }

    fn hash(&self) -> &str {
        &self.request_hash
    }

    fn pattern() -> &'static str {
        "idempotent_answer"
    }

    fn is_answered(&self) -> bool {
        self.http_status_code.is_some()
    }

    fn answer(&self) -> Result<Answer, Problem> {
        match (self.http_status_code, &self.response_data) {
            (Some(status), Some(kept)) => Answer::given_again(status, kept),
            _ => Err(Problem::internal("a record without an answer")),
        }
    }
}

impl Idempotency {
    /// The claim of a request that has no answer yet.
    pub(crate) fn begun(claimed: &Claimed) -> Self {
        Idempotency {
            user_id: claimed.caller.clone(),
            route: claimed.route.clone(),
            request_id: claimed.key.clone(),
            request_hash: claimed.hash.clone(),
            response_data: None,
            target_task_pk: None,
            target_task_sk: None,
            http_status_code: None,
            chosen: None,
            held_until: None,
            created_at: claimed.created_at,
            ttl: claimed.expires_at,
        }
    }
}

/// The record with the task it is about (S0-4). Its key is made by the template of the model.
pub(crate) fn about(record: Option<Idempotency>, task: &TaskKey) -> Option<Idempotency> {
    let values = task.values();
    let value = |name: &str| values.get(name)?.as_s().ok().cloned().map(KeyValue::Text);
    let key = &Task::descriptor().key;
    let mut texts = key.parts().map(|part| part.template.render(value).ok());
    record.map(|record| Idempotency {
        target_task_pk: texts.next().flatten(),
        target_task_sk: texts.next().flatten(),
        ..record
    })
}
