//! Sending by Firebase.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tablewright_http::{Answer, Client};

use crate::NotSent;
use crate::access::Access;
use crate::account::ServiceAccount;
use crate::answer::{is_about_us, judged};
use crate::push::Push;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest answer that is read.
const LONGEST: usize = 64 * 1024;

/// Firebase Cloud Messaging, by HTTP v1. Clones share their access token.
#[derive(Debug, Clone)]
pub struct Fcm(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    account: ServiceAccount,
    url: String,
    client: Client,
    access: Access,
    /// Whether anything was taken as ours: then the project is the right one.
    was_taken: AtomicBool,
}

impl Fcm {
    /// Where Firebase is.
    pub const ENDPOINT: &str = "https://fcm.googleapis.com";

    /// As this account, to devices of its project.
    pub fn new(account: ServiceAccount, endpoint: &str) -> Self {
        let endpoint = endpoint.trim_end_matches('/');
        Fcm(Arc::new(Inner {
            url: format!("{endpoint}/v1/projects/{}/messages:send", account.project),
            account,
            client: Client::new(PATIENCE, LONGEST),
            access: Access::default(),
            was_taken: AtomicBool::new(false),
        }))
    }

    pub(crate) async fn ready(&self) -> Result<(), NotSent> {
        self.0.token().await.map(drop)
    }

    pub(crate) async fn send(&self, push: &Push) -> Result<(), NotSent> {
        let message = push.message().to_string();
        let token = self.0.token().await?;
        let mut answer = self.0.post(&message, &token).await?;
        if is_about_us(&answer) {
            // It may have ended before its time. Once more with another; a second refusal is not about the token.
            self.0.access.forget(&token).await;
            let token = self.0.token().await?;
            answer = self.0.post(&message, &token).await?;
        }
        match judged(&answer) {
            Ok(()) => {
                self.0.was_taken.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(NotSent::OfAnotherProject(why)) if self.0.was_taken.load(Ordering::Relaxed) => {
                Err(NotSent::Unregistered(why))
            }
            not_sent => not_sent,
        }
    }
}

impl Inner {
    async fn token(&self) -> Result<String, NotSent> {
        self.access.token(&self.account, &self.client).await
    }

    async fn post(&self, message: &str, token: &str) -> Result<Answer, NotSent> {
        let authorization = format!("Bearer {token}");
        let headers = [
            ("authorization", authorization.as_str()),
            ("content-type", "application/json"),
        ];
        let sent = self.client.post(&self.url, &headers, message.into());
        sent.await.map_err(|error| match error.was_not_sent() {
            true => NotSent::later(format!("Firebase cannot be reached: {error}")),
            false => NotSent::Unanswered(format!("Firebase does not answer: {error}")),
        })
    }
}
