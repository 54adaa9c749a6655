//! The other half of an issuer for tests: it says where people sign in, and gives tokens for codes, as RFC 6749 and RFC 7636 want it.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use aws_lc_rs::digest::{SHA256, digest};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use serde_json::{Value, json};

use crate::issuer::{CLIENT, TestIssuer};

/// How the token endpoint behaves.
#[derive(Debug, Clone)]
pub(crate) enum Mood {
    /// It gives these tokens for a good code.
    Gives(Value),
    /// It answers so, whatever it is asked.
    Says(u16, String),
    /// It never answers.
    Sleeps,
}

/// What the issuer says of itself, and the codes it has given out.
pub(crate) struct Codes {
    pub(crate) document: Mutex<Value>,
    pub(crate) mood: Mutex<Mood>,
    /// How often it was asked where people sign in.
    pub(crate) asked: AtomicUsize,
    count: AtomicUsize,
    /// The challenge and the page of each code.
    given: Mutex<HashMap<String, (String, String)>>,
}

impl Codes {
    /// An issuer that signs people in, and gives both tokens for `sub`.
    pub(crate) async fn issuer(sub: &str) -> (TestIssuer, Arc<Codes>) {
        let codes = Arc::new(Codes {
            document: Mutex::new(Value::Null),
            mood: Mutex::new(Mood::Sleeps),
            asked: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
            given: Mutex::default(),
        });
        let router = axum::Router::new()
            .route("/pool/.well-known/openid-configuration", get(document))
            .route("/pool/token", post(token))
            .with_state(Arc::clone(&codes));
        let issuer = TestIssuer::start_with(router).await;
        let at = issuer.name();
        *codes.document.lock().unwrap() = json!({
            "issuer": at, "authorization_endpoint": format!("{at}/authorize"), "token_endpoint": format!("{at}/token"),
        });
        let mut access = issuer.claims(sub);
        access["aud"] = "notes-api".into();
        access["token_use"] = "access".into();
        let access = issuer.signer.sign(&issuer.signer.header(), &access);
        let tokens = json!({ "id_token": issuer.token(sub), "access_token": access, "token_type": "Bearer" });
        codes.is(Mood::Gives(tokens));
        (issuer, codes)
    }

    pub(crate) fn is(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// What the token endpoint gives for a good code.
    pub(crate) fn tokens(&self) -> Value {
        match &*self.mood.lock().unwrap() {
            Mood::Gives(tokens) => tokens.clone(),
            other => panic!("{other:?}"),
        }
    }

    /// A code for a page that began with this verifier, once somebody has signed in.
    pub(crate) fn code(&self, verifier: &str, page: &str) -> String {
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
        let code = format!("code-{}+/&", self.count.fetch_add(1, Ordering::SeqCst));
        let mut given = self.given.lock().unwrap();
        given.insert(code.clone(), (challenge, page.to_owned()));
        code
    }

    fn accepts(&self, form: &BTreeMap<String, String>) -> bool {
        let said = |name: &str| form.get(name).map_or("", String::as_str);
        let Some((challenge, page)) = self.given.lock().unwrap().remove(said("code")) else {
            return false;
        };
        let made = URL_SAFE_NO_PAD.encode(digest(&SHA256, said("code_verifier").as_bytes()));
        made == challenge
            && said("redirect_uri") == page
            && said("client_id") == CLIENT
            && said("grant_type") == "authorization_code"
    }
}

async fn document(State(codes): State<Arc<Codes>>) -> Response {
    codes.asked.fetch_add(1, Ordering::SeqCst);
    answer(200, codes.document.lock().unwrap().to_string())
}

async fn token(State(codes): State<Arc<Codes>>, body: axum::body::Bytes) -> Response {
    let mood = codes.mood.lock().unwrap().clone();
    match mood {
        Mood::Sleeps => std::future::pending().await,
        Mood::Says(status, text) => answer(status, text),
        Mood::Gives(tokens) => {
            let form = form_urlencoded::parse(&body).into_owned().collect();
            match codes.accepts(&form) {
                true => answer(200, tokens.to_string()),
                false => answer(400, json!({ "error": "invalid_grant" }).to_string()),
            }
        }
    }
}

fn answer(status: u16, text: String) -> Response {
    let kind = [("content-type", "application/json")];
    (StatusCode::from_u16(status).unwrap(), kind, text).into_response()
}
