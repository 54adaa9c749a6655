//! The id of a request: the caller's if it is a sane one, else a new one.

use http::{HeaderMap, HeaderName};

/// The header it comes and goes with.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

const LONGEST: usize = 128;

/// The id of a request with these headers.
pub(crate) fn request_id(headers: &HeaderMap) -> String {
    let mut given = headers.get_all(HEADER).iter();
    let sane = |id: &&str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:+/=".contains(&byte);
        (1..=LONGEST).contains(&id.len()) && id.bytes().all(fits)
    };
    match (given.next(), given.next()) {
        (Some(id), None) => id.to_str().ok().filter(sane).map(str::to_owned),
        _ => None,
    }
    .unwrap_or_else(|| uuid::Uuid::now_v7().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_could_forge_a_log_is_not_taken() {
        let id_of = |values: &[&[u8]]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(HEADER, http::HeaderValue::from_bytes(value).unwrap());
            }
            request_id(&headers)
        };
        assert_eq!(
            id_of(&[b"Root=1-67891233-abcdef"]),
            "Root=1-67891233-abcdef"
        );
        for refused in [&b""[..], b"a b", b"\"}", &[b'a'; 129], b"a\tb", b"\xff"] {
            assert_eq!(id_of(&[refused]).len(), 36, "{refused:?}");
        }
        assert_eq!(id_of(&[b"one", b"two"]).len(), 36);
        assert_ne!(id_of(&[]), id_of(&[]));
    }
}
