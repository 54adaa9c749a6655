//! Asking an issuer, over the one TLS stack there is.

use std::time::Duration;

use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_runtime_api::client::http::HttpConnector as _;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use http_body_util::{BodyExt as _, Limited};

/// How long an issuer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest document: key sets have a few kilobytes.
const LONGEST: usize = 256 * 1024;

/// Asks issuers.
#[derive(Debug)]
pub(crate) struct Fetcher(Connector);

/// What an issuer answered.
pub(crate) struct Fetched {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Fetcher {
    pub(crate) fn new() -> Self {
        let provider = Provider::Rustls(CryptoMode::AwsLc);
        Fetcher(Connector::builder().tls_provider(provider).build())
    }

    /// The document, or what happened instead.
    pub(crate) async fn get(&self, url: &str) -> Result<Vec<u8>, String> {
        let fetched = self.ask(url, HttpRequest::empty()).await?;
        match fetched.status {
            200..300 => Ok(fetched.body),
            status => Err(format!("status {status}")),
        }
    }

    /// The answer to a form, whatever its status, or what happened instead.
    pub(crate) async fn post(&self, url: &str, form: String) -> Result<Fetched, String> {
        let mut request = HttpRequest::new(SdkBody::from(form));
        let set = request.set_method("POST");
        set.map_err(|error| error.to_string())?;
        let kind = "application/x-www-form-urlencoded";
        request.headers_mut().insert("content-type", kind);
        self.ask(url, request).await
    }

    async fn ask(&self, url: &str, request: HttpRequest) -> Result<Fetched, String> {
        match tokio::time::timeout(PATIENCE, self.send(url, request)).await {
            Ok(read) => read,
            Err(_) => Err(format!("no answer within {PATIENCE:?}")),
        }
    }

    async fn send(&self, url: &str, mut request: HttpRequest) -> Result<Fetched, String> {
        request.set_uri(url).map_err(|error| error.to_string())?;
        request.headers_mut().insert("accept", "application/json");
        let sent = self.0.call(request).await;
        let answer = sent.map_err(|error| chain(&error))?;
        let status = answer.status().as_u16();
        let body = Limited::new(answer.into_body(), LONGEST).collect().await;
        let body = body.map_err(|error| error.to_string())?;
        Ok(Fetched {
            status,
            body: body.to_bytes().to_vec(),
        })
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
