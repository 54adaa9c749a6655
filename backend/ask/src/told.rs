//! Agents are told that a question of theirs is over, where they want to be.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tablewright_stream::events::{Event, Secret, Sink, Webhook};
use tablewright_stream::{Failure, Turn};
use tokio::sync::Semaphore;

use crate::model::{Agent, AgentRepo, Ask};

/// Of how many agents the connections are kept.
const MOST: usize = 1000;

/// How long a receiver may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many events of one agent are tried at once, those that wait for another attempt among them. The others wait for their turn, which is no attempt and takes no lane: one that is slow gets all
/// that it takes, and one that is silent holds up nobody else.
const AT_ONCE: usize = 4;

/// What they are told of.
const TOLD: [&str; 2] = ["QuestionClosed", "QuestionExpired"];

/// Sends each agent what happened to its questions, signed with its own secret.
#[derive(Debug)]
pub struct AgentWebhooks {
    agents: AgentRepo,
    known: Mutex<HashMap<String, Known>>,
    turns: Mutex<HashMap<String, Arc<Semaphore>>>,
    trying: Trying,
}

/// How often an event is tried before it has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trying {
    /// So often.
    pub attempts: u32,
    /// How long to wait after the first time; twice as long after each further one.
    pub first_wait: Duration,
    /// For how long an agent that did not take an event is tried once with each.
    pub silence: Duration,
}

impl Trying {
    /// Once: whoever calls tries again.
    const ONCE: Self = Trying {
        attempts: 1,
        first_wait: Duration::ZERO,
        silence: Duration::ZERO,
    };
}

/// Where an agent was told the last time, with its connections.
#[derive(Debug)]
struct Known {
    url: String,
    secret: String,
    webhook: Arc<Webhook>,
    /// When it did not take an event, unless it has taken one since.
    failed: Option<Instant>,
}

impl AgentWebhooks {
    /// To the agents of these tables.
    pub fn new(ask: &Ask) -> Self {
        AgentWebhooks {
            agents: ask.agents.clone(),
            known: Mutex::default(),
            turns: Mutex::default(),
            trying: Trying::ONCE,
        }
    }

    /// With more attempts, where whoever calls has others to attend to.
    #[must_use]
    pub fn trying(mut self, trying: Trying) -> Self {
        self.trying = trying;
        self
    }

    /// How often an agent is tried with its next event.
    fn attempts_for(&self, agent_id: &str) -> u32 {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = known.get(agent_id).and_then(|known| known.failed);
        match failed {
            Some(failed) if failed.elapsed() < self.trying.silence => 1,
            _ => self.trying.attempts,
        }
    }

    /// Writes down what became of an event.
    fn became(&self, agent_id: &str, failed: Option<Instant>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get_mut(agent_id) {
            known.failed = failed;
        }
    }

    /// The turns of an agent.
    fn turns_of(&self, agent_id: &str) -> Arc<Semaphore> {
        let mut all = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            // What somebody has or waits for is kept.
            all.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        let turns = all
            .entry(agent_id.to_owned())
            .or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE)));
        Arc::clone(turns)
    }

    /// Where an agent wants to be told; none when it does not.
    fn webhook_of(&self, agent: &Agent) -> Result<Option<Arc<Webhook>>, Failure> {
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
        let webhook = Arc::new(Webhook::new(url, vec![signing]).patience(PATIENCE));
        if known.len() >= MOST {
            known.clear();
        }
        let now = Known {
            url: url.clone(),
            secret: secret.clone(),
            webhook: Arc::clone(&webhook),
            failed: None,
        };
        known.insert(agent.agent_id.clone(), now);
        Ok(Some(webhook))
    }
}

impl Sink for AgentWebhooks {
    async fn deliver(&self, event: &Event) -> Result<(), Failure> {
        if !is_told(event) {
            return Ok(());
        }
        let agent_id = agent_of(event);
        let agent_id =
            agent_id.ok_or_else(|| Failure::Record(String::from("it is of no agent")))?;
        let Some(agent) = self.agents.agent(agent_id).await? else {
            return Ok(());
        };
        let Some(webhook) = self.webhook_of(&agent)? else {
            return Ok(());
        };
        // A receiver that is away is an agent's own affair: after some attempts its event is a dead letter, and holds up nobody else's.
        let attempts = self.attempts_for(agent_id);
        let mut wait = self.trying.first_wait;
        for attempt in 1.. {
            let Err(failure) = webhook.deliver(event).await else {
                break;
            };
            if attempt >= attempts {
                self.became(agent_id, Some(Instant::now()));
                return Err(Failure::Record(failure.to_string()));
            }
            tokio::time::sleep(wait).await;
            wait *= 2;
        }
        self.became(agent_id, None);
        Ok(())
    }

    fn has_turns(&self) -> bool {
        true
    }

    async fn turn(&self, event: &Event) -> Turn {
        let Some(agent_id) = agent_of(event).filter(|_| is_told(event)) else {
            return Turn::default();
        };
        let turn = self.turns_of(agent_id).acquire_owned().await;
        // Nobody closes it.
        turn.map(Turn::holding).unwrap_or_default()
    }
}

fn is_told(event: &Event) -> bool {
    TOLD.contains(&event.detail_type.as_str())
}

fn agent_of(event: &Event) -> Option<&str> {
    event.detail.get("agent_id").and_then(Value::as_str)
}
