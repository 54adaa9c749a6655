//! Agents and their keys, for admins: by route and by command.

use tablewright::{Change, Error, Page, Versioned};
use tablewright_http::is_private;
use tablewright_service::{Caller, Faults, Kind, Problem, line};

use crate::model::{Agent, AgentKey, ApiKey, ApiKeyKey, Ask, ChangeAgent, RevokeKey};
use crate::signed::random;
use crate::state::now_of;
use crate::who::{KEY_PREFIX, hash_of_key};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use schemars::JsonSchema;
use serde::Deserialize;

const LABEL: usize = 100;
const ADDRESS: usize = 2000;

/// How often it is tried to change an agent while its questions change how many of them are open.
const CHANGES: u32 = 20;

/// How long the id of an agent may be: with what is counted of it in front, it is still the subject of a limit.
const ID: usize = 100;

/// With how many letters of its hash a key may be named.
const SHORTEST: usize = 8;

/// What an id of an agent is, in words.
pub(crate) const AN_ID: &str = "an id has 1 to 100 letters, digits and -_.:@|+=/~";

/// Whether a text can be the id of an agent.
pub(crate) fn is_id(agent_id: &str) -> bool {
    agent_id.len() <= ID && Caller::is_subject(agent_id)
}

/// What an agent is called, may do, and wants to hear. What is not said stays as it is, or is the usual.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSaid {
    /// What it is called; its id unless said.
    #[schemars(length(min = 1, max = 100))]
    pub name: Option<String>,
    /// How many questions it asks in an hour; 60 unless said.
    #[schemars(range(min = 1, max = 100_000))]
    pub questions_per_hour: Option<i64>,
    /// How many of its questions accept answers at a time; 100 unless said.
    #[schemars(range(min = 1, max = 10_000))]
    pub open_questions: Option<i64>,
    /// How often it reads in an hour; 600 unless said.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub polls_per_hour: Option<i64>,
    /// Where it is told that a question is over: an address, or an empty text for nowhere. A new address has a new secret.
    #[schemars(length(max = 2000))]
    pub webhook_url: Option<String>,
}

/// A key, shown this once.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// What the agent sends.
    pub key: String,
    /// What is kept of it.
    pub kept: Versioned<ApiKey>,
}

impl AgentSaid {
    fn checked(&self) -> Result<(), Problem> {
        let mut faults = Faults::new();
        if let Some(name) = &self.name {
            faults.note("name", line(name, LABEL));
        }
        for (field, number, most) in [
            ("questions_per_hour", self.questions_per_hour, 100_000),
            ("open_questions", self.open_questions, 10_000),
            ("polls_per_hour", self.polls_per_hour, 1_000_000),
        ] {
            if number.is_some_and(|number| !(1..=most).contains(&number)) {
                faults.add(field, format!("it is 1 to {most}"));
            }
        }
        if let Some(address) = self
            .webhook_url
            .as_deref()
            .filter(|address| !address.is_empty())
        {
            faults.note("webhook_url", web_address(address));
        }
        faults.none_of(Kind::INVALID)
    }
}

/// What is sent there must not be read by others on its way; a machine may talk to itself. Nobody is named in it: that would be logged, and is not sent.
fn web_address(address: &str) -> Result<(), String> {
    line(address, ADDRESS)?;
    if !is_private(address) {
        return Err(String::from(
            "it is an address that begins with https://, or http:// on this machine",
        ));
    }
    let uri: Option<http::Uri> = address.parse().ok();
    let authority = uri.as_ref().and_then(http::Uri::authority);
    match authority.is_some_and(|authority| authority.as_str().contains('@')) {
        true => Err(String::from("it has no user and no password in it")),
        false => Ok(()),
    }
}

/// Makes an agent known, or changes what is known of it. The second is whether it is new.
///
/// # Errors
/// 422 for a value that is not allowed.
pub async fn add_agent(
    ask: &Ask,
    agent_id: &str,
    said: &AgentSaid,
) -> Result<(Versioned<Agent>, bool), Problem> {
    if !is_id(agent_id) {
        return Err(Problem::invalid("agent_id", AN_ID));
    }
    said.checked()?;
    let now = now_of(ask);
    let (webhook_url, webhook_secret) = match said.webhook_url.as_deref() {
        None | Some("") => (None, None),
        Some(address) => (Some(address.to_owned()), Some(new_secret())),
    };
    let new = Agent {
        agent_id: agent_id.to_owned(),
        name: said
            .name
            .clone()
            .unwrap_or_else(|| agent_id.chars().take(LABEL).collect()),
        questions_per_hour: said.questions_per_hour.unwrap_or(60),
        open_questions: said.open_questions.unwrap_or(100),
        polls_per_hour: said.polls_per_hour.unwrap_or(600),
        webhook_url: webhook_url.clone(),
        webhook_secret: webhook_secret.clone(),
        created_at: now,
        updated_at: now,
        places_taken: 0,
    };
    match ask.agents.register_agent(new).await {
        Ok(agent) => return Ok((agent, true)),
        Err(Error::Exists { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let number = |said: Option<i64>| said.map_or(Change::Keep, Change::Set);
    let change = |before: &Versioned<Agent>| -> Result<ChangeAgent, Error> {
        let moves = said.webhook_url.is_some() && before.webhook_url != webhook_url;
        let secret = webhook_secret.clone();
        Ok(ChangeAgent {
            name: said.name.clone().map_or(Change::Keep, Change::Set),
            questions_per_hour: number(said.questions_per_hour),
            open_questions: number(said.open_questions),
            polls_per_hour: number(said.polls_per_hour),
            webhook_url: if moves {
                Change::Set(webhook_url.clone())
            } else {
                Change::Keep
            },
            webhook_secret: if moves {
                Change::Set(secret)
            } else {
                Change::Keep
            },
            updated_at: Change::Set(now),
        })
    };
    let key = AgentKey::new(agent_id);
    let mut tries = 0;
    loop {
        tries += 1;
        match ask.agents.change_agent(&key, change).await {
            Ok(changed) => return Ok((changed, false)),
            // Each of its questions takes a place and gives it back.
            Err(Error::Conflict { .. }) if tries < CHANGES => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A secret in the form of <https://www.standardwebhooks.com>.
fn new_secret() -> String {
    format!("whsec_{}", STANDARD.encode(random::<24>()))
}

/// A new key of an agent that is known.
///
/// # Errors
/// 404 when there is no such agent, 422 for a label that is not allowed.
pub async fn add_key(ask: &Ask, agent_id: &str, label: &str) -> Result<NewKey, Problem> {
    line(label, LABEL).map_err(|why| Problem::invalid("label", why))?;
    known(ask, agent_id).await?;
    let key = format!("{KEY_PREFIX}{}", URL_SAFE_NO_PAD.encode(random::<32>()));
    let kept = ApiKey {
        key_hash: hash_of_key(&key),
        agent_id: agent_id.to_owned(),
        label: label.to_owned(),
        active: true,
        created_at: now_of(ask),
        revoked_at: None,
    };
    let kept = ask.api_keys.issue_key(kept).await?;
    Ok(NewKey { key, kept })
}

/// An agent that is known, as it was written last: also a moment ago.
///
/// # Errors
/// 404 when there is none.
pub async fn known(ask: &Ask, agent_id: &str) -> Result<Versioned<Agent>, Problem> {
    let agents = ask.agents.items();
    let agent = agents.read_strong(&AgentKey::new(agent_id)).await?;
    agent.ok_or_else(|| Problem::not_found("agent"))
}

/// A page of the keys of an agent, the latest first.
///
/// # Errors
/// 404 when there is no such agent, 400 for a cursor that is none of this list.
pub(crate) async fn keys(
    ask: &Ask,
    agent_id: &str,
    limit: u32,
    cursor: Option<&str>,
) -> Result<Page<Versioned<ApiKey>>, Problem> {
    known(ask, agent_id).await?;
    let keys = ask.api_keys.keys_of_agent(agent_id).limit(limit);
    Ok(keys.after(cursor).page().await?)
}

/// All keys of an agent, the latest first.
///
/// # Errors
/// 404 when there is no such agent.
pub(crate) async fn all_keys(ask: &Ask, agent_id: &str) -> Result<Vec<Versioned<ApiKey>>, Problem> {
    known(ask, agent_id).await?;
    let keys = ask.api_keys.keys_of_agent(agent_id).limit(100);
    Ok(keys.all().collect().await?)
}

/// A key is no longer good, by its hash or the first 8 letters of it. To revoke it again changes nothing.
///
/// # Errors
/// 404 when the agent has no such key.
pub async fn revoke_key(ask: &Ask, agent_id: &str, hash: &str) -> Result<(), Problem> {
    let key = meant(ask, agent_id, hash).await?;
    let now = now_of(ask);
    let change = |_: &Versioned<ApiKey>| {
        Ok::<_, Error>(RevokeKey {
            active: Change::Set(false),
            revoked_at: Change::Set(Some(now)),
        })
    };
    match ask.api_keys.revoke_key(&key, change).await {
        Ok(_) | Err(Error::Refused { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Which key is meant. A whole hash is looked up by itself: it holds also for a key that was made a moment ago.
async fn meant(ask: &Ask, agent_id: &str, hash: &str) -> Result<ApiKeyKey, Problem> {
    let not_there = || Problem::not_found("key of this agent");
    if hash.len() < SHORTEST {
        return Err(not_there());
    }
    if hash.len() >= hash_of_key("").len() {
        let found = ask.api_keys.api_key(hash).await?;
        let own = found.filter(|key| key.agent_id == agent_id);
        return own
            .map(|key| ApiKeyKey::new(&key.key_hash))
            .ok_or_else(not_there);
    }
    let keys = all_keys(ask, agent_id).await?.into_iter();
    let mut meant = keys.filter(|key| key.key_hash.starts_with(hash));
    match (meant.next(), meant.next()) {
        (None, _) => Err(not_there()),
        (Some(key), None) => Ok(ApiKeyKey::new(&key.key_hash)),
        (Some(_), Some(_)) => Err(Problem::invalid(
            "key_hash",
            "several keys of this agent begin like this",
        )),
    }
}
