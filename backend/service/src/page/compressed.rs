//! Pages and what they load, compressed for whoever can read that: on a slow line they are there a few times sooner.
//!
//! Answers of the API are sent as they are: programs ask for them over fast lines, and what is secret in them stays as long as it is.

use std::io::Write as _;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, header};

use crate::problem::Problem;

/// What is shorter fits into one packet as it is.
const WORTH_IT: usize = 1024;

/// Pages are never longer. What is would be sent as it is.
const MOST: u64 = 4 << 20;

pub(crate) async fn compressed(request: Request, next: Next) -> Response {
    let reads_it = accepts_gzip(request.headers());
    let mut response = next.run(request).await;
    if !is_text(response.headers()) {
        return response;
    }
    let varies = HeaderValue::from_static("accept-encoding");
    response.headers_mut().append(header::VARY, varies);
    let length = axum::body::HttpBody::size_hint(response.body()).exact();
    let fits = length.is_some_and(|length| (WORTH_IT as u64..=MOST).contains(&length));
    if !reads_it || !fits {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let gzipped = match to_bytes(body, usize::MAX).await {
        Ok(text) => gzip(&text),
        Err(error) => return Problem::internal(error).into_response(),
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    let coding = HeaderValue::from_static("gzip");
    parts.headers.insert(header::CONTENT_ENCODING, coding);
    Response::from_parts(parts, Body::from(gzipped))
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::with_capacity(text.len() / 3), Compression::default());
    let written = gzip.write_all(text).and_then(|()| gzip.finish());
    written.expect("a vector takes all that is written to it")
}

/// Whether it is a text that nobody has encoded yet.
fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let others = ["application/manifest+json", "image/svg+xml"];
    let is_text = kind.starts_with("text/") || others.contains(&kind);
    is_text && kind != "text/event-stream" && !headers.contains_key(header::CONTENT_ENCODING)
}

/// RFC 9110, 12.5.3: `gzip`, or anything, and not with a weight of nothing.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let said = headers.get_all(header::ACCEPT_ENCODING).iter();
    let said = said.filter_map(|value| value.to_str().ok());
    let codings: Vec<(String, bool)> = said
        .flat_map(|value| value.split(','))
        .map(|coding| {
            let mut parts = coding
                .split(';')
                .map(|part| part.trim().to_ascii_lowercase());
            let name = parts.next().unwrap_or_default();
            let weight = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
            (name, weight.is_none_or(|weight| weight > 0.0))
        })
        .collect();
    let of = |name: &str| codings.iter().find(|(coding, _)| coding == name);
    of("gzip")
        .or_else(|| of("*"))
        .is_some_and(|(_, wanted)| *wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_who_says_so() {
        let accepts = |said: &'static str| {
            let said = HeaderValue::from_static(said);
            accepts_gzip(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, said)]))
        };
        for yes in ["gzip", "br, gzip", "GZIP;q=0.5", "*", "br;q=1, *;q=0.1"] {
            assert!(accepts(yes), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "*, gzip; q=0", "identity", "gzipped"] {
            assert!(!accepts(no), "{no}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
