//! The same service under AWS Lambda: the Runtime API is played on loopback, with an event as an HTTP API sends it.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::issuer::{CLIENT, TestIssuer};
use crate::process::{EVENTS, Process};

/// The Runtime API: gives out events, and takes what is answered.
struct Runtime {
    events: Mutex<VecDeque<Value>>,
    answers: mpsc::UnboundedSender<(String, Value)>,
}

async fn next(State(runtime): State<Arc<Runtime>>) -> Response {
    let event = runtime.events.lock().unwrap().pop_front();
    let Some(event) = event else {
        // Lambda freezes a process that waits.
        return std::future::pending().await;
    };
    let call = event["call_millis"].as_i64().unwrap_or(60_000);
    let deadline = jiff::Timestamp::now().as_millisecond() + call;
    let headers = [
        (
            "lambda-runtime-aws-request-id",
            event["requestContext"]["requestId"]
                .as_str()
                .unwrap()
                .to_owned(),
        ),
        ("lambda-runtime-deadline-ms", deadline.to_string()),
        (
            "lambda-runtime-invoked-function-arn",
            String::from("arn:aws:lambda:eu-central-1:123456789012:function:notes"),
        ),
        (
            "lambda-runtime-trace-id",
            String::from("Root=1-5e1b4151-43a0913a12345678;Sampled=0"),
        ),
        ("content-type", String::from("application/json")),
    ];
    (axum::response::AppendHeaders(headers), event.to_string()).into_response()
}

async fn answer(
    State(runtime): State<Arc<Runtime>>,
    Path((_, outcome)): Path<(String, String)>,
    body: axum::body::Bytes,
) -> http::StatusCode {
    let value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    runtime.answers.send((outcome, value)).unwrap();
    http::StatusCode::ACCEPTED
}

async fn runtime(events: Vec<Value>) -> (SocketAddr, mpsc::UnboundedReceiver<(String, Value)>) {
    let (answers, answered) = mpsc::unbounded_channel();
    let events = Mutex::new(events.into());
    let runtime = Arc::new(Runtime { events, answers });
    let router = axum::Router::new()
        .route(
            "/2018-06-01/runtime/invocation/next",
            axum::routing::get(next),
        )
        .route(
            "/2018-06-01/runtime/invocation/{id}/{outcome}",
            axum::routing::post(answer),
        )
        .with_state(runtime);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, answered)
}

/// An event as API Gateway sends it to a function, payload format 2.0.
fn event(method: &str, path: &str, token: Option<&str>, body: Option<&str>) -> Value {
    let recorded = include_str!("api-gateway-v2.json");
    let mut event: Value = serde_json::from_str(recorded).unwrap();
    event["rawPath"] = path.into();
    event["requestContext"]["http"]["method"] = method.into();
    event["requestContext"]["http"]["path"] = path.into();
    let id = format!("{method}{path}{}", body.is_some()).replace('/', "-");
    event["requestContext"]["requestId"] = id.into();
    if let Some(token) = token {
        event["headers"]["authorization"] = format!("Bearer {token}").into();
    }
    if let Some(body) = body {
        event["headers"]["content-type"] = "application/json".into();
        event["body"] = STANDARD.encode(body).into();
        event["isBase64Encoded"] = true.into();
    }
    event
}

/// The status and the body of what was answered.
fn reply((outcome, answer): (String, Value)) -> (u64, Value, Value) {
    assert_eq!(outcome, "response", "{answer}");
    let body = answer["body"].as_str().unwrap_or_default();
    let body = match answer["isBase64Encoded"].as_bool() {
        Some(true) => String::from_utf8(STANDARD.decode(body).unwrap()).unwrap(),
        _ => body.to_owned(),
    };
    let status = answer["statusCode"].as_u64().unwrap();
    (
        status,
        serde_json::from_str(&body).unwrap_or(Value::Null),
        answer["headers"].clone(),
    )
}

fn function<'a>(api: &'a str, issuer: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut variables = vec![
        ("AWS_LAMBDA_RUNTIME_API", api),
        ("AWS_LAMBDA_FUNCTION_NAME", "notes"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128"),
        ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
        ("TABLEWRIGHT_ENDPOINT", "temporary"),
    ];
    if !issuer.is_empty() {
        variables.extend([
            ("TABLEWRIGHT_ISSUER", issuer),
            ("TABLEWRIGHT_AUDIENCE", CLIENT),
        ]);
    }
    variables
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_router_answers_an_http_api() {
    let issuer = TestIssuer::start().await;
    let token = issuer.token("ada");
    let events = vec![
        event(
            "POST",
            "/api/v1/notes",
            Some(&token),
            Some(&json!({ "text": "from afar" }).to_string()),
        ),
        event("GET", "/api/v1/notes", Some(&token), None),
        event("GET", "/api/v1/me", None, None),
        event("POST", "/api/v1/notes", Some(&token), Some("{")),
    ];
    let (address, mut answers) = runtime(events).await;
    let _function = Process::start(&function(&address.to_string(), &issuer.name()));
    let mut next = async || reply(answers.recv().await.unwrap());

    let (status, note, headers) = next().await;
    assert_eq!(
        (status, note["text"].as_str()),
        (201, Some("from afar")),
        "{note}"
    );
    let location = headers["location"].as_str().unwrap().to_owned();
    assert!(location.ends_with(note["note_id"].as_str().unwrap()));
    assert_eq!(headers["ratelimit-limit"], "100");

    let (status, list, _) = next().await;
    assert_eq!(
        (status, list["items"].as_array().map(Vec::len)),
        (200, Some(1)),
        "{list}"
    );

    let (status, problem, headers) = next().await;
    assert_eq!(
        (status, problem["type"].as_str()),
        (401, Some("/problems/unauthenticated"))
    );
    assert_eq!(headers["content-type"], "application/problem+json");
    assert_eq!(problem["request_id"], headers["x-request-id"]);

    let (status, problem, _) = next().await;
    assert_eq!(
        (status, problem["type"].as_str()),
        (400, Some("/problems/malformed"))
    );
}

/// Whoever is killed at the end of the call says nothing at all.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_takes_longer_than_its_call_is_told_so() {
    let issuer = TestIssuer::start().await;
    let mut slow = event("GET", "/api/v1/slow", Some(&issuer.token("ada")), None);
    slow["rawQueryString"] = "millis=600000".into();
    slow["queryStringParameters"] = json!({ "millis": "600000" });
    slow["call_millis"] = json!(3000);
    let (address, mut answers) = runtime(vec![slow]).await;
    let address = address.to_string();
    let issuer = issuer.name();
    let mut variables = function(&address, &issuer);
    variables.push(("TABLEWRIGHT_REQUEST_TIMEOUT", "15m"));
    let _function = Process::start(&variables);
    let answer = tokio::time::timeout(Duration::from_secs(120), answers.recv()).await;
    let (status, problem, headers) = reply(answer.expect("it is answered").unwrap());
    assert_eq!(
        (status, problem["type"].as_str()),
        (503, Some("/problems/timeout"))
    );
    assert_eq!(headers["retry-after"], "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_development_issuer_has_no_place_there() {
    use std::io::Read as _;
    let (address, _answers) = runtime(Vec::new()).await;
    let mut function = Process::start(&function(&address.to_string(), ""));
    let mut told = String::new();
    function.told.read_to_string(&mut told).unwrap();
    assert_eq!(function.child.wait().unwrap().code(), Some(2), "{told}");
    assert!(
        told.contains("issuer: it must be set under AWS Lambda"),
        "{told}"
    );
}

/// A function that follows a change stream is given events, and says of each whether it was handled.
#[tokio::test(flavor = "multi_thread")]
async fn a_function_is_given_events() {
    let of = |id: &str, event: Value| {
        let mut event = event;
        event["requestContext"]["requestId"] = id.into();
        event
    };
    let events = vec![
        of("one", json!({ "Records": ["a", "b"] })),
        of("two", json!({ "fails": true })),
    ];
    let (address, mut answers) = runtime(events).await;
    let address = address.to_string();
    let mut variables = function(&address, "");
    variables.push((EVENTS, "1"));
    let _function = Process::start(&variables);
    let (outcome, answer) = answers.recv().await.unwrap();
    assert_eq!(
        (outcome.as_str(), &answer),
        (
            "response",
            &json!({ "given": ["a", "b"], "has_time": true })
        )
    );
    let (outcome, answer) = answers.recv().await.unwrap();
    assert_eq!(outcome, "error");
    assert!(answer.to_string().contains("no event of ours"), "{answer}");
}
