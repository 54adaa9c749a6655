//! Where agents are told that a question is over: a receiver on loopback that refuses, is slow and forgets to answer, and writes down what it took.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tablewright_stream::events::Secret;
use tokio::net::TcpListener;

use crate::connector::Cut;
use crate::dice::Dice;
use crate::lock;

/// How often it does not take one event, at most: after seven attempts the service gives an event up.
const UNWILLING: u32 = 3;

/// An event it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Taken {
    /// The id by which a receiver knows that it has it already.
    pub(crate) event: String,
    pub(crate) agent: String,
    /// As `QuestionClosed`.
    pub(crate) kind: String,
    pub(crate) question: String,
}

/// The receiver, for as long as the runtime lives.
#[derive(Debug)]
pub(crate) struct Receiver {
    address: String,
    desk: Arc<Desk>,
}

#[derive(Debug)]
struct Desk {
    dice: Mutex<Dice>,
    kind: AtomicBool,
    secrets: Mutex<HashMap<String, String>>,
    taken: Mutex<Vec<Taken>>,
    refusals: Mutex<HashMap<String, u32>>,
    unwilling: AtomicU64,
    strange: Mutex<Vec<String>>,
}

/// What becomes of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Take,
    Slow(Duration),
    /// Not now.
    Refuse,
    /// The line ends, and it was not taken.
    Drop,
    /// It is taken, and the line ends.
    Silent,
}

impl Receiver {
    pub(crate) async fn start(seed: u64) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}", listener.local_addr()?);
        let desk = Arc::new(Desk {
            dice: Mutex::new(Dice::of(seed, "receiver")),
            kind: AtomicBool::new(true),
            secrets: Mutex::default(),
            taken: Mutex::default(),
            refusals: Mutex::default(),
            unwilling: AtomicU64::new(0),
            strange: Mutex::default(),
        });
        let listening = Arc::clone(&desk);
        tokio::spawn(async move {
            loop {
                let Ok((connection, _)) = listener.accept().await else {
                    tokio::task::yield_now().await;
                    continue;
                };
                let desk = Arc::clone(&listening);
                let answering = service_fn(move |request| {
                    let desk = Arc::clone(&desk);
                    async move { desk.answer(request).await }
                });
                let io = TokioIo::new(connection);
                tokio::spawn(http1::Builder::new().serve_connection(io, answering));
            }
        });
        Ok(Receiver { address, desk })
    }

    /// Where an agent is told.
    pub(crate) fn url_of(&self, agent: &str) -> String {
        format!("{}/{agent}", self.address)
    }

    /// From now on it is known what is signed for an agent.
    pub(crate) fn expects(&self, agent: &str, secret: &str) {
        lock(&self.desk.secrets).insert(agent.to_owned(), secret.to_owned());
    }

    pub(crate) fn be_kind(&self, kind: bool) {
        self.desk.kind.store(kind, Ordering::SeqCst);
    }

    pub(crate) fn taken(&self) -> Vec<Taken> {
        lock(&self.desk.taken).clone()
    }

    /// How often it did not take an event, or did without a word.
    pub(crate) fn unwilling(&self) -> u64 {
        self.desk.unwilling.load(Ordering::Relaxed)
    }

    /// What nobody should have sent.
    pub(crate) fn strange(&self) -> Vec<String> {
        lock(&self.desk.strange).clone()
    }
}

impl Desk {
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Cut> {
        let (head, body) = request.into_parts();
        let body = body.collect().await.map_err(|_| Cut)?.to_bytes();
        let header = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        let signed = ["webhook-id", "webhook-timestamp", "webhook-signature"];
        let signed = signed.map(|name| header(name).unwrap_or_default().to_owned());
        let agent = head.uri.path().trim_start_matches('/').to_owned();
        let taken = match self.understood(agent, &signed, &body) {
            Ok(taken) => taken,
            Err(why) => {
                lock(&self.strange).push(why);
                return Ok(said(400));
            }
        };
        let mood = self.mood(&taken.event);
        if !matches!(mood, Mood::Take | Mood::Slow(_)) {
            self.unwilling.fetch_add(1, Ordering::Relaxed);
        }
        match mood {
            Mood::Refuse => return Ok(said(503)),
            Mood::Drop => return Err(Cut),
            Mood::Slow(time) => tokio::time::sleep(time).await,
            Mood::Take | Mood::Silent => {}
        }
        lock(&self.taken).push(taken);
        match mood {
            Mood::Silent => Err(Cut),
            _ => Ok(said(204)),
        }
    }

    /// What is said to whom, if it is signed by who knows the secret.
    fn understood(
        &self,
        agent: String,
        signed: &[String; 3],
        body: &[u8],
    ) -> Result<Taken, String> {
        let [id, timestamp, signatures] = signed;
        let secret = lock(&self.secrets).get(&agent).cloned();
        let secret = secret.ok_or_else(|| format!("{agent} wants to be told nothing"))?;
        let secret: Secret = secret
            .parse()
            .map_err(|_| format!("of {agent} no secret is known"))?;
        let now = SystemTime::UNIX_EPOCH
            .elapsed()
            .unwrap_or_default()
            .as_secs();
        let verified = secret.verify(id, timestamp, signatures, body, now);
        verified.map_err(|why| format!("{id} for {agent} is not signed: {why}"))?;
        let event: Value = serde_json::from_slice(body).map_err(|why| why.to_string())?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let detail = &event["detail"];
        if text(&detail["agent_id"]) != agent {
            return Err(format!("{agent} is told of another's: {event}"));
        }
        Ok(Taken {
            event: text(&detail["_event"]["id"]),
            agent,
            kind: text(&event["detail-type"]),
            question: text(&detail["question_id"]),
        })
    }

    fn mood(&self, event: &str) -> Mood {
        let mut dice = lock(&self.dice);
        let (thrown, time) = (
            dice.below(100),
            Duration::from_millis(dice.between(50, 1500)),
        );
        if !self.kind.load(Ordering::SeqCst) && thrown < 35 {
            if thrown < 15 {
                return Mood::Slow(time);
            }
            let mut refusals = lock(&self.refusals);
            let refused = refusals.entry(event.to_owned()).or_default();
            if *refused < UNWILLING {
                *refused += 1;
                return match thrown {
                    15..23 => Mood::Refuse,
                    23..29 => Mood::Drop,
                    _ => Mood::Silent,
                };
            }
        }
        Mood::Take
    }
}

fn said(status: u16) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::new()));
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_event_is_refused_a_few_times_and_then_taken() {
        let receiver = Receiver::start(1).await.unwrap();
        receiver.be_kind(false);
        let moods: Vec<Mood> = (0..500).map(|_| receiver.desk.mood("e")).collect();
        let unwilling = moods
            .iter()
            .filter(|mood| !matches!(mood, Mood::Take | Mood::Slow(_)));
        assert_eq!(unwilling.count(), UNWILLING as usize);
        receiver.be_kind(true);
        assert!((0..500).all(|_| receiver.desk.mood("f") == Mood::Take));
    }

    #[tokio::test]
    async fn what_is_not_signed_is_not_taken() {
        let receiver = Receiver::start(1).await.unwrap();
        let signed = ["id", "0", "v1,nothing"].map(String::from);
        let refused = |agent: &str| {
            let understood = receiver.desk.understood(agent.to_owned(), &signed, b"{}");
            understood.unwrap_err()
        };
        assert!(refused("a").contains("wants to be told nothing"));
        receiver.expects("a", "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
        assert!(refused("a").contains("is not signed"));
    }
}
