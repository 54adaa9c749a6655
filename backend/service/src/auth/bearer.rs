//! The header `Authorization`, and what is wrong with it.

use std::time::Duration;

use http::{HeaderMap, HeaderValue, header};

use crate::problem::{Kind, Problem};

/// Why a request has no caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Denied {
    /// It has no token.
    NoToken,
    /// Its header is not `Bearer TOKEN`, or there are two.
    NotBearer(&'static str),
    /// Its token is not accepted.
    BadToken(&'static str),
    /// The keys of the issuer are not known at all.
    NoKeys,
}

/// The token of a request.
pub(crate) fn token(headers: &HeaderMap) -> Result<&str, Denied> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = sent.next() else {
        return Err(Denied::NoToken);
    };
    // Whoever stands between might have judged the other one.
    if sent.next().is_some() {
        return Err(Denied::NotBearer(
            "there is more than one header Authorization",
        ));
    }
    let not_bearer = || Denied::NotBearer("the header Authorization is not `Bearer TOKEN`");
    let value = value.to_str().map_err(|_| not_bearer())?;
    let (scheme, token) = value.split_once(' ').ok_or_else(not_bearer)?;
    let token = token.trim_matches(' ');
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() || token.contains(' ') {
        return Err(not_bearer());
    }
    Ok(token)
}

impl From<Denied> for Problem {
    fn from(denied: Denied) -> Self {
        // RFC 6750: without a token the challenge says nothing more.
        let challenge = |value: &'static str, why: &str| {
            let value = HeaderValue::from_static(value);
            Problem::new(Kind::UNAUTHENTICATED)
                .header(header::WWW_AUTHENTICATE, value)
                .detail(why)
                .field("Authorization", why)
        };
        match denied {
            Denied::NoToken => challenge("Bearer", "the request has no token"),
            Denied::NotBearer(why) => challenge("Bearer error=\"invalid_request\"", why),
            Denied::BadToken(why) => challenge("Bearer error=\"invalid_token\"", why),
            Denied::NoKeys => Problem::new(Kind::UNAVAILABLE)
                .retry_after(Duration::from_secs(2))
                .detail("tokens cannot be checked, since the issuer cannot be reached")
                .cause("the keys of the issuer were never read"),
        }
    }
}
