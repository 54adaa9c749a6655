//! Asking an issuer.

use std::time::Duration;

use tablewright_http::{Answer, Client};

/// How long an issuer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest document: key sets have a few kilobytes.
const LONGEST: usize = 256 * 1024;

/// Asks issuers.
#[derive(Debug)]
pub(crate) struct Fetcher(Client);

impl Fetcher {
    pub(crate) fn new() -> Self {
        Fetcher(Client::new(PATIENCE, LONGEST))
    }

    /// The document, or what happened instead.
    pub(crate) async fn get(&self, url: &str) -> Result<Vec<u8>, String> {
        let answer = self.0.get(url).await.map_err(|error| error.to_string())?;
        match answer.status {
            200..300 => Ok(answer.body),
            status => Err(format!("status {status}")),
        }
    }

    /// The answer to a form, whatever its status, or what happened instead.
    pub(crate) async fn post(&self, url: &str, form: String) -> Result<Answer, String> {
        let headers = [
            ("accept", "application/json"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let answer = self.0.post(url, &headers, form.into_bytes()).await;
        answer.map_err(|error| error.to_string())
    }
}
