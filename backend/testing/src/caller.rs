//! Somebody who asks.

use std::fmt;

use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use crate::Reply;

/// Somebody who asks a service over HTTP. A path is one of the API, as `/tasks`, unless `~` is before it: `~/health/live`.
#[derive(Clone)]
pub struct Caller {
    client: Client<HttpConnector, Full<Bytes>>,
    /// Where the service is, as `http://127.0.0.1:8081`.
    pub address: String,
    /// What it says who it is by.
    pub token: Option<String>,
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a caller of {}", self.address)
    }
}

impl Caller {
    /// Somebody who has not said who they are.
    pub fn new(address: impl Into<String>) -> Self {
        Caller {
            client: Client::builder(TokioExecutor::new()).build_http(),
            address: address.into(),
            token: None,
        }
    }

    /// Somebody else on the same connections, with this token or none.
    #[must_use]
    pub fn bearing(&self, token: Option<String>) -> Self {
        let other = self.clone();
        Caller { token, ..other }
    }

    /// Asks for something.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, None, &[]).await
    }

    /// Posts a body.
    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.send(Method::POST, path, Some(body), &[]).await
    }

    /// Posts without a body.
    pub async fn post_nothing(&self, path: &str) -> Reply {
        self.send(Method::POST, path, None, &[]).await
    }

    /// Puts a body.
    pub async fn put(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PUT, path, Some(body), &[]).await
    }

    /// Patches with a body.
    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PATCH, path, Some(body), &[]).await
    }

    /// Deletes.
    pub async fn delete(&self, path: &str) -> Reply {
        self.send(Method::DELETE, path, None, &[]).await
    }

    /// Any request with a body of JSON, or none.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Reply {
        let body = body.map(|body| body.to_string());
        self.send_text(method, path, body.as_deref(), headers).await
    }

    /// Any request, with its body as it is. It is JSON unless a header says otherwise.
    pub async fn send_text(
        &self,
        method: Method,
        path: &str,
        body: Option<&str>,
        headers: &[(&str, &str)],
    ) -> Reply {
        let answer = self.try_send(method, path, body, headers).await;
        answer.expect("the service answers")
    }

    /// As `post`; nothing when nobody answered, or not well.
    pub async fn try_post(&self, path: &str, body: Value) -> Option<Reply> {
        self.succeed(Method::POST, path, &body).await
    }

    /// As `put`; nothing when nobody answered, or not well.
    pub async fn try_put(&self, path: &str, body: Value) -> Option<Reply> {
        self.succeed(Method::PUT, path, &body).await
    }

    async fn succeed(&self, method: Method, path: &str, body: &Value) -> Option<Reply> {
        let body = body.to_string();
        let asked = self.try_send(method, path, Some(&body), &[]).await;
        asked.ok().filter(|reply| reply.status < 300)
    }

    /// As `send_text`, with the reason when there is no answer.
    pub async fn try_send(
        &self,
        method: Method,
        path: &str,
        body: Option<&str>,
        headers: &[(&str, &str)],
    ) -> Result<Reply, String> {
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
        if body.is_some() && !headers.iter().any(|(name, _)| *name == "content-type") {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = Full::new(Bytes::from(body.unwrap_or_default().to_owned()));
        let request = request.body(body).unwrap();
        let response = self.client.request(request).await;
        let (parts, body) = response.map_err(|error| format!("{error:?}"))?.into_parts();
        let bytes = body.collect().await.map_err(|error| format!("{error:?}"))?;
        let text = String::from_utf8_lossy(&bytes.to_bytes()).into_owned();
        Ok(Reply {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        })
    }

    /// All pages of a list, each of them full but the last.
    pub async fn pages(&self, path: &str, limit: usize) -> Vec<Vec<Value>> {
        let joint = if path.contains('?') { '&' } else { '?' };
        let mut pages = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self
                .get(&format!("{path}{joint}limit={limit}{cursor}"))
                .await
                .expect(200)
                .body;
            let items = page["items"].as_array().unwrap().clone();
            let found = items.len();
            assert!(found <= limit, "a page holds at most its limit: {path}");
            pages.push(items);
            // Each API has its own spelling.
            let next = page["next_cursor"]
                .as_str()
                .or_else(|| page["nextCursor"].as_str());
            let Some(next) = next else {
                return pages;
            };
            assert_eq!(found, limit, "a page that is not the last is full: {path}");
            cursor = format!("&cursor={next}");
        }
    }

    /// A text of everything in a list, in its order.
    pub async fn each(&self, path: &str, limit: usize, field: &str) -> Vec<String> {
        let items = self.pages(path, limit).await.into_iter().flatten();
        items
            .map(|item| item[field].as_str().unwrap().to_owned())
            .collect()
    }
}
