//! A person: nobody knows who, and always the same. What they are known by is made and signed here, so nobody chooses it (C2-11), and only a
//! hash of it is kept (S2-26).

use aws_lc_rs::digest::{SHA256, digest};
use axum::extract::FromRequestParts;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::request::Parts;
use http::{HeaderMap, Method, header};
use serde_json::json;
use tablewright_service::{Caller, Input, Kind, Operation, Problem};

use super::{bearer, unknown};
use crate::signed::{Signer, random};
use crate::state::App;

/// What a token of a person begins with.
pub(crate) const TOKEN_PREFIX: &str = "aahp_";

/// The cookie with the same.
pub(crate) const COOKIE: &str = "aah_person";

const PURPOSE: &str = "person";

/// Somebody who was given a token or a cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Human {
    /// The fingerprint of document 002.
    pub(crate) fingerprint_hash: String,
}

/// Somebody who comes for the first time.
#[derive(Debug, Clone)]
pub(crate) struct NewHuman {
    /// What they are known by from now on.
    pub(crate) token: String,
}

impl NewHuman {
    pub(crate) fn new(signer: &Signer) -> Self {
        let signed = signer.sign(PURPOSE, &random::<16>());
        NewHuman {
            token: format!("{TOKEN_PREFIX}{signed}"),
        }
    }
}

impl Human {
    /// Somebody who was given nothing yet: they have answered nothing, and cannot.
    pub(crate) fn nobody() -> Self {
        Human {
            fingerprint_hash: String::from("nobody"),
        }
    }

    /// Whose token this is, if it is one.
    pub(crate) fn of_token(signer: &Signer, token: &str) -> Option<Human> {
        let signed = token.strip_prefix(TOKEN_PREFIX)?;
        let bytes = signer.opened(PURPOSE, signed)?;
        let hash = digest(&SHA256, &bytes);
        Some(Human {
            fingerprint_hash: URL_SAFE_NO_PAD.encode(&hash.as_ref()[..24]),
        })
    }

    /// Whose token or cookie a request has, whoever made it send that.
    pub(crate) fn known(signer: &Signer, headers: &HeaderMap) -> Option<Human> {
        match bearer(headers, TOKEN_PREFIX) {
            Some(token) => Human::of_token(signer, token),
            None => Human::of_cookie(signer, headers),
        }
    }

    /// Whose cookie a request has.
    pub(crate) fn of_cookie(signer: &Signer, headers: &HeaderMap) -> Option<Human> {
        Human::with_cookie(signer, headers).map(|(human, _)| human)
    }

    /// The same, with the token that is in it.
    pub(crate) fn with_cookie<'h>(
        signer: &Signer,
        headers: &'h HeaderMap,
    ) -> Option<(Human, &'h str)> {
        let values = headers.get_all(header::COOKIE).iter();
        let values = values.filter_map(|value| value.to_str().ok());
        let mut cookies = values.flat_map(|value| value.split(';'));
        let ours = |cookie: &'h str| {
            let (name, value) = cookie.trim().split_once('=')?;
            let human = (name == COOKIE).then(|| Human::of_token(signer, value))?;
            human.map(|human| (human, value))
        };
        cookies.find_map(ours)
    }
}

impl FromRequestParts<App> for Human {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let human = match bearer(&parts.headers, TOKEN_PREFIX) {
            Some(token) => Human::of_token(&app.signer, token)
                .ok_or_else(|| unknown("the token of a person is none of ours"))?,
            None => {
                let human = Human::of_cookie(&app.signer, &parts.headers);
                let human = human.ok_or_else(|| {
                    unknown("nobody knows who asks: `POST /human/people` gives a token, and the page a cookie")
                })?;
                comes_from_here(&parts.method, &parts.headers)?;
                human
            }
        };
        Caller::new(&human.fingerprint_hash).asks(parts);
        Ok(human)
    }
}

/// A browser sends cookies along whoever made it send the request; what it says about that is believed.
fn comes_from_here(method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
    if method.is_safe() {
        return Ok(());
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let from_here = match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => site == "same-origin" || site == "none",
        (None, Some(origin)) => {
            let host = text("host").unwrap_or_default();
            origin
                .split_once("://")
                .is_some_and(|(_, from)| from == host)
        }
        (None, None) => true,
    };
    match from_here {
        true => Ok(()),
        false => Err(Problem::new(Kind::FORBIDDEN)
            .detail("a page of somebody else made the browser send this")),
    }
}

impl Input for Human {
    fn describe(operation: &mut Operation<'_>) {
        let about = "The token of a person, `aahp_…`, which `POST /human/people` gives.";
        let scheme = json!({ "type": "http", "scheme": "bearer", "description": about });
        operation.credential("person", scheme);
        let about = "The same as a cookie, which the page gives.";
        let scheme =
            json!({ "type": "apiKey", "in": "cookie", "name": COOKIE, "description": about });
        operation.credential("person_cookie", scheme);
        operation.problem(&Kind::FORBIDDEN);
    }
}

#[cfg(test)]
mod tests {
    use tablewright_service::Secret;

    use super::*;

    #[test]
    fn a_person_is_whom_we_made_and_stays_the_same() {
        let signer = Signer::new(&Secret::new("a secret"));
        let (ada, bob) = (NewHuman::new(&signer), NewHuman::new(&signer));
        let of = |new: &NewHuman| Human::of_token(&signer, &new.token);
        assert!(of(&ada).is_some() && of(&ada) == of(&ada) && of(&ada) != of(&bob));
        assert!(Caller::is_subject(&of(&ada).unwrap().fingerprint_hash));
        for made_up in [
            "",
            "aahp_",
            "aahp_AAAA",
            &ada.token[5..],
            &format!("{}A", ada.token),
        ] {
            assert_eq!(Human::of_token(&signer, made_up), None, "{made_up}");
        }
        let mut headers = HeaderMap::new();
        let cookies = format!("x=1; {COOKIE}={}; y=2", bob.token);
        headers.insert(header::COOKIE, cookies.parse().unwrap());
        assert_eq!(Human::of_cookie(&signer, &headers), of(&bob));
    }

    #[test]
    fn a_page_of_somebody_else_changes_nothing_with_a_cookie() {
        let sent = |method: Method, pairs: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, value.parse().unwrap());
            }
            comes_from_here(&method, &headers).is_ok()
        };
        let host = ("host", "ask.example");
        assert!(sent(Method::GET, &[("sec-fetch-site", "cross-site")]));
        assert!(sent(
            Method::POST,
            &[host, ("origin", "https://ask.example")]
        ));
        assert!(sent(Method::POST, &[("sec-fetch-site", "same-origin")]));
        assert!(!sent(Method::POST, &[("sec-fetch-site", "cross-site")]));
        assert!(!sent(Method::POST, &[("sec-fetch-site", "same-site")]));
        assert!(!sent(
            Method::POST,
            &[host, ("origin", "https://evil.example")]
        ));
        assert!(!sent(Method::POST, &[host, ("origin", "null")]));
    }
}
