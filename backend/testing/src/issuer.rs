//! An issuer as services outside of development have one: it publishes its keys, on loopback.

use std::process::Command;

use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use axum::Router;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::json;
use tokio::net::TcpListener;

const AUDIENCE: &str = "tests";

/// It signs tokens, and says with which key.
pub struct Issuer {
    name: String,
    key: EncodingKey,
}

impl Issuer {
    /// One that is asked on loopback.
    pub async fn start() -> Self {
        let pair = Ed25519KeyPair::generate().unwrap();
        let der: Pkcs8V1Der<'_> = pair.as_der().unwrap();
        let key = json!({
            "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": "1",
            "x": URL_SAFE_NO_PAD.encode(pair.public_key()),
        });
        let keys = json!({ "keys": [key] }).to_string();
        let published = get(async move || keys.clone());
        let router = Router::new().route("/.well-known/jwks.json", published);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let name = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Issuer {
            name,
            key: EncodingKey::from_ed_der(der.as_ref()),
        }
    }

    /// Tells a program whose tokens it takes.
    pub fn trusted_by<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("TABLEWRIGHT_ISSUER", &self.name)
            .env("TABLEWRIGHT_AUDIENCE", AUDIENCE)
            .env("TABLEWRIGHT_ALGORITHM", "EdDSA")
    }

    /// A token of somebody in these groups.
    pub fn token(&self, sub: &str, groups: &[&str]) -> String {
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
        let claims = json!({
            "iss": self.name, "aud": AUDIENCE, "sub": sub, "token_use": "id",
            "email": format!("{sub}@example.org"), "email_verified": true, "name": sub,
            "iat": now.as_secs(), "exp": now.as_secs() + 3600, "cognito:groups": groups,
        });
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(String::from("1"));
        encode(&header, &claims, &self.key).unwrap()
    }
}
