//! What a token says of its bearer, in the shape of Cognito's.

use serde::Deserialize;

use super::Caller;
use super::bearer::Denied;

#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    #[serde(default)]
    sub: String,
    #[serde(default)]
    exp: serde_json::Value,
    #[serde(default)]
    aud: Option<Audience>,
    /// Cognito's access tokens name the client here, and have no audience.
    #[serde(default)]
    client_id: Option<String>,
    #[serde(default)]
    token_use: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    email_verified: Option<Truth>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, rename = "cognito:groups")]
    groups: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

/// Some issuers write truth as text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Truth {
    Value(bool),
    Text(String),
}

impl Claims {
    /// When the token ends, in milliseconds since 1970: RFC 7519 allows fractions of a second. What says nothing that can be understood
    /// has ended.
    pub(super) fn ends(&self) -> u64 {
        let millis = self.exp.as_f64().map(|seconds| seconds * 1000.0);
        millis.map_or(0, |millis| millis.floor() as u64)
    }

    /// The caller, if the token is for one of this audience.
    pub(super) fn caller(self, audience: &[String]) -> Result<Caller, Denied> {
        let is_ours = |name: &String| audience.contains(name);
        let for_us = match (&self.aud, &self.client_id) {
            (Some(Audience::One(name)), _) => is_ours(name),
            (Some(Audience::Many(names)), _) => names.iter().any(is_ours),
            (None, Some(client)) => is_ours(client),
            (None, None) => false,
        };
        if !for_us {
            return Err(Denied::BadToken("the token is for somebody else"));
        }
        // Cognito's refresh tokens cannot be read by us, but others may sign what is no credential.
        if let Some(word) = &self.token_use
            && !matches!(word.as_str(), "id" | "access")
        {
            return Err(Denied::BadToken("the token is for another use"));
        }
        if !Caller::is_subject(&self.sub) {
            return Err(Denied::BadToken("the subject of the token is none"));
        }
        Ok(Caller {
            sub: self.sub,
            email: self.email.filter(|email| !email.is_empty()),
            email_verified: self.email_verified.is_some_and(|truth| match truth {
                Truth::Value(truth) => truth,
                Truth::Text(text) => text == "true",
            }),
            name: self.name.filter(|name| !name.is_empty()),
            groups: self.groups,
        })
    }
}
