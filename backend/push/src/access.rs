//! Access tokens: asked for once, and used until shortly before they end.

use std::fmt;
use std::time::{Duration, Instant, SystemTime};

use serde::Deserialize;
use tablewright_http::Client;
use tokio::sync::Mutex;

use crate::NotSent;
use crate::account::ServiceAccount;

/// How long before its end a token is no longer used: a request with it may take its time.
const MARGIN: Duration = Duration::from_secs(60);

/// The token there is.
#[derive(Debug, Default)]
pub(crate) struct Access(Mutex<Option<Token>>);

#[derive(Clone)]
struct Token {
    text: String,
    good_until: Instant,
}

#[derive(Deserialize)]
struct Given {
    access_token: String,
    expires_in: u64,
}

impl Access {
    /// A token that is good. Who comes while another asks for one waits for that one.
    pub(crate) async fn token(
        &self,
        account: &ServiceAccount,
        client: &Client,
    ) -> Result<String, NotSent> {
        let mut known = self.0.lock().await;
        let good = known.as_ref().filter(|token| token.is_good());
        if let Some(token) = good {
            return Ok(token.text.clone());
        }
        let token = ask(account, client).await?;
        Ok(known.insert(token).text.clone())
    }

    /// This token was not accepted. If another has taken its place since, that one stays.
    pub(crate) async fn forget(&self, refused: &str) {
        let mut known = self.0.lock().await;
        if known.as_ref().is_some_and(|token| token.text == refused) {
            *known = None;
        }
    }
}

impl Token {
    fn is_good(&self) -> bool {
        Instant::now() < self.good_until
    }
}

async fn ask(account: &ServiceAccount, client: &Client) -> Result<Token, NotSent> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs());
    let form = form_urlencoded::Serializer::new(String::new())
        .append_pair("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
        .append_pair("assertion", &account.assertion(now))
        .finish();
    let headers = [
        ("accept", "application/json"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let asked = Instant::now();
    let answer = client.post(&account.token_url, &headers, form.into_bytes());
    let answer = answer
        .await
        .map_err(|error| NotSent::later(format!("no access token: {error}")))?;
    // Whatever the reason, it is nothing about the notification: it may be sent when we are let in.
    if !(200..300).contains(&answer.status) {
        return Err(NotSent::Later {
            why: format!("no access token: status {}", answer.status),
            after: answer.retry_after,
        });
    }
    let given: Given = serde_json::from_slice(&answer.body)
        .map_err(|_| NotSent::later("no access token: the answer has none"))?;
    let good_for = Duration::from_secs(given.expires_in).saturating_sub(MARGIN);
    // What ends sooner than that is used once.
    Ok(Token {
        text: given.access_token,
        good_until: asked.checked_add(good_for).unwrap_or(asked),
    })
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
