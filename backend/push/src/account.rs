//! The service account that sends, and how it says who it is.

use std::fmt;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::json;
use tablewright_http::is_private;

/// What its tokens are for.
const SCOPE: &str = "https://www.googleapis.com/auth/firebase.messaging";

/// How long an assertion is good, in seconds: as long as it may be.
const GOOD_FOR: u64 = 3600;

/// A service account, from the file its key came in. Its key is never shown.
pub struct ServiceAccount {
    pub(crate) project: String,
    pub(crate) token_url: String,
    email: String,
    key_id: Option<String>,
    key: RsaKeyPair,
}

/// Why a text is no service account. What is in it is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadAccount {
    /// It is no JSON, or lacks something.
    Unreadable(String),
    /// Its private key is no RSA key in PKCS #8, as PEM.
    NoKey,
    /// Something in it cannot be part of an address, or what is sent there could be read on the way.
    NoAddress(&'static str),
}

/// The file as Google gives it out.
#[derive(Deserialize)]
struct Written {
    project_id: String,
    private_key_id: Option<String>,
    private_key: String,
    client_email: String,
    token_uri: String,
}

impl ServiceAccount {
    /// The account in a file as Google gives it out: `project_id`, `client_email`, `private_key` and `token_uri`.
    ///
    /// # Errors
    /// [`BadAccount`]
    pub fn of_json(text: &str) -> Result<Self, BadAccount> {
        let written: Written = serde_json::from_str(text).map_err(unreadable)?;
        let in_an_address = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':');
        if written.project_id.is_empty() || !written.project_id.chars().all(in_an_address) {
            return Err(BadAccount::NoAddress("project_id"));
        }
        if !is_private(&written.token_uri) {
            return Err(BadAccount::NoAddress("token_uri"));
        }
        let der = der_of(&written.private_key).ok_or(BadAccount::NoKey)?;
        Ok(ServiceAccount {
            project: written.project_id,
            token_url: written.token_uri,
            email: written.client_email,
            key_id: written.private_key_id,
            key: RsaKeyPair::from_pkcs8(&der).map_err(|_| BadAccount::NoKey)?,
        })
    }

    /// What an access token is given for: who we are and what we want, signed (RFC 7523). `now` is in seconds since 1970.
    pub(crate) fn assertion(&self, now: u64) -> String {
        let mut head = json!({ "alg": "RS256", "typ": "JWT" });
        if let Some(id) = &self.key_id {
            head["kid"] = json!(id);
        }
        let claims = json!({
            "iss": self.email,
            "scope": SCOPE,
            "aud": self.token_url,
            "iat": now,
            "exp": now + GOOD_FOR,
        });
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(head), part(claims));
        let mut signature = vec![0; self.key.public_modulus_len()];
        let random = SystemRandom::new();
        self.key
            .sign(
                &RSA_PKCS1_SHA256,
                &random,
                signed.as_bytes(),
                &mut signature,
            )
            .expect("the signature is as long as the modulus");
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// The bytes between the lines of a PEM.
fn der_of(pem: &str) -> Option<Vec<u8>> {
    let (_, rest) = pem.split_once("-----BEGIN PRIVATE KEY-----")?;
    let (body, _) = rest.split_once("-----END PRIVATE KEY-----")?;
    let body: String = body.split_whitespace().collect();
    STANDARD.decode(body).ok()
}

/// Where it is wrong, and nothing of what is there.
fn unreadable(error: serde_json::Error) -> BadAccount {
    use serde_json::error::Category;
    BadAccount::Unreadable(match error.classify() {
        Category::Data => {
            let lacks = ["project_id", "private_key", "client_email", "token_uri"]
                .into_iter()
                .find(|name| error.to_string().contains(&format!("`{name}`")));
            match lacks {
                Some(name) => format!("it lacks `{name}`"),
                None => format!("line {} is not as it should be", error.line()),
            }
        }
        _ => format!("it is no JSON at line {}", error.line()),
    })
}

impl fmt::Debug for ServiceAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceAccount")
            .field("project", &self.project)
            .field("email", &self.email)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for BadAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no key file of a service account: ")?;
        match self {
            BadAccount::Unreadable(why) => f.write_str(why),
            BadAccount::NoKey => f.write_str("`private_key` is no RSA key in PKCS #8, as PEM"),
            BadAccount::NoAddress("token_uri") => f.write_str("`token_uri` is no https address"),
            BadAccount::NoAddress(name) => write!(f, "`{name}` cannot be part of an address"),
        }
    }
}

impl std::error::Error for BadAccount {}
