//! A client with a connection of its own for everyone who asks.

use anyhow::ensure;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

#[derive(Clone)]
pub(super) struct Caller {
    client: Client<HttpConnector, Full<Bytes>>,
    address: String,
    token: String,
}

impl Caller {
    pub(super) fn new(address: std::net::SocketAddr, token: &str) -> Self {
        Caller {
            client: Client::builder(TokioExecutor::new()).build_http(),
            address: format!("http://{address}/api/v1"),
            token: format!("Bearer {token}"),
        }
    }

    /// An answer that went well.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
    ) -> anyhow::Result<Bytes> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.address))
            .header("authorization", &self.token)
            .header("content-type", "application/json")
            .body(Full::new(Bytes::from(body.unwrap_or_default())))?;
        self.answer(request).await
    }

    /// The same, as a request that may be repeated.
    pub(super) async fn send_keyed(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
        key: &str,
    ) -> anyhow::Result<Bytes> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.address))
            .header("authorization", &self.token)
            .header("content-type", "application/json")
            .header("idempotency-key", key)
            .body(Full::new(Bytes::from(body.unwrap_or_default())))?;
        self.answer(request).await
    }

    /// The numbers of the process.
    pub(super) async fn numbers(&self) -> anyhow::Result<String> {
        let root = self.address.trim_end_matches("/api/v1");
        let request = Request::builder()
            .uri(format!("{root}/metrics"))
            .body(Full::default())?;
        Ok(String::from_utf8(self.answer(request).await?.to_vec())?)
    }

    async fn answer(&self, request: Request<Full<Bytes>>) -> anyhow::Result<Bytes> {
        let response = self.client.request(request).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        ensure!(
            status.is_success(),
            "{status}: {}",
            String::from_utf8_lossy(&body)
        );
        Ok(body)
    }

    pub(super) async fn get(&self, path: &str) -> anyhow::Result<Bytes> {
        self.send(Method::GET, path, None).await
    }
}
