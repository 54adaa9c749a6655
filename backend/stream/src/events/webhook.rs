//! A sink: an address that gets each event by POST, signed as <https://www.standardwebhooks.com> says.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tablewright_http::Client;

use super::event::Event;
use super::publisher::Sink;
use crate::handler::Failure;

/// How long a receiver may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// Nobody reads what a receiver says but those who look for a fault.
const LONGEST: usize = 16 * 1024;

/// How old, or how far ahead of us, a signed message may be.
const TOLERANCE: Duration = Duration::from_secs(300);

const PREFIX: &str = "whsec_";

/// Sends events to an address.
#[derive(Debug)]
pub struct Webhook {
    url: String,
    secrets: Vec<Secret>,
    client: Client,
}

/// What messages are signed with: `whsec_` and 24 to 64 bytes in base 64. It is never shown.
#[derive(Clone)]
pub struct Secret(hmac::Key);

/// Why a text is no secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadSecret;

/// Why a message is not to be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsigned {
    /// Its time is not one of the last minutes, or is none.
    Stale,
    /// None of its signatures is by this secret.
    Foreign,
}

impl Webhook {
    /// Sends to an address, signed with each of the secrets: while one is replaced, there are two.
    pub fn new(url: impl Into<String>, secrets: Vec<Secret>) -> Self {
        Webhook {
            url: url.into(),
            secrets,
            client: Client::new(PATIENCE, LONGEST),
        }
    }

    /// The same, which waits for no answer longer than this; 15 seconds unless said.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Webhook {
            client: Client::new(patience, LONGEST),
            ..self
        }
    }

    async fn send(&self, event: &Event) -> Result<u16, String> {
        let body = event.to_json();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let moment = now.map_or(0, |now| now.as_secs()).to_string();
        let signatures: Vec<String> = self
            .secrets
            .iter()
            .map(|secret| secret.sign(&event.id, &moment, body.as_bytes()))
            .collect();
        let headers = [
            ("content-type", "application/json"),
            ("webhook-id", event.id.as_str()),
            ("webhook-timestamp", moment.as_str()),
            ("webhook-signature", &signatures.join(" ")),
        ];
        let sent = self.client.post(&self.url, &headers, body.into_bytes());
        let answer = sent.await.map_err(|error| error.to_string())?;
        Ok(answer.status)
    }
}

impl Sink for Webhook {
    async fn deliver(&self, event: &Event) -> Result<(), Failure> {
        match self.send(event).await {
            Ok(200..300) => Ok(()),
            // It understood, and will not have it. All else may be better later: also a receiver that is not there yet, or knows another secret.
            Ok(status @ (400 | 405..=407 | 409 | 411..=422)) => Err(Failure::Record(format!(
                "the webhook answered with status {status}"
            ))),
            Ok(status) => Err(Failure::World(format!(
                "the webhook answered with status {status}"
            ))),
            Err(why) => Err(Failure::World(format!(
                "the webhook cannot be reached: {why}"
            ))),
        }
    }
}

impl Secret {
    /// The signature of a message: `v1,…`.
    pub fn sign(&self, id: &str, timestamp: &str, body: &[u8]) -> String {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(id.as_bytes());
        context.update(b".");
        context.update(timestamp.as_bytes());
        context.update(b".");
        context.update(body);
        format!("v1,{}", STANDARD.encode(context.sign()))
    }

    /// Whether a message is to be believed: for those who receive it. `signatures` is the header `webhook-signature`, and `now` the
    /// time in seconds since 1970.
    ///
    /// # Errors
    /// [`Unsigned`]
    pub fn verify(
        &self,
        id: &str,
        timestamp: &str,
        signatures: &str,
        body: &[u8],
        now: u64,
    ) -> Result<(), Unsigned> {
        let sent: u64 = timestamp.parse().map_err(|_| Unsigned::Stale)?;
        if sent.abs_diff(now) > TOLERANCE.as_secs() {
            return Err(Unsigned::Stale);
        }
        let message = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat();
        let ours = |signature: &str| {
            let tag = signature.strip_prefix("v1,");
            let tag = tag.and_then(|tag| STANDARD.decode(tag).ok());
            tag.is_some_and(|tag| hmac::verify(&self.0, &message, &tag).is_ok())
        };
        match signatures.split(' ').any(ours) {
            true => Ok(()),
            false => Err(Unsigned::Foreign),
        }
    }
}

impl FromStr for Secret {
    type Err = BadSecret;

    fn from_str(text: &str) -> Result<Self, BadSecret> {
        let key = text.strip_prefix(PREFIX).ok_or(BadSecret)?;
        let key = STANDARD.decode(key).map_err(|_| BadSecret)?;
        match key.len() {
            24..=64 => Ok(Secret(hmac::Key::new(hmac::HMAC_SHA256, &key))),
            _ => Err(BadSecret),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl fmt::Display for BadSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the secret of a webhook is `whsec_` and 24 to 64 bytes in base 64")
    }
}

impl std::error::Error for BadSecret {}

impl fmt::Display for Unsigned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsigned::Stale => "the message is not of the last five minutes",
            Unsigned::Foreign => "the message is not signed with this secret",
        })
    }
}

impl std::error::Error for Unsigned {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the standard.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    #[test]
    fn signatures_are_those_of_the_standard() {
        let secret: Secret = SECRET.parse().unwrap();
        assert_eq!(secret.sign(ID, "1614265330", BODY), SIGNATURE);
    }

    #[test]
    fn only_what_was_signed_lately_and_with_the_secret_is_believed() {
        let secret: Secret = SECRET.parse().unwrap();
        let verify = |moment: &str, signatures: &str, body: &[u8]| {
            secret.verify(ID, moment, signatures, body, 1_614_265_400)
        };
        assert_eq!(verify("1614265330", SIGNATURE, BODY), Ok(()));
        let two = format!("v1,AAAA {SIGNATURE}");
        assert_eq!(verify("1614265330", &two, BODY), Ok(()));
        assert_eq!(
            verify("1614265331", SIGNATURE, BODY),
            Err(Unsigned::Foreign)
        );
        assert_eq!(
            verify("1614265330", SIGNATURE, b"{}"),
            Err(Unsigned::Foreign)
        );
        assert_eq!(verify("1614265330", "", BODY), Err(Unsigned::Foreign));
        assert_eq!(verify("1614260000", SIGNATURE, BODY), Err(Unsigned::Stale));
        assert_eq!(verify("soon", SIGNATURE, BODY), Err(Unsigned::Stale));
    }

    #[test]
    fn a_secret_is_long_enough_and_never_shown() {
        assert_eq!("whsec_c2hvcnQ=".parse::<Secret>().unwrap_err(), BadSecret);
        assert_eq!(
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                .parse::<Secret>()
                .unwrap_err(),
            BadSecret
        );
        assert_eq!(
            format!("{:?}", SECRET.parse::<Secret>().unwrap()),
            "Secret(…)"
        );
    }
}
