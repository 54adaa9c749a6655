//! The engine behind a socket, for every SDK there is.

use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::connector::operation_of;
use crate::crc32::crc32;
use crate::{Engine, Reply};

/// DynamoDB takes 16 MB of items; names and brackets come on top.
const BODY_LIMIT: usize = 20 * 1024 * 1024;

/// How long requests may go on after the shutdown began.
const GRACE: Duration = Duration::from_secs(5);

const ABOUT: &str = "\
This is a DynamoDB endpoint of Tablewright, for the SDKs and tools of AWS.
Try: aws dynamodb list-tables --endpoint-url http://HOST:PORT
";

/// Serves DynamoDB and its streams until `shutdown` is ready. Requests that have begun are answered.
///
/// Signatures are not checked: listen on loopback. [`Engine::start_upkeep`] is the caller's to call.
pub async fn serve(
    engine: Engine,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let router = Router::new()
        .route("/", get(about).post(answer))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(engine);
    let listener = listener.tap_io(|connection| {
        // Small answers must not wait for more.
        let _ = connection.set_nodelay(true);
    });
    let (begun, begins) = oneshot::channel();
    let server = axum::serve(listener, router).with_graceful_shutdown(async move {
        shutdown.await;
        let _ = begun.send(());
    });
    let overdue = async {
        let _ = begins.await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        ended = server => ended,
        () = overdue => Ok(()),
    }
}

async fn about() -> &'static str {
    ABOUT
}

async fn answer(
    State(engine): State<Engine>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let reply = match body {
        Ok(body) => {
            let target = headers.get("x-amz-target");
            let target = target.and_then(|target| target.to_str().ok());
            let operation = operation_of(target.unwrap_or_default());
            engine.call(operation.to_owned(), body.into()).await
        }
        Err(rejection) => Reply::error(
            rejection.status().as_u16(),
            "com.amazon.coral.service#SerializationException",
            &rejection.body_text(),
        ),
    };
    response(reply)
}

fn response(reply: Reply) -> Response {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = [
        ("content-type", "application/x-amz-json-1.0".to_owned()),
        ("x-amzn-requestid", request_id()),
        ("x-amz-crc32", crc32(reply.body.as_bytes()).to_string()),
    ];
    (status, headers, reply.body).into_response()
}

/// Unlike any other, which is all it is for.
fn request_id() -> String {
    let half = || RandomState::new().hash_one(0);
    format!("{:016X}{:016X}", half(), half())
}
