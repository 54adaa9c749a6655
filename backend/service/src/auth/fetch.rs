//! Reading a small document from an address, over the one TLS stack there is.

use std::time::Duration;

use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_runtime_api::client::http::HttpConnector as _;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use http_body_util::{BodyExt as _, Limited};

/// How long an issuer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest document: key sets have a few kilobytes.
const LONGEST: usize = 256 * 1024;

/// Reads documents.
#[derive(Debug)]
pub(super) struct Fetcher(Connector);

impl Fetcher {
    pub(super) fn new() -> Self {
        let provider = Provider::Rustls(CryptoMode::AwsLc);
        Fetcher(Connector::builder().tls_provider(provider).build())
    }

    /// The document, or what happened instead.
    pub(super) async fn get(&self, url: &str) -> Result<Vec<u8>, String> {
        match tokio::time::timeout(PATIENCE, self.read(url)).await {
            Ok(read) => read,
            Err(_) => Err(format!("no answer within {PATIENCE:?}")),
        }
    }

    async fn read(&self, url: &str) -> Result<Vec<u8>, String> {
        let mut request = HttpRequest::empty();
        request.set_uri(url).map_err(|error| error.to_string())?;
        request.headers_mut().insert("accept", "application/json");
        let sent = self.0.call(request).await;
        let answer = sent.map_err(|error| chain(&error))?;
        if !answer.status().is_success() {
            return Err(format!("status {}", answer.status()));
        }
        let body = Limited::new(answer.into_body(), LONGEST).collect().await;
        let body = body.map_err(|error| error.to_string())?;
        Ok(body.to_bytes().to_vec())
    }
}

/// An error with all its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
