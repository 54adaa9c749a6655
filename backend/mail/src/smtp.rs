//! Sending by a server.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::Rset;
use tokio::sync::Semaphore;

use crate::NotSent;
use crate::conversation::{self, PATIENCE, Step, within};
use crate::mail::{Mail, Sender};
use crate::server::{BadServer, Server};

/// How many connections there are at once: some may wait long for a server that is slow.
const CONNECTIONS: usize = 16;

/// How long it may take until we may send.
const UNTIL_GREETED: Duration = Duration::from_secs(30);

/// How long a connection is kept that nobody uses.
const IDLE: Duration = Duration::from_secs(30);

/// A server.
#[derive(Debug, Clone)]
pub struct Smtp(Arc<Inner>);

struct Inner {
    server: Server,
    /// Connections on which nothing is left to be said. Whoever sends takes one out, and brings it back only when the server has answered everything: one on which a mail was given up in
    /// the middle would give its late answer to the next mail.
    idle: Mutex<Vec<(Instant, AsyncSmtpConnection)>>,
    at_once: Semaphore,
}

impl Smtp {
    /// The server of an address: `smtps://` is encrypted from the first byte, `smtp://…?tls=required` before anything is said, and plain `smtp://` is not.
    ///
    /// # Errors
    /// [`BadServer`] when the address is of none, or has a password that would leave this machine in clear.
    pub fn new(server: &str) -> Result<Self, BadServer> {
        Ok(Smtp(Arc::new(Inner {
            server: Server::of(server)?,
            idle: Mutex::new(Vec::new()),
            at_once: Semaphore::new(CONNECTIONS),
        })))
    }

    pub(crate) async fn send(&self, from: &Sender, mail: &Mail) -> Result<(), NotSent> {
        let message = mail.message(from)?;
        let _one_of_few = self.0.at_once.acquire().await;
        let mut connection = self.0.connection().await?;
        let sent =
            conversation::send(&mut connection, message.envelope(), &message.formatted()).await;
        if matches!(
            sent,
            Ok(()) | Err(NotSent::Later(_) | NotSent::Ever(_) | NotSent::Unwelcome(_))
        ) {
            self.0.idle().push((Instant::now(), connection));
        }
        sent
    }
}

impl Inner {
    /// A connection that is ours alone.
    async fn connection(&self) -> Result<AsyncSmtpConnection, NotSent> {
        while let Some(mut connection) = self.kept() {
            // Ends what was begun before, and shows whether the server is still there.
            let is_there = within(Step::Greeting, PATIENCE, connection.command(Rset));
            if is_there.await.is_ok() {
                return Ok(connection);
            }
        }
        let connecting = self.server.connect(UNTIL_GREETED);
        within(Step::Greeting, UNTIL_GREETED, connecting).await
    }

    /// The connection that was used last, without those nobody has used for long.
    fn kept(&self) -> Option<AsyncSmtpConnection> {
        let mut idle = self.idle();
        idle.retain(|(since, _)| since.elapsed() < IDLE);
        idle.pop().map(|(_, connection)| connection)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(Instant, AsyncSmtpConnection)>> {
        self.idle
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.server.fmt(f)
    }
}
