//! One connection: its requests, one after the other, until it or the service ends.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, Request, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower::ServiceExt as _;

use super::ending::Ending;
use super::refused::Answers;
use super::watched::Watched;
use crate::guard::OverHttp;
use crate::rate::Peer;
use crate::settings::Limits;

/// How long a connection is kept after the end began, for requests that are on their way. Their answers close it.
const LINGER: Duration = Duration::from_secs(1);

/// What hyper reads of headers at most; what is less than this and too much is refused with a problem.
const MOST_HEADER_BYTES: usize = 256 * 1024;

const MOST_HEADERS: usize = 200;

#[derive(Debug, Clone)]
pub(super) struct Connection {
    router: Router,
    limits: Limits,
    end: watch::Receiver<bool>,
}

impl Connection {
    pub(super) fn new(router: Router, limits: Limits, end: watch::Receiver<bool>) -> Self {
        Connection {
            router,
            limits,
            end,
        }
    }

    pub(super) async fn serve(mut self, stream: TcpStream, peer: SocketAddr) {
        // Small answers must not wait for more.
        let _ = stream.set_nodelay(true);
        let _open = Open::new();
        let (router, end) = (self.router, self.end.clone());
        let given = Arc::new(AtomicUsize::new(0));
        let stream = Answers::new(stream, Arc::clone(&given));
        let service = service_fn(move |request: Request<Incoming>| {
            let answer = answer(router.clone(), request, peer, end.clone());
            let given = Arc::clone(&given);
            async move {
                let answer = answer.await;
                given.fetch_add(1, Ordering::Release);
                answer
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.idle_timeout)
            // Who has sent all and says so waits for the answer all the same.
            .half_close(true)
            .max_headers(MOST_HEADERS)
            .max_header_size(MOST_HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => Some(ended),
            _ = self.end.wait_for(|end| *end) => None,
        };
        let ended = match ended {
            Some(ended) => Some(ended),
            None => tokio::time::timeout(LINGER, connection.as_mut()).await.ok(),
        };
        let ended = match ended {
            Some(ended) => ended,
            None => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, %peer, "a connection broke off");
        }
    }
}

async fn answer(
    router: Router,
    request: Request<Incoming>,
    peer: SocketAddr,
    end: watch::Receiver<bool>,
) -> Result<Response, Infallible> {
    // To a caller who waits to be asked for the body nothing is said by reading on.
    let is_awaited = request.headers().contains_key(header::EXPECT);
    let (head, body) = request.into_parts();
    let body = Watched::new(body);
    let mut request = Request::from_parts(head, Body::new(body.clone()));
    request.extensions_mut().insert(Peer(peer.ip()));
    request.extensions_mut().insert(OverHttp);
    request
        .extensions_mut()
        .insert(Ending::told_by(end.clone()));
    let mut response = router.oneshot(request).await?;
    // What was not read is in the way of the next request: the connection ends, and the caller is told.
    let is_read = match is_awaited {
        true => body.is_read(),
        false => body.reads_on().await,
    };
    if *end.borrow() || !is_read {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    Ok(response)
}

/// Counts a connection as long as it is open.
struct Open;

impl Open {
    fn new() -> Self {
        metrics::gauge!("service_connections").increment(1.0);
        Open
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        metrics::gauge!("service_connections").decrement(1.0);
    }
}
