//! Somebody who sends a request again, with its key, until it is answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use http::Method;
use serde_json::Value;
use tablewright_testing::{Caller, Reply};

use crate::dice::Dice;

/// How long one answer is waited for: longer than any service takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long it is tried once everything works again.
const IN_THE_CALM: Duration = Duration::from_secs(90);

/// What all who ask share.
#[derive(Debug, Default)]
pub(crate) struct Going {
    /// Nothing new is begun any more.
    pub(crate) over: AtomicBool,
    /// Requests that were sent, those that were sent again, and those that were answered for good.
    pub(crate) sent: AtomicU64,
    pub(crate) again: AtomicU64,
    pub(crate) answered: AtomicU64,
    /// Answers that say that something is wrong with the service, and not with what is around it.
    pub(crate) internal: AtomicU64,
    most: u64,
}

impl Going {
    /// Goes on until it is over or so many requests were sent.
    pub(crate) fn bounded_by(most: u64) -> Self {
        Going {
            most,
            ..Going::default()
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst) || self.sent.load(Ordering::Relaxed) >= self.most
    }
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
    pub(crate) headers: Vec<(&'static str, String)>,
}

impl Asked {
    pub(crate) fn new(method: Method, path: impl Into<String>, body: Option<Value>) -> Self {
        Asked {
            method,
            path: path.into(),
            body,
            headers: Vec::new(),
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn key(self, key: impl Into<String>) -> Self {
        self.header("idempotency-key", key)
    }
}

/// Somebody who insists.
#[derive(Debug, Clone)]
pub(crate) struct Insistent {
    caller: Caller,
    going: Arc<Going>,
    dice: Dice,
}

impl Insistent {
    pub(crate) fn new(caller: Caller, going: &Arc<Going>, dice: Dice) -> Self {
        Insistent {
            caller,
            going: Arc::clone(going),
            dice,
        }
    }

    /// Somebody else at the same service.
    pub(crate) fn bearing(&self, token: &str) -> Self {
        Insistent {
            caller: self.caller.bearing(Some(token.to_owned())),
            ..self.clone()
        }
    }

    /// The answer that counts.
    ///
    /// # Errors
    /// What was said last, when there is none though nothing fails any more.
    pub(crate) async fn ask(&mut self, asked: &Asked) -> Result<Reply, String> {
        let mut calm_since: Option<Instant> = None;
        let mut first = true;
        loop {
            let reply = self.once(asked, first).await;
            first = false;
            let last = match reply {
                Ok(reply) if is_final(&reply) => {
                    self.going.answered.fetch_add(1, Ordering::Relaxed);
                    return Ok(reply);
                }
                Ok(reply) => reply.text,
                Err(why) => why,
            };
            if self.going.over.load(Ordering::SeqCst)
                && calm_since.get_or_insert_with(Instant::now).elapsed() > IN_THE_CALM
            {
                let Asked { method, path, .. } = asked;
                return Err(format!("{method} {path} is not answered: {last}"));
            }
            let pause = Duration::from_millis(self.dice.between(30, 300));
            tokio::time::sleep(pause).await;
        }
    }

    async fn once(&self, asked: &Asked, first: bool) -> Result<Reply, String> {
        self.going.sent.fetch_add(1, Ordering::Relaxed);
        if !first {
            self.going.again.fetch_add(1, Ordering::Relaxed);
        }
        let body = asked.body.as_ref().map(Value::to_string);
        let headers: Vec<(&str, &str)> = asked
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let (method, path) = (asked.method.clone(), &asked.path);
        let sent = self
            .caller
            .try_send(method, path, body.as_deref(), &headers);
        match tokio::time::timeout(PATIENCE, sent).await {
            Ok(reply) => {
                if reply.as_ref().is_ok_and(|reply| reply.status == 500) {
                    self.going.internal.fetch_add(1, Ordering::Relaxed);
                }
                reply
            }
            Err(_) => Err(format!("no answer in {PATIENCE:?}")),
        }
    }

    /// Lets some time pass.
    pub(crate) async fn pause(&mut self, milliseconds: u64) {
        let pause = Duration::from_millis(self.dice.between(1, milliseconds));
        tokio::time::sleep(pause).await;
    }
}

/// Whether an answer is the last word: not of a service that cannot answer now, nor of one where another was faster.
fn is_final(reply: &Reply) -> bool {
    match reply.status {
        408 | 500.. => false,
        409 => reply.body["type"] != "/problems/conflict",
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply(status: u16, kind: &str) -> Reply {
        Reply {
            status,
            headers: http::HeaderMap::new(),
            text: String::new(),
            body: json!({ "type": format!("/problems/{kind}") }),
        }
    }

    #[test]
    fn a_refusal_is_an_answer_and_an_excuse_is_none() {
        for (status, kind) in [(200, ""), (409, "refused"), (410, ""), (422, ""), (429, "")] {
            assert!(is_final(&reply(status, kind)), "{status}");
        }
        for (status, kind) in [(409, "conflict"), (408, ""), (500, ""), (503, "uncertain")] {
            assert!(!is_final(&reply(status, kind)), "{status}");
        }
    }

    #[test]
    fn it_goes_on_until_it_is_over_or_enough_was_sent() {
        let going = Going::bounded_by(2);
        assert!(!going.is_over());
        going.sent.fetch_add(2, Ordering::Relaxed);
        assert!(going.is_over());
        let going = Going::bounded_by(2);
        going.over.store(true, Ordering::SeqCst);
        assert!(going.is_over());
    }
}
