//! The service, as an agent asks it.

use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tablewright::Uuid;
use tablewright_http::{Answer, Client};
use tablewright_service::{Kind, Secret};
use tokio::time::{Instant, sleep};

use super::answers::{Asked, Question};

/// For how long the service holds a request that waits, at most.
const LONG_POLL: Duration = Duration::from_secs(30);

/// A request that waits, and some more.
const PATIENCE: Duration = Duration::from_secs(45);

/// 50 answers of 5000 characters, each of which may be 12 bytes of JSON, and what is around them.
const LONGEST: usize = 4 * 1024 * 1024;

/// So often a question is sent: with the same key, so that it is asked once.
const TRIES: u32 = 4;

/// The service at an address.
#[derive(Debug)]
pub(super) struct Service {
    client: Client,
    address: String,
    authorization: Option<Secret>,
}

/// Why there are no answers, in words for the model that asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// An argument is wrong.
    Argument(String),
    /// `ASK_A_HUMAN_KEY` is not set.
    NoKey,
    /// The service says no, and perhaps in how many seconds it may say something else.
    Refused(Refusal, Option<Duration>),
    /// Nobody answers there, or not what this can read.
    Away(String),
    /// The client does not want to know any more.
    Cancelled,
}

/// A problem of the service.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Refusal {
    r#type: String,
    status: u16,
    title: String,
    detail: Option<String>,
    #[serde(default)]
    errors: Vec<Fault>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Fault {
    field: String,
    reason: String,
}

impl Service {
    /// Nothing when it is no address of the web.
    pub(super) fn at(address: &str, key: Option<String>) -> Option<Self> {
        let of_the_web = ["http://", "https://"];
        let of_the_web = of_the_web.iter().any(|scheme| address.starts_with(scheme));
        of_the_web.then(|| Service {
            client: Client::new(PATIENCE, LONGEST),
            address: address.trim_end_matches('/').to_owned(),
            authorization: key.map(|key| Secret::new(format!("Bearer {key}"))),
        })
    }

    /// Asks people, once: the key goes along with every try.
    pub(super) async fn submit(&self, question: &Map<String, Value>) -> Result<Asked, Failure> {
        let authorization = self.authorization()?;
        let key = Uuid::now_v7().to_string();
        let headers = [
            ("authorization", authorization),
            ("content-type", "application/json"),
            ("idempotency-key", key.as_str()),
        ];
        let url = format!("{}/agent/questions", self.address);
        let body = Value::from(question.clone()).to_string().into_bytes();
        let mut tried = 1;
        loop {
            let answer = self.client.post(&url, &headers, body.clone()).await;
            let answer = answer.map_err(|error| Failure::Away(error.to_string()));
            match answer.and_then(|answer| read(&answer)) {
                Err(failure) if failure.may_pass() && tried < TRIES => {
                    sleep(Duration::from_millis(250) * 2_u32.pow(tried)).await;
                    tried += 1;
                }
                answered => return answered,
            }
        }
    }

    /// The question when no more answers come, or as it is after so long. Whenever something is new, and at the latest every 30 seconds,
    /// `told` hears of it.
    pub(super) async fn answers<F: Future<Output = ()>>(
        &self,
        question: Uuid,
        wait: Duration,
        told: impl Fn(u64, Question) -> F,
    ) -> Result<Question, Failure> {
        let begun = Instant::now();
        loop {
            let left = wait.saturating_sub(begun.elapsed()).min(LONG_POLL);
            let found = self.question(question, left.as_secs()).await?;
            if found.is_over() || left.as_secs() == 0 {
                return Ok(found);
            }
            told(begun.elapsed().as_secs(), found).await;
        }
    }

    /// After so many seconds at the latest.
    async fn question(&self, question: Uuid, wait: u64) -> Result<Question, Failure> {
        let headers = [("authorization", self.authorization()?)];
        let mut url = format!("{}/agent/questions/{question}", self.address);
        if wait > 0 {
            url.push_str(&format!("?wait={wait}"));
        }
        let answer = self.client.get_with(&url, &headers).await;
        read(&answer.map_err(|error| Failure::Away(error.to_string()))?)
    }

    fn authorization(&self) -> Result<&str, Failure> {
        let authorization = self.authorization.as_ref();
        authorization.map(Secret::reveal).ok_or(Failure::NoKey)
    }
}

fn read<T: DeserializeOwned>(answer: &Answer) -> Result<T, Failure> {
    let unreadable = |error: serde_json::Error| {
        let status = answer.status;
        Failure::Away(format!(
            "what it answers, with status {status}, is not Ask-a-Human: {error}"
        ))
    };
    match answer.status {
        200..300 => serde_json::from_slice(&answer.body).map_err(unreadable),
        _ => {
            let refusal = serde_json::from_slice(&answer.body).map_err(unreadable)?;
            Err(Failure::Refused(refusal, answer.retry_after))
        }
    }
}

impl Failure {
    /// Whether it is another matter a moment later.
    fn may_pass(&self) -> bool {
        match self {
            Failure::Away(_) => true,
            Failure::Refused(refusal, _) => {
                refusal.status >= 500 || refusal.r#type == Kind::CONFLICT.uri()
            }
            Failure::Argument(_) | Failure::NoKey | Failure::Cancelled => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Argument(wrong) => f.write_str(wrong),
            Failure::NoKey => f.write_str(
                "this server has no key of an agent: whoever set it up must give it one in ASK_A_HUMAN_KEY; `ask key add AGENT` makes one",
            ),
            Failure::Refused(refusal, None) => refusal.fmt(f),
            Failure::Refused(refusal, Some(wait)) => {
                write!(f, "{refusal}\nTry again in {} seconds.", wait.as_secs())
            }
            Failure::Away(why) => write!(f, "Ask-a-Human cannot be reached: {why}"),
            Failure::Cancelled => f.write_str("it was called off"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.title)?;
        if let Some(detail) = &self.detail {
            write!(f, ": {detail}")?;
        }
        for Fault { field, reason } in &self.errors {
            write!(f, "\n{field}: {reason}")?;
        }
        if self.status == 401 {
            f.write_str("\nThe key in ASK_A_HUMAN_KEY is not good.")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What met others is sent again with the same key, as is what the service failed at; what it says no to is not.
    #[test]
    fn what_may_pass_is_told_from_what_does_not() {
        for (status, kind, may_pass) in [
            (409, "conflict", true),
            (503, "overloaded", true),
            (409, "refused", false),
            (403, "quota-exceeded", false),
            (429, "rate-limited", false),
        ] {
            let body = serde_json::json!({
                "type": format!("/problems/{kind}"), "title": "No", "status": status,
            });
            let answer = Answer {
                status,
                body: body.to_string().into_bytes(),
                retry_after: None,
            };
            let failure = read::<Asked>(&answer).map(drop).unwrap_err();
            assert_eq!(failure.may_pass(), may_pass, "{failure:?}");
        }
    }
}
