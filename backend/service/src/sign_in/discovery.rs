//! Where an issuer signs people in, as it says itself: OpenID Connect Discovery.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use tokio::sync::Mutex;

use crate::auth::Fetcher;
use crate::problem::{Kind, Problem};
use crate::settings::{Published, is_safe};

/// How long an issuer that could not be asked is left alone: everybody who waited is told the same.
const GAP: Duration = Duration::from_secs(1);

/// Where an issuer signs people in.
#[derive(Debug)]
pub(super) struct Endpoints {
    pub(super) authorization: String,
    pub(super) token: String,
}

/// The endpoints of an issuer, read when they are needed. What is known is kept while the issuer cannot be reached.
#[derive(Debug)]
pub(super) struct Discovery {
    issuer: String,
    refresh: Duration,
    /// Held while reading, so that one reads for all.
    state: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    endpoints: Option<Arc<Endpoints>>,
    read: Option<Instant>,
    failed: Option<Instant>,
}

/// What an issuer says of itself, as far as it is needed.
#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
}

impl Discovery {
    pub(super) fn new(published: &Published) -> Self {
        Discovery {
            issuer: published.issuer.clone(),
            refresh: published.refresh,
            state: Mutex::default(),
        }
    }

    pub(super) async fn endpoints(&self, fetcher: &Fetcher) -> Result<Arc<Endpoints>, Problem> {
        let mut known = self.state.lock().await;
        let is_fresh = known.read.is_some_and(|at| at.elapsed() < self.refresh);
        let has_failed = known.failed.is_some_and(|at| at.elapsed() < GAP);
        if !is_fresh && !has_failed {
            self.read(&mut known, fetcher).await;
        }
        known.endpoints.clone().ok_or_else(|| {
            Problem::new(Kind::UNAVAILABLE)
                .retry_after(GAP)
                .detail("nobody can sign in, since the issuer does not say where")
                .cause("the endpoints of the issuer were never read")
        })
    }

    async fn read(&self, known: &mut Known, fetcher: &Fetcher) {
        let issuer = self.issuer.trim_end_matches('/');
        let url = format!("{issuer}/.well-known/openid-configuration");
        let read = fetcher.get(&url).await;
        match read.and_then(|json| self.understand(&json)) {
            Ok(endpoints) => {
                *known = Known {
                    endpoints: Some(Arc::new(endpoints)),
                    read: Some(Instant::now()),
                    failed: None,
                };
            }
            Err(why) => {
                tracing::warn!(url, why, "the endpoints of the issuer cannot be read");
                known.failed = Some(Instant::now());
            }
        }
    }

    fn understand(&self, json: &[u8]) -> Result<Endpoints, String> {
        let document: Document = serde_json::from_slice(json)
            .map_err(|error| format!("it does not say where people sign in: {error}"))?;
        if document.issuer != self.issuer {
            return Err(format!(
                "it is of the issuer `{}`, and not of `{}`",
                document.issuer, self.issuer
            ));
        }
        Ok(Endpoints {
            authorization: self.safe(document.authorization_endpoint)?,
            token: self.safe(document.token_endpoint)?,
        })
    }

    /// Codes and tokens go there: nobody may listen. An issuer elsewhere has no business on this machine.
    fn safe(&self, endpoint: String) -> Result<String, String> {
        let address: Option<http::Uri> = endpoint.parse().ok();
        let address = address.filter(is_safe);
        let is_kept = |address: &http::Uri| {
            address.scheme_str() == Some("https") || self.issuer.starts_with("http:")
        };
        match address.filter(is_kept) {
            Some(_) => Ok(endpoint),
            None => Err(format!("its endpoint `{endpoint}` is not https")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understood(issuer: &str, document: &str) -> Result<Endpoints, String> {
        let discovery = Discovery {
            issuer: issuer.to_owned(),
            refresh: GAP,
            state: Mutex::default(),
        };
        discovery.understand(document.as_bytes())
    }

    fn document(issuer: &str, authorization: &str, token: &str) -> String {
        serde_json::json!({
            "issuer": issuer, "authorization_endpoint": authorization, "token_endpoint": token,
        })
        .to_string()
    }

    #[test]
    fn only_the_issuer_itself_is_believed_and_only_where_nobody_listens() {
        let (issuer, local) = ("https://id.example/pool", "http://127.0.0.1:9/pool");
        let (a, t) = ("https://id.example/a?policy=p", "https://id.example/t");
        assert!(understood(issuer, &document(issuer, a, t)).is_ok());
        assert!(understood(local, &document(local, "http://127.0.0.1:9/a", t)).is_ok());
        for (issuer, wrong) in [
            (issuer, document("https://evil.example/pool", a, t)),
            (issuer, document("https://id.example/pool/", a, t)),
            (issuer, document(issuer, "http://id.example/a", t)),
            (issuer, document(issuer, "javascript:alert(1)", t)),
            (issuer, document(issuer, a, "http://127.0.0.1:9/t")),
            (issuer, document(issuer, a, "/t")),
            (local, document(local, "http://id.example/a", t)),
            (issuer, String::from("<html>")),
            (issuer, String::from("{}")),
        ] {
            assert!(understood(issuer, &wrong).is_err(), "{wrong}");
        }
    }
}
