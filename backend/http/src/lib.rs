//! Asking others over HTTP, on the one TLS stack there is: an issuer for its keys, a receiver of webhooks.
//!
//! Redirects are not followed, answers are read up to a limit, and nobody is waited for longer than was said.

use std::fmt;
use std::time::{Duration, SystemTime};

use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_runtime_api::client::http::HttpConnector as _;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::DateTime;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::date_time::Format;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};

/// Asks others.
#[derive(Debug)]
pub struct Client {
    connector: Connector,
    patience: Duration,
    longest: usize,
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
    /// For how long the other side wants to be left alone, if it says so in `Retry-After`.
    pub retry_after: Option<Duration>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoAnswer {
    why: String,
    unsent: bool,
}

impl NoAnswer {
    /// Whether it is known that nobody got what was sent: there was no connection. Else somebody may have, and perhaps has done what it asks for.
    pub fn was_not_sent(&self) -> bool {
        self.unsent
    }

    fn unknown(why: String) -> Self {
        NoAnswer { why, unsent: false }
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for NoAnswer {}

impl Client {
    /// Waits for nobody longer than `patience`, and reads no answer longer than `longest` bytes.
    pub fn new(patience: Duration, longest: usize) -> Self {
        let provider = Provider::Rustls(CryptoMode::AwsLc);
        Client {
            connector: Connector::builder().tls_provider(provider).build(),
            patience,
            longest,
        }
    }

    /// Asks for a document.
    ///
    /// # Errors
    /// [`NoAnswer`] when there is none. Whatever its status, an answer is one.
    pub async fn get(&self, url: &str) -> Result<Answer, NoAnswer> {
        self.get_with(url, &[]).await
    }

    /// Asks for a document, with these headers.
    ///
    /// # Errors
    /// [`NoAnswer`] when there is none, or a header cannot be sent. Whatever its status, an answer is one.
    pub async fn get_with(
        &self,
        url: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Answer, NoAnswer> {
        let mut request = HttpRequest::empty();
        request.headers_mut().insert("accept", "application/json");
        add(&mut request, headers)?;
        self.ask(url, request).await
    }

    /// Sends something, with these headers.
    ///
    /// # Errors
    /// [`NoAnswer`] when there is none, or a header cannot be sent. Whatever its status, an answer is one.
    pub async fn post(
        &self,
        url: &str,
        headers: &[(&'static str, &str)],
        body: Vec<u8>,
    ) -> Result<Answer, NoAnswer> {
        self.request("POST", url, headers, body).await
    }

    /// Sends something by whatever method, with these headers.
    ///
    /// # Errors
    /// [`NoAnswer`] when there is none, or the method or a header cannot be sent. Whatever its status, an answer is one.
    pub async fn request(
        &self,
        method: &str,
        url: &str,
        headers: &[(&'static str, &str)],
        body: Vec<u8>,
    ) -> Result<Answer, NoAnswer> {
        let mut request = HttpRequest::new(SdkBody::from(body));
        request.set_method(method).map_err(not_sent)?;
        add(&mut request, headers)?;
        self.ask(url, request).await
    }

    /// Sends a request as it is, and gives what was answered as it is.
    ///
    /// # Errors
    /// [`NoAnswer`] when there is none, or the request cannot be sent. Whatever its status, an answer is one.
    pub async fn exchange(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, NoAnswer> {
        match tokio::time::timeout(self.patience, self.exchanged(request)).await {
            Ok(answered) => answered,
            Err(_) => Err(self.too_late()),
        }
    }

    async fn exchanged(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, NoAnswer> {
        let request = HttpRequest::try_from(request.map(SdkBody::from)).map_err(not_sent)?;
        let answer = self.connector.call(request).await.map_err(no_answer)?;
        let answer = answer.try_into_http1x();
        let answer = answer.map_err(|error| NoAnswer::unknown(error.to_string()))?;
        let (parts, body) = answer.into_parts();
        let body = Limited::new(body, self.longest).collect().await;
        let body = body.map_err(|error| NoAnswer::unknown(error.to_string()))?;
        Ok(http::Response::from_parts(parts, body.to_bytes()))
    }

    fn too_late(&self) -> NoAnswer {
        NoAnswer::unknown(format!("no answer within {:?}", self.patience))
    }

    async fn ask(&self, url: &str, request: HttpRequest) -> Result<Answer, NoAnswer> {
        match tokio::time::timeout(self.patience, self.send(url, request)).await {
            Ok(answered) => answered,
            Err(_) => Err(self.too_late()),
        }
    }

    async fn send(&self, url: &str, mut request: HttpRequest) -> Result<Answer, NoAnswer> {
        request.set_uri(url).map_err(not_sent)?;
        let answer = self.connector.call(request).await.map_err(no_answer)?;
        let status = answer.status().as_u16();
        let retry_after = answer.headers().get("retry-after");
        let retry_after = retry_after.and_then(|text| wait(text, SystemTime::now()));
        let body = Limited::new(answer.into_body(), self.longest);
        let body = body.collect().await;
        let body = body.map_err(|error| NoAnswer::unknown(error.to_string()))?;
        Ok(Answer {
            status,
            body: body.to_bytes().to_vec(),
            retry_after,
        })
    }
}

fn add(request: &mut HttpRequest, headers: &[(&'static str, &str)]) -> Result<(), NoAnswer> {
    for (name, value) in headers {
        let set = request.headers_mut().try_insert(*name, (*value).to_owned());
        set.map_err(not_sent)?;
    }
    Ok(())
}

/// An error with all its causes.
fn no_answer(error: impl std::error::Error) -> NoAnswer {
    let mut why = error.to_string();
    let mut unsent = false;
    let mut cause = error.source();
    while let Some(error) = cause {
        why.push_str(": ");
        why.push_str(&error.to_string());
        let connecting = error.downcast_ref::<hyper_util::client::legacy::Error>();
        unsent |= connecting.is_some_and(hyper_util::client::legacy::Error::is_connect);
        cause = error.source();
    }
    NoAnswer { why, unsent }
}

/// A request that cannot even be made.
fn not_sent(error: impl std::error::Error) -> NoAnswer {
    NoAnswer {
        unsent: true,
        ..no_answer(error)
    }
}

/// What `Retry-After` says: seconds, or a date.
fn wait(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = DateTime::from_str(text, Format::HttpDate).ok()?;
    let date = SystemTime::try_from(date).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// Whether nobody on the way reads what is sent to an address: it is encrypted, or does not leave this machine.
pub fn is_private(url: &str) -> bool {
    let Ok(uri) = url.parse::<http::Uri>() else {
        return false;
    };
    match (uri.scheme_str(), uri.host()) {
        (Some("https"), Some(host)) => !host.is_empty(),
        (Some("http"), Some(host)) => matches!(host, "localhost" | "127.0.0.1" | "[::1]"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_in_seconds_or_by_its_end() {
        let noon = DateTime::from_str("Sun, 06 Nov 1994 08:49:37 GMT", Format::HttpDate);
        let noon = SystemTime::try_from(noon.unwrap()).unwrap();
        assert_eq!(wait("120", noon), Some(Duration::from_secs(120)));
        let later = "Sun, 06 Nov 1994 08:50:07 GMT";
        assert_eq!(wait(later, noon), Some(Duration::from_secs(30)));
        let before = "Sun, 06 Nov 1994 08:00:00 GMT";
        assert_eq!(wait(before, noon), Some(Duration::ZERO));
        assert_eq!(wait("soon", noon), None);
        assert_eq!(wait("-1", noon), None);
    }

    #[test]
    fn only_what_is_encrypted_or_stays_here_is_private() {
        for private in [
            "https://example.org/a",
            "http://localhost:1/",
            "http://127.0.0.1",
            "http://[::1]:9/a",
        ] {
            assert!(is_private(private), "{private}");
        }
        for public in [
            "http://example.org",
            "http://127.0.0.1.example.org/",
            "http://localhost.example.org/",
            "http://127.0.0.1@example.org/",
            "ftp://localhost/",
            "localhost",
            "https://",
            "",
        ] {
            assert!(!is_private(public), "{public}");
        }
    }
}
