//! Who asks: an agent by its key, a person by a token or cookie of ours, an admin by a token of the issuer. Handlers take them as arguments.

mod admin;
mod agent;
mod human;

pub(crate) use self::admin::Admin;
pub(crate) use self::agent::{KEY_PREFIX, KnownAgent, hash_of_key};
pub(crate) use self::human::{COOKIE, Human, NewHuman};

use http::{HeaderMap, HeaderValue, header};
use tablewright_service::{Kind, Problem};

/// The bearer token of a request that begins like this.
fn bearer<'h>(headers: &'h HeaderMap, prefix: &str) -> Option<&'h str> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let value = sent.next()?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim_matches(' ');
    let fits = sent.next().is_none() && scheme.eq_ignore_ascii_case("bearer");
    (fits && token.starts_with(prefix)).then_some(token)
}

fn unknown(why: &'static str) -> Problem {
    let challenge = HeaderValue::from_static("Bearer");
    Problem::new(Kind::UNAUTHENTICATED)
        .header(header::WWW_AUTHENTICATE, challenge)
        .detail(why)
}
