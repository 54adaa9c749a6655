//! Reading bodies, within limits of size and time.

use std::error::Error as _;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use http::{HeaderMap, header};
use http_body_util::LengthLimitError;

use crate::problem::{Kind, Problem};
use crate::settings::Limits;

/// The body of a request.
pub(crate) async fn read_body(request: Request) -> Result<Bytes, Problem> {
    let limits = request.extensions().get::<Limits>().copied();
    let limits = limits.ok_or_else(|| Problem::internal("the route is not part of a `Service`"))?;
    let too_large = || {
        let detail = format!("a body has at most {} bytes", limits.body);
        Problem::new(Kind::TOO_LARGE)
            .detail(detail.clone())
            .field("body", detail)
    };
    let announced = request.headers().get(header::CONTENT_LENGTH);
    let announced: Option<u64> = announced.and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length| length > limits.body as u64) {
        return Err(too_large());
    }
    let read = read_all(request.into_body(), limits.body);
    match tokio::time::timeout(limits.body_timeout, read).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(Unread::TooLarge)) => Err(too_large()),
        Ok(Err(Unread::Broken(why))) => Err(Problem::new(Kind::MALFORMED)
            .detail("the body broke off, or is not what its headers say")
            .cause(why)),
        Err(_) => {
            let why = format!("the body did not arrive within {:?}", limits.body_timeout);
            Err(Problem::new(Kind::TOO_SLOW)
                .detail(why.clone())
                .field("body", why))
        }
    }
}

enum Unread {
    TooLarge,
    Broken(String),
}

async fn read_all(body: Body, limit: usize) -> Result<Bytes, Unread> {
    to_bytes(body, limit).await.map_err(|error| {
        let source = error.source();
        if source.is_some_and(|source| source.is::<LengthLimitError>()) {
            Unread::TooLarge
        } else {
            Unread::Broken(error.to_string())
        }
    })
}

/// Refuses what does not say that it is JSON, in UTF-8 and as it is.
pub(crate) fn require_json(headers: &HeaderMap) -> Result<(), Problem> {
    for coding in headers.get_all(header::CONTENT_ENCODING) {
        let coding = String::from_utf8_lossy(coding.as_bytes());
        if !coding.trim().eq_ignore_ascii_case("identity") {
            return Err(Problem::new(Kind::UNSUPPORTED_MEDIA_TYPE)
                .detail(format!("the body is encoded as `{coding}`"))
                .field(
                    "Content-Encoding",
                    "a body is sent as it is, not compressed",
                ));
        }
    }
    let given = headers.get(header::CONTENT_TYPE);
    let given = given.and_then(|value| value.to_str().ok()).unwrap_or("");
    let kind = given.split(';').next().unwrap_or("").trim();
    let kind = kind.to_ascii_lowercase();
    let is_json =
        kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"));
    if is_json {
        let charset = given.split(';').skip(1).find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let is_charset = name.trim().eq_ignore_ascii_case("charset");
            is_charset.then(|| value.trim().trim_matches('"'))
        });
        return match charset {
            Some(charset) if !charset.eq_ignore_ascii_case("utf-8") => {
                Err(Problem::new(Kind::UNSUPPORTED_MEDIA_TYPE)
                    .detail(format!("the body is `{given}`"))
                    .field("Content-Type", "the charset of JSON is utf-8"))
            }
            _ => Ok(()),
        };
    }
    let detail = match given {
        "" => String::from("the request has no header Content-Type"),
        given => format!("the body is `{given}`"),
    };
    Err(Problem::new(Kind::UNSUPPORTED_MEDIA_TYPE)
        .detail(detail)
        .field("Content-Type", "it must be application/json"))
}
