//! How answers to agents are remembered, for requests that are sent again (S2-21, C2-14).

use tablewright::Timestamp;
use tablewright_service::{Answer, Claimed, Problem, Record};

use crate::model::{AgentRequest, AgentRequestKey};

impl Record for AgentRequest {
    fn key_of(claimed: &Claimed) -> AgentRequestKey {
        AgentRequestKey::new(&claimed.caller, &claimed.key)
    }

    fn record(claimed: &Claimed, answer: &Answer) -> Self {
        let created_at = Timestamp::from_millis(claimed.created_at.saturating_mul(1000));
        AgentRequest {
            agent_id: claimed.caller.clone(),
            idempotency_key: claimed.key.clone(),
            request_hash: claimed.hash.clone(),
            response_data: answer.kept(),
            http_status_code: answer.status().into(),
            created_at: created_at.expect("a clock shows a time that can be written down"),
            purge_at: claimed.expires_at,
        }
    }

    fn hash(&self) -> &str {
        &self.request_hash
    }

    fn answer(&self) -> Result<Answer, Problem> {
        Answer::given_again(self.http_status_code, &self.response_data)
    }
}
