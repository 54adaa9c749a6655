//! Whether the service lives, and whether it can do its work.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Mutex;

use crate::About;
use crate::answer::Answer;

/// How long a check may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long what was found is said again, so that asking often costs nothing.
const FRESH: Duration = Duration::from_secs(1);

type Checking = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;
type Check = Box<dyn Fn() -> Checking + Send + Sync>;

/// What is asked whether the service is ready.
pub(crate) struct Health {
    about: About,
    checks: BTreeMap<&'static str, Check>,
    found: Mutex<Option<(Instant, Readiness)>>,
    ending: AtomicBool,
}

/// What `/health` and `/health/ready` say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Readiness {
    /// `ok`, `failing`, or `ending` when the service was told to end.
    pub status: &'static str,
    /// The service.
    pub service: &'static str,
    /// The version of its API.
    pub version: &'static str,
    /// What it needs, each `ok` or `failing`. Why is in the log.
    pub checks: BTreeMap<&'static str, &'static str>,
}

impl Health {
    pub(crate) fn new(about: About) -> Self {
        Health {
            about,
            checks: BTreeMap::new(),
            found: Mutex::new(None),
            ending: AtomicBool::new(false),
        }
    }

    pub(crate) fn add<F>(
        &mut self,
        name: &'static str,
        check: impl Fn() -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        let check: Check = Box::new(move || Box::pin(check()));
        self.checks.insert(name, check);
    }

    /// From now on the service is not ready, whatever it finds: it is about to end.
    pub(crate) fn end(&self) {
        self.ending.store(true, Ordering::Relaxed);
    }

    async fn readiness(&self) -> Readiness {
        let mut found = self.found.lock().await;
        let mut readiness = match &*found {
            Some((at, readiness)) if at.elapsed() < FRESH => readiness.clone(),
            _ => {
                let readiness = self.look().await;
                *found = Some((Instant::now(), readiness.clone()));
                readiness
            }
        };
        if self.ending.load(Ordering::Relaxed) {
            readiness.status = "ending";
        }
        readiness
    }

    async fn look(&self) -> Readiness {
        let mut checks = BTreeMap::new();
        for (name, check) in &self.checks {
            let checked = tokio::time::timeout(PATIENCE, check()).await;
            let checked = checked.unwrap_or_else(|_| Err(format!("no answer within {PATIENCE:?}")));
            let word = match checked {
                Ok(()) => "ok",
                Err(why) => {
                    tracing::warn!(check = name, why, "the service is not ready");
                    "failing"
                }
            };
            checks.insert(*name, word);
        }
        let all_well = checks.values().all(|word| *word == "ok");
        Readiness {
            status: if all_well { "ok" } else { "failing" },
            service: self.about.name,
            version: self.about.version,
            checks,
        }
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Health")
            .field("checks", &self.checks.keys())
            .finish_non_exhaustive()
    }
}

/// `/health/live`: the process answers.
pub(crate) async fn live() -> Response {
    Answer::json(200, &serde_json::json!({ "status": "ok" })).into_response()
}

/// `/health/ready`: the process can do its work.
pub(crate) async fn ready(State(health): State<Arc<Health>>) -> Response {
    let readiness = health.readiness().await;
    let status = match readiness.status {
        "ok" => StatusCode::OK,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    Answer::json(status.as_u16(), &readiness).into_response()
}

/// `/health`: the same for people, with status 200 as long as the process answers.
pub(crate) async fn health(State(health): State<Arc<Health>>) -> Response {
    Answer::json(200, &health.readiness().await).into_response()
}
