//! An agent, by its key. Only a hash of the key is kept: whoever reads the tables cannot ask in its name.

use aws_lc_rs::digest::{SHA256, digest};
use axum::extract::FromRequestParts;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::request::Parts;
use serde_json::json;
use tablewright::Versioned;
use tablewright_service::{Caller, Input, Operation, Problem};

use super::{bearer, unknown};
use crate::limits::{Counted, Limit};
use crate::model::Agent;
use crate::state::App;

/// What a key begins with.
pub(crate) const KEY_PREFIX: &str = "aah_";

/// An agent whose key is good, and what it may.
#[derive(Debug, Clone)]
pub(crate) struct KnownAgent(pub(crate) Versioned<Agent>);

impl KnownAgent {
    pub(crate) fn id(&self) -> &str {
        &self.0.agent_id
    }

    /// How often it may ask.
    pub(crate) fn questions(&self) -> Limit {
        Limit::hourly(Counted::QUESTIONS, self.id(), self.0.questions_per_hour)
    }

    /// How often it may read.
    pub(crate) fn polls(&self) -> Limit {
        Limit::hourly(Counted::POLLS, self.id(), self.0.polls_per_hour)
    }
}

/// What is kept of a key. It has 256 random bits, so a plain hash cannot be turned back.
pub(crate) fn hash_of_key(key: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, key.as_bytes()))
}

impl FromRequestParts<App> for KnownAgent {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Some(key) = bearer(&parts.headers, KEY_PREFIX) else {
            return Err(unknown(
                "the request has no key of an agent, `Authorization: Bearer aah_…`",
            ));
        };
        let refused = || unknown("the key is not known, or was revoked");
        let found = app.ask.api_keys.api_key(&hash_of_key(key)).await?;
        let key = found.filter(|key| key.active).ok_or_else(refused)?;
        let agent = app.ask.agents.agent(&key.agent_id).await?;
        let agent = agent.ok_or_else(refused)?;
        Caller::new(&agent.agent_id).asks(parts);
        Ok(KnownAgent(agent))
    }
}

impl Input for KnownAgent {
    fn describe(operation: &mut Operation<'_>) {
        let about = "The key of an agent, `aah_…`, which an admin makes.";
        let scheme = json!({ "type": "http", "scheme": "bearer", "description": about });
        operation.credential("agent", scheme);
    }
}
