//! Asking others over HTTP, on the one TLS stack there is: an issuer for its keys, a receiver of webhooks.
//!
//! Redirects are not followed, answers are read up to a limit, and nobody is waited for longer than was said.

use std::fmt;
use std::time::Duration;

use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_runtime_api::client::http::HttpConnector as _;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
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
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoAnswer(String);

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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
        let mut request = HttpRequest::empty();
        request.headers_mut().insert("accept", "application/json");
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
        let mut request = HttpRequest::new(SdkBody::from(body));
        request.set_method("POST").map_err(no_answer)?;
        for (name, value) in headers {
            let set = request.headers_mut().try_insert(*name, (*value).to_owned());
            set.map_err(no_answer)?;
        }
        self.ask(url, request).await
    }

    async fn ask(&self, url: &str, request: HttpRequest) -> Result<Answer, NoAnswer> {
        match tokio::time::timeout(self.patience, self.send(url, request)).await {
            Ok(answered) => answered,
            Err(_) => Err(NoAnswer(format!("no answer within {:?}", self.patience))),
        }
    }

    async fn send(&self, url: &str, mut request: HttpRequest) -> Result<Answer, NoAnswer> {
        request.set_uri(url).map_err(no_answer)?;
        let answer = self.connector.call(request).await.map_err(no_answer)?;
        let status = answer.status().as_u16();
        let body = Limited::new(answer.into_body(), self.longest);
        let body = body.collect().await;
        let body = body.map_err(|error| NoAnswer(error.to_string()))?;
        Ok(Answer {
            status,
            body: body.to_bytes().to_vec(),
        })
    }
}

/// An error with all its causes.
fn no_answer(error: impl std::error::Error) -> NoAnswer {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    NoAnswer(text)
}
