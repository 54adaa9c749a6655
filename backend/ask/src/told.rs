//! Agents are told that a question of theirs is over, where they want to be.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tablewright_stream::Failure;
use tablewright_stream::events::{Event, Secret, Sink, Webhook};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::model::{Agent, AgentRepo, Ask};

/// Of how many agents the connections are kept.
const MOST: usize = 1000;

/// How long a receiver may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many events are on their way to one agent at once, and how long one more waits for its turn. A receiver that takes what it is sent and never answers would
/// otherwise have all lanes, and others would wait for it; what finds no turn steps aside, as after a failure.
const AT_ONCE: usize = 2;
const TURN: Duration = Duration::from_millis(250);

/// What they are told of.
const TOLD: [&str; 2] = ["QuestionClosed", "QuestionExpired"];

/// Sends each agent what happened to its questions, signed with its own secret.
#[derive(Debug)]
pub struct AgentWebhooks {
    agents: AgentRepo,
    known: Mutex<HashMap<String, Known>>,
}

/// Where an agent was told the last time, with its connections.
#[derive(Debug)]
struct Known {
    url: String,
    secret: String,
    webhook: Arc<Receiver>,
}

/// Where an agent is told.
#[derive(Debug)]
struct Receiver {
    webhook: Webhook,
    turns: Semaphore,
}

impl Receiver {
    async fn deliver(&self, event: &Event) -> Result<(), Failure> {
        let turn = timeout(TURN, self.turns.acquire()).await;
        let Ok(Ok(_turn)) = turn else {
            return Err(Failure::Record(String::from(
                "the receiver has not answered what it was sent before",
            )));
        };
        self.webhook.deliver(event).await
    }
}

impl AgentWebhooks {
    /// To the agents of these tables.
    pub fn new(ask: &Ask) -> Self {
        AgentWebhooks {
            agents: ask.agents.clone(),
            known: Mutex::default(),
        }
    }

    /// Where an agent wants to be told; none when it does not.
    fn webhook_of(&self, agent: &Agent) -> Result<Option<Arc<Receiver>>, Failure> {
        let (Some(url), Some(secret)) = (&agent.webhook_url, &agent.webhook_secret) else {
            return Ok(None);
        };
        // What is in it is whole, whatever happened to whoever held it.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let same = known
            .get(&agent.agent_id)
            .filter(|known| known.url == *url && known.secret == *secret);
        if let Some(same) = same {
            return Ok(Some(Arc::clone(&same.webhook)));
        }
        let signing: Result<Secret, _> = secret.parse();
        let signing = signing.map_err(|error| Failure::Record(error.to_string()))?;
        let webhook = Arc::new(Receiver {
            webhook: Webhook::new(url, vec![signing]).patience(PATIENCE),
            turns: Semaphore::new(AT_ONCE),
        });
        if known.len() >= MOST {
            known.clear();
        }
        let now = Known {
            url: url.clone(),
            secret: secret.clone(),
            webhook: Arc::clone(&webhook),
        };
        known.insert(agent.agent_id.clone(), now);
        Ok(Some(webhook))
    }
}

impl Sink for AgentWebhooks {
    async fn deliver(&self, event: &Event) -> Result<(), Failure> {
        if !TOLD.contains(&event.detail_type.as_str()) {
            return Ok(());
        }
        let agent_id = event.detail.get("agent_id").and_then(Value::as_str);
        let agent_id =
            agent_id.ok_or_else(|| Failure::Record(String::from("it is of no agent")))?;
        let Some(agent) = self.agents.agent(agent_id).await? else {
            return Ok(());
        };
        let Some(webhook) = self.webhook_of(&agent)? else {
            return Ok(());
        };
        // A receiver that is away is an agent's own affair: after some attempts its event is a dead letter, and holds up nobody else's.
        let sent = webhook.deliver(event).await;
        sent.map_err(|failure| Failure::Record(failure.to_string()))
    }
}
