//! Somebody who asks, and what they are answered.

use http::{HeaderMap, Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

pub(super) fn client() -> Client<HttpConnector, Full<Bytes>> {
    Client::builder(TokioExecutor::new()).build_http()
}

/// Somebody who asks.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(super) client: Client<HttpConnector, Full<Bytes>>,
    pub(super) address: String,
    pub(crate) token: Option<String>,
}

/// What was answered.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) body: Value,
}

impl Caller {
    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, None, &[]).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.send(Method::POST, path, Some(body), &[]).await
    }

    pub(crate) async fn post_nothing(&self, path: &str) -> Reply {
        self.send(Method::POST, path, None, &[]).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PUT, path, Some(body), &[]).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.send(Method::DELETE, path, None, &[]).await
    }

    /// What was done; nothing when nobody answered, or not well.
    pub(crate) async fn try_post(&self, path: &str, body: Value) -> Option<Reply> {
        self.try_send(Method::POST, path, body).await
    }

    pub(crate) async fn try_put(&self, path: &str, body: Value) -> Option<Reply> {
        self.try_send(Method::PUT, path, body).await
    }

    async fn try_send(&self, method: Method, path: &str, body: Value) -> Option<Reply> {
        let reply = self.ask(method, path, Some(body), &[]).await?;
        (reply.status < 300).then_some(reply)
    }

    /// A path is one of the API, unless `~` is before it.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Reply {
        let asked = self.ask(method, path, body, headers).await;
        asked.expect("the service answers")
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Option<Reply> {
        let path = match path.strip_prefix('~') {
            Some(whole) => whole.to_owned(),
            None => format!("/api/v1{path}"),
        };
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.address));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let request = request.body(Full::new(Bytes::from(body))).unwrap();
        let (parts, body) = self.client.request(request).await.ok()?.into_parts();
        let bytes = body.collect().await.ok()?.to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Some(Reply {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        })
    }
}

impl Reply {
    /// This status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// A problem of this status and type.
    #[track_caller]
    pub(crate) fn problem(self, status: u16, slug: &str) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json")
        );
        assert_eq!(
            self.body["type"],
            json!(format!("/problems/{slug}")),
            "{}",
            self.text
        );
        self
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}
