//! Serving: connections within limits, and an end that loses nothing that was accepted.

mod connection;
mod ending;
mod error;
mod refused;
mod signal;
mod watched;

pub use signal::told_to_end;

use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

use self::connection::Connection;
pub use self::ending::Ending;
pub use self::error::ServeError;
use crate::Service;
use crate::health::Health;
use crate::numbers;
use crate::program::is_under_lambda;
use crate::service::signs_of_life;
use crate::settings::Settings;

/// How long to wait when the system has no more connections to give.
const PAUSE: Duration = Duration::from_millis(100);

/// A service that listens.
#[derive(Debug)]
#[must_use = "a server answers nobody until it runs"]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
    settings: Settings,
    health: Arc<Health>,
}

/// Serves until the process is told to end (Ctrl-C, SIGTERM), or under AWS Lambda if it runs there.
///
/// # Errors
/// [`ServeError`] when it cannot begin.
pub async fn serve(service: Service) -> Result<(), ServeError> {
    if is_under_lambda() {
        return crate::lambda::serve(service).await;
    }
    // From the first moment, so that nobody who stops it early leaves it half started.
    let stop = told_to_end(service.settings()).map_err(ServeError::Io)?;
    Server::bind(service).await?.run(stop).await
}

impl Server {
    /// Listens where the settings say.
    ///
    /// # Errors
    /// [`ServeError::Listen`] when it cannot.
    pub async fn bind(service: Service) -> Result<Self, ServeError> {
        let address = service.settings().listen;
        let failed = |why: io::Error| ServeError::Listen { address, why };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let assembled = service.assemble();
        Ok(Server {
            listener,
            address,
            router: assembled.router,
            settings: assembled.settings,
            health: assembled.health,
        })
    }

    /// The server of a process that serves nobody and is looked after all the same: its numbers, and that it lives, at `metrics_address`. None where that is not set. From now on
    /// the process counts.
    ///
    /// # Errors
    /// [`ServeError::Listen`] when it cannot listen there.
    pub async fn of_numbers(settings: &Settings) -> Result<Option<Self>, ServeError> {
        numbers::start();
        let Some(address) = settings.metrics_address else {
            return Ok(None);
        };
        let failed = |why: io::Error| ServeError::Listen { address, why };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        Ok(Some(Server {
            address: listener.local_addr().map_err(failed)?,
            listener,
            router: signs_of_life(settings),
            settings: settings.clone(),
            health: Arc::new(Health::new(settings.about)),
        }))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is ready, then ends what was accepted, as long as the settings allow.
    ///
    /// # Errors
    /// When the listener breaks.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let Server {
            listener,
            address,
            router,
            settings,
            health,
        } = self;
        let about = settings.about;
        tracing::info!(%address, version = about.version, "{} is at http://{address}", about.title);
        warn_of(&settings);
        let (ending, end) = watch::channel(false);
        // Every connection holds a sender: when all are gone, so are the connections.
        let (open, mut all_closed) = mpsc::channel::<()>(1);
        let connections = Connections {
            connection: Connection::new(router, settings.limits, end),
            open,
        };
        let permits = Arc::new(Semaphore::new(settings.max_connections));
        let stop = async {
            stop.await;
            health.end();
            tracing::info!("told to end");
            tokio::time::sleep(settings.shutdown_delay).await;
        };
        tokio::select! {
            () = connections.accept(&listener, &permits) => {}
            () = stop => {}
        }
        // What the system has accepted for us was accepted.
        let waiting = listener.into_std().map_err(ServeError::Io)?;
        connections.accept_waiting(&waiting);
        drop(waiting);
        drop(connections);
        let _ = ending.send(true);
        let closed = tokio::time::timeout(settings.shutdown_timeout, all_closed.recv()).await;
        match closed {
            Ok(_) => tracing::info!("ended"),
            Err(_) => tracing::warn!(
                after = ?settings.shutdown_timeout,
                "ended although some requests were not answered"
            ),
        }
        Ok(())
    }
}

/// What is allowed, and seldom meant.
fn warn_of(settings: &Settings) {
    if settings.is_development() {
        tracing::info!(
            "tokens are those of the development issuer: `tablewright token --sub NAME`"
        );
    } else if settings.cursor_secret.is_none() {
        tracing::warn!("no cursor_secret is set: cursors are good in this process only");
    }
}

struct Connections {
    connection: Connection,
    open: mpsc::Sender<()>,
}

impl Connections {
    /// Accepts connections for ever.
    async fn accept(&self, listener: &TcpListener, permits: &Arc<Semaphore>) {
        loop {
            let permit = Arc::clone(permits).acquire_owned().await;
            match listener.accept().await {
                Ok((stream, peer)) => self.begin(stream, peer, permit.ok()),
                Err(error) => {
                    // Too many open files, or a client that went away meanwhile.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Accepts the connections that wait already.
    fn accept_waiting(&self, listener: &StdListener) {
        while let Ok((stream, peer)) = listener.accept() {
            let stream = stream
                .set_nonblocking(true)
                .and_then(|()| TcpStream::from_std(stream));
            match stream {
                Ok(stream) => self.begin(stream, peer, None),
                Err(error) => tracing::warn!(%error, "a connection was not accepted"),
            }
        }
    }

    fn begin(&self, stream: TcpStream, peer: SocketAddr, permit: Option<OwnedSemaphorePermit>) {
        let serve = self.connection.clone().serve(stream, peer);
        let open = self.open.clone();
        tokio::spawn(async move {
            serve.await;
            drop((permit, open));
        });
    }
}
