//! How answers are remembered, for requests that are sent again (C1-4).

use tablewright_service::{Answer, Claimed, Problem, Record};

use crate::model::{Idempotency, IdempotencyKey};

/// The record of a request, if it has a key.
pub(crate) type Claim = Result<Option<Idempotency>, Problem>;

impl Record for Idempotency {
    fn key_of(claimed: &Claimed) -> IdempotencyKey {
        IdempotencyKey::new(&claimed.caller, &claimed.route, &claimed.key)
    }

    fn record(claimed: &Claimed, answer: &Answer) -> Self {
        Idempotency {
            user_id: claimed.caller.clone(),
            route: claimed.route.clone(),
            request_id: claimed.key.clone(),
            request_hash: claimed.hash.clone(),
            response_data: answer.kept(),
            http_status_code: answer.status().into(),
            created_at: claimed.created_at,
            expires_at: claimed.expires_at,
        }
    }

    fn hash(&self) -> &str {
        &self.request_hash
    }

    fn answer(&self) -> Result<Answer, Problem> {
        Answer::given_again(self.http_status_code, &self.response_data)
    }
}
