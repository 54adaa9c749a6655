//! A stand-in for Firebase Cloud Messaging and the issuer of its tokens, on loopback. It looks at what it gets as they do, and answers as its documentation says.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{KeyPair as _, RsaKeyPair};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::stream::once;
use http::{HeaderMap, StatusCode, Uri};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use serde_json::{Value, json};

const PROJECT: &str = "ask-a-human";
const EMAIL: &str = "dispatcher@ask-a-human.iam.gserviceaccount.com";
/// Stands for no answer at all.
const SILENCE: u16 = 599;
const SCOPE: &str = "https://www.googleapis.com/auth/firebase.messaging";

/// How Firebase feels about a message to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// The app is no longer there.
    Unregistered,
    /// The token is none.
    NoToken,
    /// The token is of another project than whoever sends.
    Mismatch,
    /// There is no room for so many seconds, if it says for how long.
    Quota(Option<u32>),
    /// It is away.
    Unavailable,
    /// It does not like the message.
    Invalid,
    /// It takes the message, and the connection ends before it can say so.
    Silent,
}

/// The stand-in. Clones are the same one.
#[derive(Clone)]
pub struct Firebase {
    /// Where it is.
    pub url: String,
    key: Arc<RsaKeyPair>,
    desk: Arc<Mutex<Desk>>,
}

#[derive(Default)]
struct Desk {
    moods: HashMap<String, VecDeque<Mood>>,
    always: Option<Mood>,
    tokens: HashSet<String>,
    given: usize,
    lifetime: u32,
    gives_no_tokens: bool,
    asked: usize,
    taken: Vec<Value>,
}

type Answer = (StatusCode, HeaderMap, String);

impl fmt::Debug for Firebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a Firebase at {}", self.url)
    }
}

impl Firebase {
    /// Starts one, with an account of its own.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let firebase = Firebase {
            url: format!("http://{}", listener.local_addr().unwrap()),
            key: Arc::new(RsaKeyPair::generate(KeySize::Rsa2048).unwrap()),
            desk: Arc::new(Mutex::new(Desk {
                lifetime: 3600,
                ..Desk::default()
            })),
        };
        let router = Router::new().fallback(answer).with_state(firebase.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        firebase
    }

    /// The key file of the account, as Google gives it out.
    pub fn credentials(&self) -> String {
        let der: Pkcs8V1Der<'_> = self.key.as_der().unwrap();
        let key = STANDARD.encode(der.as_ref());
        let lines: Vec<&str> = (0..key.len())
            .step_by(64)
            .map(|at| &key[at..key.len().min(at + 64)])
            .collect();
        let key = lines.join("\n");
        json!({
            "type": "service_account",
            "project_id": PROJECT,
            "private_key_id": "0123abcd",
            "private_key": format!("-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----\n"),
            "client_email": EMAIL,
            "client_id": "1234567890",
            "token_uri": format!("{}/token", self.url),
        })
        .to_string()
    }

    /// The next messages to a device meet these moods.
    pub fn plan(&self, device: &str, moods: impl IntoIterator<Item = Mood>) {
        let mut desk = self.desk();
        desk.moods
            .entry(device.to_owned())
            .or_default()
            .extend(moods);
    }

    /// Every message meets this mood, or none.
    pub fn always(&self, mood: Option<Mood>) {
        self.desk().always = mood;
    }

    /// From now on tokens are good for so many seconds.
    pub fn tokens_live_for(&self, seconds: u32) {
        self.desk().lifetime = seconds;
    }

    /// Whether it gives no tokens, whoever asks.
    pub fn give_no_tokens(&self, none: bool) {
        self.desk().gives_no_tokens = none;
    }

    /// No token that was given is good any more.
    pub fn end_tokens(&self) {
        self.desk().tokens.clear();
    }

    /// How many access tokens were given.
    pub fn tokens_given(&self) -> usize {
        self.desk().given
    }

    /// How often it was asked to send.
    pub fn asked(&self) -> usize {
        self.desk().asked
    }

    /// The messages it took, in their order.
    pub fn taken(&self) -> Vec<Value> {
        self.desk().taken.clone()
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap()
    }

    /// RFC 7523: an assertion that is signed by the account, for us, lately.
    fn give_token(&self, body: &[u8]) -> Answer {
        let form: HashMap<String, String> = form_urlencoded::parse(body).into_owned().collect();
        let grant = form.get("grant_type").map(String::as_str);
        if grant != Some("urn:ietf:params:oauth:grant-type:jwt-bearer") {
            return told(400, &json!({ "error": "unsupported_grant_type" }));
        }
        let mut validation = Validation::new(Algorithm::RS256);
        validation.set_audience(&[format!("{}/token", self.url)]);
        validation.set_issuer(&[EMAIL]);
        validation.set_required_spec_claims(&["iss", "aud", "exp"]);
        let key = DecodingKey::from_rsa_der(self.key.public_key().as_ref());
        let assertion = form.get("assertion").map_or("", String::as_str);
        let claims = decode::<Value>(assertion, &key, &validation);
        let claims = claims.map(|token| token.claims).unwrap_or_default();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.unwrap().as_secs();
        let (from, to) = (claims["iat"].as_u64(), claims["exp"].as_u64());
        let lately = from.is_some_and(|from| from <= now + 5 && now <= from + 300);
        let short = from.zip(to).is_some_and(|(from, to)| to - from <= 3600);
        if !lately || !short || claims["scope"] != SCOPE {
            return told(400, &json!({ "error": "invalid_grant" }));
        }
        let mut desk = self.desk();
        if desk.gives_no_tokens {
            return told(503, &json!({ "error": "temporarily_unavailable" }));
        }
        desk.given += 1;
        let token = format!("ya29.token-{}", desk.given);
        desk.tokens.insert(token.clone());
        let lifetime = desk.lifetime;
        told(
            200,
            &json!({ "access_token": token, "expires_in": lifetime, "token_type": "Bearer" }),
        )
    }

    fn send(&self, headers: &HeaderMap, body: &[u8]) -> Answer {
        let mut desk = self.desk();
        desk.asked += 1;
        let bearer = headers.get("authorization").and_then(|it| it.to_str().ok());
        let bearer = bearer.and_then(|it| it.strip_prefix("Bearer "));
        if !bearer.is_some_and(|token| desk.tokens.contains(token)) {
            return refused(
                401,
                "UNAUTHENTICATED",
                None,
                "invalid authentication credentials",
            );
        }
        let sent: Value = serde_json::from_slice(body).unwrap_or_default();
        let message = &sent["message"];
        let Some(device) = message["token"].as_str() else {
            return invalid("Recipient of the message is not set.", "message");
        };
        let link = &message["webpush"]["fcm_options"]["link"];
        if link
            .as_str()
            .is_some_and(|link| !link.starts_with("https://"))
        {
            return invalid("Invalid link", "message.webpush.fcm_options.link");
        }
        let data = message["data"].as_object();
        if data.is_some_and(|data| !data.values().all(Value::is_string)) {
            return invalid("Invalid value", "message.data");
        }
        let planned = desk.moods.get_mut(device).and_then(VecDeque::pop_front);
        match planned.or(desk.always) {
            None => {
                desk.taken.push(message.clone());
                let name = format!("projects/{PROJECT}/messages/{}", desk.taken.len());
                told(200, &json!({ "name": name }))
            }
            Some(Mood::Unregistered) => {
                let why = "Requested entity was not found.";
                refused(404, "NOT_FOUND", Some("UNREGISTERED"), why)
            }
            Some(Mood::NoToken) => {
                let why = "The registration token is not a valid FCM registration token";
                refused(400, "INVALID_ARGUMENT", Some("INVALID_ARGUMENT"), why)
            }
            Some(Mood::Mismatch) => {
                let code = Some("SENDER_ID_MISMATCH");
                refused(403, "PERMISSION_DENIED", code, "SenderId mismatch")
            }
            Some(Mood::Quota(seconds)) => {
                let why = "Quota exceeded for this device.";
                let mut quota = refused(429, "RESOURCE_EXHAUSTED", Some("QUOTA_EXCEEDED"), why);
                if let Some(seconds) = seconds {
                    quota.1.insert("retry-after", seconds.into());
                }
                quota
            }
            Some(Mood::Unavailable) => {
                let why = "The service is currently unavailable.";
                refused(503, "UNAVAILABLE", Some("UNAVAILABLE"), why)
            }
            Some(Mood::Invalid) => invalid("Message too big", "message"),
            Some(Mood::Silent) => {
                desk.taken.push(message.clone());
                told(SILENCE, &json!({}))
            }
        }
    }
}

async fn answer(
    State(firebase): State<Firebase>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let send = format!("/v1/projects/{PROJECT}/messages:send");
    let answer = match uri.path() {
        "/token" => firebase.give_token(&body),
        path if path == send => firebase.send(&headers, &body),
        _ => refused(404, "NOT_FOUND", None, "there is nothing here"),
    };
    match answer.0.as_u16() {
        SILENCE => {
            let ends = once(async { Err::<Bytes, _>(std::io::Error::other("the line is cut")) });
            Body::from_stream(ends).into_response()
        }
        _ => answer.into_response(),
    }
}

fn told(status: u16, body: &Value) -> Answer {
    let status = StatusCode::from_u16(status).unwrap();
    (status, HeaderMap::new(), body.to_string())
}

fn refused(status: u16, name: &str, code: Option<&str>, why: &str) -> Answer {
    let kind = "type.googleapis.com/google.firebase.fcm.v1.FcmError";
    let details: Vec<Value> = code
        .map(|code| json!({ "@type": kind, "errorCode": code }))
        .into_iter()
        .collect();
    let error = json!({ "code": status, "message": why, "status": name, "details": details });
    told(status, &json!({ "error": error }))
}

fn invalid(why: &str, field: &str) -> Answer {
    let kind = "type.googleapis.com/google.rpc.BadRequest";
    let violations = json!([{ "field": field, "description": why }]);
    let details = json!([{ "@type": kind, "fieldViolations": violations }]);
    let error =
        json!({ "code": 400, "message": why, "status": "INVALID_ARGUMENT", "details": details });
    told(400, &json!({ "error": error }))
}
