//! Sending by a server.

use std::fmt;
use std::time::Duration;

use lettre::transport::smtp::{self, PoolConfig};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};

use crate::NotSent;
use crate::mail::{Mail, Sender};

/// How long a server may take for each step.
const PATIENCE: Duration = Duration::from_secs(15);

/// How many connections there are at once.
const CONNECTIONS: u32 = 8;

/// A server.
#[derive(Debug, Clone)]
pub struct Smtp(AsyncSmtpTransport<Tokio1Executor>);

/// Why an address is of no server. It is not shown: it may have a password in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadServer(String);

impl fmt::Display for BadServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no address of a mail server, as smtps://USER:PASSWORD@HOST or smtp://USER:PASSWORD@HOST:587?tls=required: {}",
            self.0
        )
    }
}

impl std::error::Error for BadServer {}

impl Smtp {
    /// The server of an address: `smtps://` is encrypted from the first byte, `smtp://…?tls=required` before anything is said, and plain `smtp://` is not.
    ///
    /// # Errors
    /// [`BadServer`] when the address is of none.
    pub fn new(server: &str) -> Result<Self, BadServer> {
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(server);
        let builder = builder.map_err(|error| BadServer(error.to_string()))?;
        let pool = PoolConfig::new().max_size(CONNECTIONS).min_idle(0);
        Ok(Smtp(
            builder.timeout(Some(PATIENCE)).pool_config(pool).build(),
        ))
    }

    pub(crate) async fn send(&self, from: &Sender, mail: &Mail) -> Result<(), NotSent> {
        let message = mail.message(from)?;
        match self.0.send(message).await {
            Ok(_) => Ok(()),
            Err(error) => Err(judged(&error)),
        }
    }
}

/// A server that refuses us may take it from us later; one that refuses the mail will not.
fn judged(error: &smtp::Error) -> NotSent {
    let why = described(error);
    let code = error.status().map(u16::from);
    match code {
        // Who we are, or how we speak.
        Some(500..=504 | 530 | 534 | 535 | 538) => NotSent::Now(why),
        Some(500..600) => NotSent::Ever(why),
        _ => NotSent::Now(why),
    }
}

fn described(error: &smtp::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}
