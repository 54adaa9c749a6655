//! AWS Lambda as a function knows it: the Runtime API on loopback, and events as API Gateway sends them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};

/// So long a function may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long a call may take, as deployed consumers may.
const CALL: Duration = Duration::from_secs(15 * 60);

/// A program that runs as a function. It is killed with this value.
#[derive(Debug)]
pub struct Function {
    child: Child,
    events: mpsc::UnboundedSender<Value>,
    answers: mpsc::UnboundedReceiver<(String, Value)>,
}

/// What is behind the Runtime API: events to give out, and where answers go.
#[derive(Debug)]
struct Runtime {
    events: Mutex<mpsc::UnboundedReceiver<Value>>,
    answers: mpsc::UnboundedSender<(String, Value)>,
    given: AtomicU64,
    /// How long a call may take.
    call: Duration,
    /// By when the last event is to be answered.
    deadline: Mutex<Option<Instant>>,
}

async fn next(State(runtime): State<Arc<Runtime>>) -> Response {
    let event = runtime.events.lock().await.recv().await;
    let Some(event) = event else {
        // Lambda freezes a process that waits.
        return std::future::pending().await;
    };
    *runtime.deadline.lock().await = Some(Instant::now() + runtime.call);
    let number = runtime.given.fetch_add(1, Ordering::SeqCst);
    let arn = "arn:aws:lambda:eu-central-1:123456789012:function:tests";
    let deadline = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap() + runtime.call;
    let headers = AppendHeaders([
        ("lambda-runtime-aws-request-id", format!("request-{number}")),
        (
            "lambda-runtime-deadline-ms",
            deadline.as_millis().to_string(),
        ),
        ("lambda-runtime-invoked-function-arn", arn.to_owned()),
        ("content-type", String::from("application/json")),
    ]);
    (headers, event.to_string()).into_response()
}

async fn answered(
    State(runtime): State<Arc<Runtime>>,
    Path((_, outcome)): Path<(String, String)>,
    body: Bytes,
) -> StatusCode {
    let deadline = *runtime.deadline.lock().await;
    // Lambda has killed it by then.
    let is_late = deadline.is_none_or(|deadline| Instant::now() > deadline);
    let (outcome, value) = match is_late {
        true => (String::from("late"), json!("it did not answer in time")),
        false => (
            outcome,
            serde_json::from_slice(&body).unwrap_or(Value::Null),
        ),
    };
    // Nobody listens any more when the test is over.
    let _ = runtime.answers.send((outcome, value));
    StatusCode::ACCEPTED
}

async fn runtime(runtime: Runtime) -> SocketAddr {
    let invocation = "/2018-06-01/runtime/invocation";
    let router = Router::new()
        .route(&format!("{invocation}/next"), get(next))
        .route(&format!("{invocation}/{{id}}/{{outcome}}"), post(answered))
        .with_state(Arc::new(runtime));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

impl Function {
    /// Starts a program as Lambda does.
    pub async fn start(command: Command) -> Self {
        Function::start_with(CALL, command).await
    }

    /// As [`Function::start`], with so much time for a call.
    pub async fn start_with(call: Duration, mut command: Command) -> Self {
        let (events, given) = mpsc::unbounded_channel();
        let (answers, heard) = mpsc::unbounded_channel();
        let address = runtime(Runtime {
            events: Mutex::new(given),
            answers,
            given: AtomicU64::new(0),
            call,
            deadline: Mutex::default(),
        });
        let child = command
            .env("AWS_LAMBDA_RUNTIME_API", address.await.to_string())
            .env("AWS_LAMBDA_FUNCTION_NAME", "tests")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "1")
            .env("AWS_LAMBDA_HTTP_IGNORE_STAGE_IN_PATH", "true")
            .env("TABLEWRIGHT_LOG", "warn")
            .stdin(Stdio::null())
            .spawn();
        Function {
            child: child.unwrap(),
            events,
            answers: heard,
        }
    }

    /// What it answers to an event; or what it fails with, so that Lambda gives it the event again.
    ///
    /// # Errors
    /// As the function told it, or that it answered too late.
    pub async fn invoke(&mut self, event: &Value) -> Result<Value, Value> {
        self.events.send(event.clone()).unwrap();
        let answer = tokio::time::timeout(PATIENCE, self.answers.recv()).await;
        let (outcome, answer) = answer.expect("the function answers").unwrap();
        match outcome.as_str() {
            "response" => Ok(answer),
            _ => Err(answer),
        }
    }

    /// What it answers to a request that came through a gateway.
    pub async fn asked(&mut self, request: Gateway) -> GatewayReply {
        let answer = self.invoke(&request.0).await.unwrap();
        let body = answer["body"].as_str().unwrap_or_default();
        let body = match answer["isBase64Encoded"].as_bool() {
            Some(true) => String::from_utf8(STANDARD.decode(body).unwrap()).unwrap(),
            _ => body.to_owned(),
        };
        GatewayReply {
            status: answer["statusCode"].as_u64().unwrap(),
            json: serde_json::from_str(&body).unwrap_or(Value::Null),
            headers: answer["headers"].clone(),
            cookies: answer["cookies"].as_array().cloned().unwrap_or_default(),
        }
    }
}

impl Drop for Function {
    /// A test that fails leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request as API Gateway gives it to a function, payload format 2.0.
#[derive(Debug, Clone)]
pub struct Gateway(Value);

/// What a function answers to a gateway.
#[derive(Debug)]
pub struct GatewayReply {
    /// The status.
    pub status: u64,
    /// The body, where it is JSON.
    pub json: Value,
    /// The headers.
    pub headers: Value,
    /// What the browser is to keep.
    pub cookies: Vec<Value>,
}

/// What stands beside a query: its values decoded, those of one name with commas between them.
fn parameters(query: &str) -> Value {
    let mut parameters: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let values = parameters.entry(name.into_owned());
        values
            .and_modify(|values| *values = format!("{values},{value}"))
            .or_insert_with(|| value.into_owned());
    }
    json!(parameters)
}

impl Gateway {
    /// An event for a path, which may have a query.
    fn recorded(text: &str, path: &str) -> Self {
        let mut event: Value = serde_json::from_str(text).unwrap();
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        event["rawPath"] = json!(path);
        event["requestContext"]["http"]["path"] = json!(path);
        if event["pathParameters"].is_object() {
            event["pathParameters"]["proxy"] = json!(path.trim_start_matches("/api/"));
        }
        if !query.is_empty() {
            event["rawQueryString"] = json!(query);
            event["queryStringParameters"] = parameters(query);
        }
        Gateway(event)
    }

    /// A GET.
    pub fn get(path: &str) -> Self {
        Gateway::recorded(include_str!("lambda/get.json"), path)
    }

    /// A POST with JSON, as text.
    pub fn post(path: &str, body: &Value) -> Self {
        let mut event = Gateway::recorded(include_str!("lambda/post.json"), path);
        event.0["body"] = json!(body.to_string());
        event
    }

    /// A POST with JSON, in base64: a gateway sends it so where it does not know that it is text.
    pub fn post_in_base64(path: &str, body: &Value) -> Self {
        let mut event = Gateway::recorded(include_str!("lambda/post-base64.json"), path);
        event.0["body"] = json!(STANDARD.encode(body.to_string()));
        event
    }

    /// A GET of a path and a query that are none.
    pub fn bad_path() -> Self {
        Gateway(serde_json::from_str(include_str!("lambda/bad-path.json")).unwrap())
    }

    /// A GET of a browser that has kept these.
    pub fn with_cookies(path: &str, cookies: &[&str]) -> Self {
        let mut event = Gateway::recorded(include_str!("lambda/cookies.json"), path);
        event.0["cookies"] = json!(cookies);
        event
    }

    /// A GET whose token the gateway has looked at; what it found is beside the request.
    pub fn looked_at(path: &str) -> Self {
        Gateway::recorded(include_str!("lambda/authorizer.json"), path)
    }

    /// With a token.
    #[must_use]
    pub fn bearing(mut self, token: &str) -> Self {
        self.0["headers"]["authorization"] = json!(format!("Bearer {token}"));
        self
    }

    /// With a header, whose name is in small letters.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.0["headers"][name] = json!(value);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What AWS's sample of the format has; `lambda/README.md` says where it is. Below `*` stands what is the caller's.
    const FIELDS: &str = "version routeKey rawPath rawQueryString cookies headers.* queryStringParameters.* pathParameters.* stageVariables.* body isBase64Encoded \
        requestContext.accountId requestContext.apiId requestContext.domainName requestContext.domainPrefix requestContext.requestId requestContext.routeKey requestContext.stage \
        requestContext.time requestContext.timeEpoch requestContext.authentication.* requestContext.authorizer.jwt.claims.* requestContext.authorizer.jwt.scopes \
        requestContext.http.method requestContext.http.path requestContext.http.protocol requestContext.http.sourceIp requestContext.http.userAgent";

    /// What a request has only if there is something to say.
    const MAYBE: [&str; 7] = [
        "cookies",
        "queryStringParameters",
        "pathParameters",
        "stageVariables",
        "body",
        "requestContext.authentication",
        "requestContext.authorizer",
    ];

    fn fields(value: &Value, at: &str, found: &mut Vec<String>) {
        match value.as_object() {
            Some(object)
                if !FIELDS
                    .split_whitespace()
                    .any(|known| known == format!("{at}.*")) =>
            {
                for (name, value) in object {
                    let at = if at.is_empty() {
                        name.clone()
                    } else {
                        format!("{at}.{name}")
                    };
                    fields(value, &at, found);
                }
            }
            Some(_) => found.push(format!("{at}.*")),
            None => found.push(at.to_owned()),
        }
    }

    #[test]
    fn events_have_the_fields_of_the_published_format() {
        let body = json!({});
        let events = [
            Gateway::get("/api/v1/tasks?limit=2&tag=a&tag=b"),
            Gateway::post("/api/v1/tasks", &body),
            Gateway::post_in_base64("/api/v1/tasks", &body),
            Gateway::bad_path(),
            Gateway::with_cookies("/", &["theme=dark"]),
            Gateway::looked_at("/api/v1/tasks").bearing("token"),
        ];
        let mut seen = Vec::new();
        for Gateway(event) in &events {
            let mut found = Vec::new();
            fields(event, "", &mut found);
            for field in &found {
                assert!(
                    FIELDS.split_whitespace().any(|known| known == field),
                    "{field} of {event}"
                );
            }
            let may_lack = |field: &str| MAYBE.iter().any(|maybe| field.starts_with(maybe));
            for field in FIELDS.split_whitespace().filter(|field| !may_lack(field)) {
                assert!(
                    found.iter().any(|found| found == field),
                    "{event} lacks {field}"
                );
            }
            seen.append(&mut found);
        }
        // Nobody here has certificates of clients, or variables of stages.
        for field in FIELDS.split_whitespace() {
            let is_seen = seen.iter().any(|seen| seen == field);
            let is_ours = !field.contains("authentication") && !field.contains("stageVariables");
            assert_eq!(is_seen, is_ours, "{field}");
        }
        let asked = &events[0].0;
        assert_eq!(asked["rawQueryString"], "limit=2&tag=a&tag=b");
        assert_eq!(
            asked["queryStringParameters"],
            json!({ "limit": "2", "tag": "a,b" })
        );
    }
}
