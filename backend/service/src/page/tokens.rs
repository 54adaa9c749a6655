//! Tokens for whoever sits at this machine, where the development issuer is in use.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use http::{HeaderMap, header};

use super::Form;
use crate::auth::{DevelopmentIssuer, Person};
use crate::problem::{Kind, Problem};
use crate::request::read_body;

/// How long such a token is good.
const VALID: Duration = Duration::from_secs(12 * 60 * 60);

/// Who makes them, and where people have their addresses.
pub(super) struct Tokens {
    pub(super) issuer: Option<DevelopmentIssuer>,
    pub(super) domain: String,
}

pub(super) async fn token(
    State(tokens): State<Arc<Tokens>>,
    request: Request,
) -> Result<String, Problem> {
    let issuer = tokens.issuer.as_ref();
    let issuer = issuer.ok_or_else(|| Problem::not_found("page"))?;
    if !is_this_machine(request.headers()) {
        return Err(Problem::new(Kind::FORBIDDEN)
            .field("Host", "tokens are made for pages of this machine only"));
    }
    let said = Form::in_body(&read_body(request).await?);
    let fits = |name: &&str| {
        name.len() <= 64
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
    };
    let refused =
        |field: &str| Problem::invalid(field, "it has 1 to 64 letters, digits, dots and dashes");
    let name = said.text("name").filter(fits);
    let name = name.ok_or_else(|| refused("name"))?;
    let group = said.text("group");
    if !group.is_none_or(|group| fits(&group)) {
        return Err(refused("group"));
    }
    let person = Person {
        sub: name.to_owned(),
        email: Some(format!("{}@{}", name.to_lowercase(), tokens.domain)),
        name: Some(name.to_owned()),
        groups: group.map(str::to_owned).into_iter().collect(),
    };
    Ok(issuer.token(&person, VALID))
}

/// A page of another site that makes its name lead here still has its own name in `Host`, and its own in `Origin`.
pub(super) fn is_this_machine(headers: &HeaderMap) -> bool {
    let local = |host: &str| {
        let name = host.rsplit_once(':').map_or(host, |(name, port)| {
            if port.bytes().all(|byte| byte.is_ascii_digit()) {
                name
            } else {
                host
            }
        });
        ["127.0.0.1", "localhost", "[::1]"].contains(&name)
    };
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &http::HeaderValue| value.to_str().ok())
    };
    let origin = text(header::ORIGIN).map(|origin| origin.strip_prefix("http://").unwrap_or(""));
    text(header::HOST).is_some_and(local) && origin.is_none_or(local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_machine_get_tokens() {
        let asked = |host: &str, origin: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, origin.parse().unwrap());
            }
            is_this_machine(&headers)
        };
        assert!(asked("127.0.0.1:8081", None));
        assert!(asked("localhost:8081", Some("http://localhost:8081")));
        assert!(asked("[::1]:8081", Some("http://[::1]:8081")));
        assert!(!asked("evil.example:8081", None));
        assert!(!asked("127.0.0.1.evil.example:8081", None));
        assert!(!asked("127.0.0.1:8081", Some("http://evil.example")));
        assert!(!asked("127.0.0.1:8081", Some("null")));
        assert!(!is_this_machine(&HeaderMap::new()));
    }
}
