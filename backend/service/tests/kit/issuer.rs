//! An issuer for tests: keys of its own, published on loopback, exchanged and taken away as a test wants.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

pub(crate) const CLIENT: &str = "notes-client";

/// A key of an issuer.
pub(crate) struct Signer {
    pub(crate) id: String,
    pub(crate) pair: KeyPair,
}

impl Signer {
    pub(crate) fn new(id: &str) -> Self {
        Signer {
            id: id.to_owned(),
            pair: KeyPair::generate(KeySize::Rsa2048).unwrap(),
        }
    }

    pub(crate) fn jwk(&self) -> Value {
        let public = self.pair.public_key();
        let number = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        json!({
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.id,
            "n": number(public.modulus().big_endian_without_leading_zero()),
            "e": number(public.exponent().big_endian_without_leading_zero()),
        })
    }

    /// The public key as others would put it into a secret.
    pub(crate) fn public_der(&self) -> Vec<u8> {
        let der: aws_lc_rs::encoding::PublicKeyX509Der<'_> =
            self.pair.public_key().as_der().unwrap();
        der.as_ref().to_vec()
    }

    pub(crate) fn header(&self) -> Value {
        json!({ "alg": "RS256", "typ": "JWT", "kid": self.id })
    }

    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        let signed = unsigned(header, claims);
        let mut signature = vec![0; self.pair.public_modulus_len()];
        self.pair
            .sign(
                &RSA_PKCS1_SHA256,
                &SystemRandom::new(),
                signed.as_bytes(),
                &mut signature,
            )
            .unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// The first two parts of a token.
pub(crate) fn unsigned(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", part(header), part(claims))
}

/// An issuer that publishes its keys.
pub(crate) struct TestIssuer {
    pub(crate) address: SocketAddr,
    pub(crate) signer: Signer,
    published: Arc<Published>,
}

struct Published {
    jwks: Mutex<Value>,
    up: AtomicBool,
    reads: AtomicUsize,
}

impl TestIssuer {
    pub(crate) async fn start() -> Self {
        TestIssuer::start_with(axum::Router::new()).await
    }

    /// One that does more than publish keys.
    pub(crate) async fn start_with(more: axum::Router) -> Self {
        let signer = Signer::new("first");
        let published = Arc::new(Published {
            jwks: Mutex::new(json!({ "keys": [signer.jwk()] })),
            up: AtomicBool::new(true),
            reads: AtomicUsize::new(0),
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = axum::Router::new()
            .route("/pool/.well-known/jwks.json", axum::routing::get(jwks))
            .with_state(Arc::clone(&published))
            .merge(more);
        tokio::spawn(async move { axum::serve(listener, router).await });
        TestIssuer {
            address,
            signer,
            published,
        }
    }

    /// The claim `iss`, and where its keys are found.
    pub(crate) fn name(&self) -> String {
        format!("http://{}/pool", self.address)
    }

    pub(crate) fn publish(&self, keys: &[&Signer]) {
        let keys: Vec<Value> = keys.iter().map(|key| key.jwk()).collect();
        *self.published.jwks.lock().unwrap() = json!({ "keys": keys });
    }

    pub(crate) fn publish_nonsense(&self) {
        *self.published.jwks.lock().unwrap() = json!({ "error": "out of order" });
    }

    pub(crate) fn set_up(&self, up: bool) {
        self.published.up.store(up, Ordering::SeqCst);
    }

    /// How often its keys were read.
    pub(crate) fn reads(&self) -> usize {
        self.published.reads.load(Ordering::SeqCst)
    }

    /// Good claims, to be spoilt.
    pub(crate) fn claims(&self, sub: &str) -> Value {
        let now = jiff::Timestamp::now().as_second();
        json!({
            "iss": self.name(), "aud": CLIENT, "sub": sub, "token_use": "id",
            "iat": now, "exp": now + 3600,
        })
    }

    pub(crate) fn token(&self, sub: &str) -> String {
        self.signer.sign(&self.signer.header(), &self.claims(sub))
    }
}

async fn jwks(State(published): State<Arc<Published>>) -> Response {
    published.reads.fetch_add(1, Ordering::SeqCst);
    if !published.up.load(Ordering::SeqCst) {
        return http::StatusCode::BAD_GATEWAY.into_response();
    }
    let jwks = published.jwks.lock().unwrap().to_string();
    ([("content-type", "application/json")], jwks).into_response()
}
