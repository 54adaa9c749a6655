//! The engine behind a socket, with faults on the way to it.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tablewright_local::{Engine, Reply};
use tokio::net::TcpListener;

use crate::faults::{Fault, Faults};

/// Ends a connection without an answer.
#[derive(Debug)]
pub(crate) struct Cut;

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the line is cut")
    }
}

impl std::error::Error for Cut {}

/// Serves the engine, for as long as the runtime lives.
pub(crate) async fn serve(
    engine: Engine,
    listener: TcpListener,
    faults: Arc<Faults>,
) -> Infallible {
    loop {
        let Ok((connection, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        // Small answers must not wait for more.
        let _ = connection.set_nodelay(true);
        let (engine, faults) = (engine.clone(), Arc::clone(&faults));
        let answering = service_fn(move |request| {
            let (engine, faults) = (engine.clone(), Arc::clone(&faults));
            async move { answer(engine, &faults, request).await }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(connection), answering));
    }
}

async fn answer(
    engine: Engine,
    faults: &Faults,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Cut> {
    let target = request.headers().get("x-amz-target");
    let target = target.and_then(|target| target.to_str().ok());
    let operation = target.and_then(|target| target.rsplit('.').next());
    let operation = operation.unwrap_or_default().to_owned();
    let body = request.into_body().collect().await.map_err(|_| Cut)?;
    let body = body.to_bytes();
    let fault = faults.next(&operation);
    match fault {
        Fault::None | Fault::LostAfter => {}
        Fault::Throttle => return response(throttled(&operation)),
        Fault::Conflict => return response(in_conflict(&operation, &body)),
        Fault::Delay(time) => tokio::time::sleep(time).await,
        Fault::LostBefore => return Err(Cut),
    }
    // Whoever asked may be gone by then: it is done all the same, as at Amazon.
    let work = tokio::task::spawn_blocking(move || engine.dispatch(&operation, &body));
    let reply = work.await.map_err(|_| Cut)?;
    match fault {
        Fault::LostAfter => Err(Cut),
        _ => response(reply),
    }
}

fn response(reply: Reply) -> Result<Response<Full<Bytes>>, Cut> {
    let response = Response::builder()
        .status(reply.status)
        .header("content-type", "application/x-amz-json-1.0");
    response
        .body(Full::new(Bytes::from(reply.body)))
        .map_err(|_| Cut)
}

fn refused(kind: &str, more: Value) -> Reply {
    let mut body = json!({ "__type": format!("com.amazonaws.dynamodb.v20120810#{kind}") });
    if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
    Reply {
        status: 400,
        body: body.to_string(),
    }
}

/// Streams have another word for it.
fn throttled(operation: &str) -> Reply {
    let kind = match operation {
        "GetRecords" | "GetShardIterator" | "DescribeStream" | "ListStreams" => {
            "LimitExceededException"
        }
        "CreateTable" | "DescribeTable" | "UpdateTable" | "UpdateTimeToLive"
        | "DescribeTimeToLive" => "ThrottlingException",
        _ => "ProvisionedThroughputExceededException",
    };
    refused(kind, json!({ "message": "too much at once" }))
}

/// A transaction says of each of its items why; the first was taken.
fn in_conflict(operation: &str, body: &[u8]) -> Reply {
    if operation != "TransactWriteItems" {
        let why = json!({ "message": "Transaction is ongoing for the item" });
        return refused("TransactionConflictException", why);
    }
    let asked: Value = serde_json::from_slice(body).unwrap_or_default();
    let items = asked["TransactItems"].as_array().map_or(1, Vec::len);
    let mut reasons = vec![json!({ "Code": "None" }); items];
    if let Some(first) = reasons.first_mut() {
        *first = json!({ "Code": "TransactionConflict", "Message": "Transaction is ongoing for the item" });
    }
    let why = "Transaction cancelled, please refer cancellation reasons for specific reasons [TransactionConflict]";
    refused(
        "TransactionCanceledException",
        json!({ "Message": why, "CancellationReasons": reasons }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_transaction_has_a_reason_for_each_item() {
        let body = br#"{"TransactItems": [{"Put": {}}, {"Update": {}}, {"Delete": {}}]}"#;
        let reply = in_conflict("TransactWriteItems", body);
        let told: Value = serde_json::from_str(&reply.body).unwrap();
        let codes = told["CancellationReasons"].as_array().unwrap().iter();
        let codes: Vec<&str> = codes
            .map(|reason| reason["Code"].as_str().unwrap())
            .collect();
        assert_eq!(codes, ["TransactionConflict", "None", "None"]);
        assert_eq!(reply.status, 400);
    }

    #[test]
    fn streams_and_tables_are_throttled_in_their_own_words() {
        for (operation, kind) in [
            ("PutItem", "ProvisionedThroughputExceededException"),
            ("GetRecords", "LimitExceededException"),
            ("CreateTable", "ThrottlingException"),
        ] {
            assert!(throttled(operation).body.contains(kind), "{operation}");
        }
    }
}
