//! What admins do: agents, keys, and answers that look like abuse.

use axum::extract::State;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tablewright::Timestamp;
use tablewright_service::{
    Created, Cursor, Json, Kind, Limit as PageLimit, Listing, NoContent, Params, Path, Problem,
    Routes, delete, get, post, put,
};

use crate::agents::{self, AgentSaid};
use crate::model::{Agent, AgentKey, ApiKey};
use crate::state::App;
use crate::who::Admin;

/// What stays as it is within a part of a path.
const AS_IT_IS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

pub(super) fn routes() -> Routes<App> {
    Routes::new("Admins", "Who may ask, and what looks like abuse.")
        .route(
            put("/admin/agents/{agent_id}", put_agent)
                .summary("Make an agent known, or change it")
                .about("What is not said stays as it is, or is the usual. `webhook_secret` is there when the address is new.")
                .problem(Kind::CONFLICT),
        )
        .route(
            get("/admin/agents/{agent_id}", get_agent)
                .summary("An agent, and what it may")
                .about("Its `webhook_secret` is not shown again.")
                .problem(Kind::NOT_FOUND),
        )
        .route(
            post("/admin/agents/{agent_id}/keys", add_key)
                .summary("Make a key for an agent")
                .about("The key is shown this once; only a hash of it is kept.")
                .problem(Kind::NOT_FOUND),
        )
        .route(
            get("/admin/agents/{agent_id}/keys", list_keys)
                .summary("The keys of an agent, the latest first")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::BAD_CURSOR),
        )
        .route(
            delete("/admin/agents/{agent_id}/keys/{key_hash}", revoke_key)
                .summary("Revoke a key")
                .about("By its hash, or the first 8 letters of it or more.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::CONFLICT)
                .problem(Kind::INVALID),
        )
}

/// An agent, as admins see it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct AgentView {
    agent_id: String,
    name: String,
    questions_per_hour: i64,
    open_questions: i64,
    polls_per_hour: i64,
    webhook_url: Option<String>,
    /// What signs what is sent to `webhook_url`: shown when it is new, and never again.
    webhook_secret: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl AgentView {
    fn new(agent: &Agent, webhook_secret: Option<String>) -> Self {
        AgentView {
            agent_id: agent.agent_id.clone(),
            name: agent.name.clone(),
            questions_per_hour: agent.questions_per_hour,
            open_questions: agent.open_questions,
            polls_per_hour: agent.polls_per_hour,
            webhook_url: agent.webhook_url.clone(),
            webhook_secret,
            created_at: agent.created_at,
            updated_at: agent.updated_at,
        }
    }
}

/// A key, without what is secret.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct KeyView {
    key_hash: String,
    label: String,
    active: bool,
    created_at: Timestamp,
    revoked_at: Option<Timestamp>,
}

impl From<&ApiKey> for KeyView {
    fn from(key: &ApiKey) -> Self {
        KeyView {
            key_hash: key.key_hash.clone(),
            label: key.label.clone(),
            active: key.active,
            created_at: key.created_at,
            revoked_at: key.revoked_at,
        }
    }
}

/// A key that was made just now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct MadeKey {
    /// What the agent sends: `Authorization: Bearer aah_…`.
    key: String,
    #[serde(flatten)]
    kept: KeyView,
}

/// A key to be made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Labelled {
    /// What it is for.
    #[schemars(length(min = 1, max = 100))]
    label: String,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Keys {
    /// How many a page has.
    #[serde(default)]
    limit: PageLimit,
    /// Where the page begins: the `next_cursor` of the page before.
    cursor: Option<Cursor>,
}

/// An id in the path has the form of every id.
fn id(agent_id: &str) -> Result<(), Problem> {
    match agents::is_id(agent_id) {
        true => Ok(()),
        false => Err(Problem::new(Kind::MALFORMED).field("agent_id", agents::AN_ID)),
    }
}

async fn get_agent(
    State(app): State<App>,
    _: Admin,
    Path(agent_id): Path<String>,
) -> Result<Json<AgentView>, Problem> {
    id(&agent_id)?;
    let agent = agents::known(&app.ask, &agent_id).await?;
    Ok(Json(AgentView::new(&agent, None)))
}

async fn put_agent(
    State(app): State<App>,
    _: Admin,
    Path(agent_id): Path<String>,
    Json(said): Json<AgentSaid>,
) -> Result<Json<AgentView>, Problem> {
    id(&agent_id)?;
    let before = app.ask.agents.items();
    let before = before.read_strong(&AgentKey::new(&agent_id)).await?;
    let before = before.and_then(|agent| agent.data.webhook_secret);
    let (agent, _) = agents::add_agent(&app.ask, &agent_id, &said).await?;
    let secret = agent.webhook_secret.clone();
    Ok(Json(AgentView::new(
        &agent,
        secret.filter(|secret| Some(secret) != before.as_ref()),
    )))
}

async fn add_key(
    State(app): State<App>,
    _: Admin,
    Path(agent_id): Path<String>,
    Json(said): Json<Labelled>,
) -> Result<Created<MadeKey>, Problem> {
    id(&agent_id)?;
    let made = agents::add_key(&app.ask, &agent_id, &said.label).await?;
    let encoded = utf8_percent_encode(&agent_id, AS_IT_IS);
    let location = format!("/admin/agents/{encoded}/keys/{}", made.kept.key_hash);
    let made = MadeKey {
        key: made.key,
        kept: KeyView::from(&made.kept.data),
    };
    Ok(Created::new(made, location))
}

async fn list_keys(
    State(app): State<App>,
    _: Admin,
    Path(agent_id): Path<String>,
    Params(params): Params<Keys>,
) -> Result<Json<Listing<KeyView>>, Problem> {
    id(&agent_id)?;
    let cursor = params.cursor.as_ref().map(Cursor::as_str);
    let page = agents::keys(&app.ask, &agent_id, params.limit.get(), cursor).await?;
    Ok(Json(Listing::of(page, |key| KeyView::from(&key.data))))
}

async fn revoke_key(
    State(app): State<App>,
    _: Admin,
    Path((agent_id, key_hash)): Path<(String, String)>,
) -> Result<NoContent, Problem> {
    id(&agent_id)?;
    agents::revoke_key(&app.ask, &agent_id, &key_hash).await?;
    Ok(NoContent)
}
