//! Somebody who asks, and what they are answered.

use http::{HeaderMap, Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

pub(crate) fn client() -> Client<HttpConnector, Full<Bytes>> {
    Client::builder(TokioExecutor::new()).build_http()
}

/// Somebody who asks.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) client: Client<HttpConnector, Full<Bytes>>,
    pub(crate) address: String,
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

    pub(crate) async fn put(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PUT, path, Some(body), &[]).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PATCH, path, Some(body), &[]).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.send(Method::DELETE, path, None, &[]).await
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Reply {
        let body = body.map(|body| body.to_string());
        self.send_text(method, path, body.as_deref(), headers).await
    }

    pub(crate) async fn send_text(
        &self,
        method: Method,
        path: &str,
        body: Option<&str>,
        headers: &[(&str, &str)],
    ) -> Reply {
        self.try_send(method, path, body, headers).await.unwrap()
    }

    /// As `send_text`, with the reason when there is no answer.
    pub(crate) async fn try_send(
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
        let response = self
            .client
            .request(request.body(body).unwrap())
            .await
            .map_err(|error| format!("{error:?}"))?;
        let (parts, body) = response.into_parts();
        let bytes = body
            .collect()
            .await
            .map_err(|error| format!("{error:?}"))?
            .to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Ok(Reply {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        })
    }

    /// A new task; gives its id.
    pub(crate) async fn task(&self, body: Value) -> String {
        let made = self.post("/tasks", body).await.expect(201);
        made.body["task_id"].as_str().unwrap().to_owned()
    }

    /// All tasks of a list, page by page.
    pub(crate) async fn pages(&self, path: &str, limit: usize) -> Vec<Vec<Value>> {
        let mut pages = Vec::new();
        let mut cursor = String::new();
        loop {
            let joint = if path.contains('?') { '&' } else { '?' };
            let page = self
                .get(&format!("{path}{joint}limit={limit}{cursor}"))
                .await
                .expect(200);
            pages.push(page.body["items"].as_array().unwrap().clone());
            match page.body["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return pages,
            }
        }
    }

    /// The titles of a list, all pages of it.
    pub(crate) async fn titles(&self, path: &str) -> Vec<String> {
        let pages = self.pages(path, 7).await;
        let (last, full) = pages.split_last().unwrap();
        assert!(
            full.iter().all(|page| page.len() == 7),
            "a page that is not the last is full: {path}"
        );
        assert!(last.len() <= 7);
        let tasks = pages.into_iter().flatten();
        tasks
            .map(|task| task["title"].as_str().unwrap().to_owned())
            .collect()
    }
}

impl Reply {
    /// This status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// A problem of this status and type, about this field if one is named.
    #[track_caller]
    pub(crate) fn problem(self, status: u16, slug: &str, field: &str) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json"),
            "{}",
            self.text
        );
        assert_eq!(
            self.body["type"],
            json!(format!("/problems/{slug}")),
            "{}",
            self.text
        );
        if !field.is_empty() {
            let errors = self.body["errors"].as_array().unwrap();
            let error = errors.iter().find(|error| error["field"] == field);
            let error = error.unwrap_or_else(|| panic!("nothing about {field}: {}", self.text));
            assert!(!error["reason"].as_str().unwrap().is_empty());
        }
        self
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn etag(&self) -> &str {
        self.header("etag").unwrap()
    }

    pub(crate) fn id(&self) -> &str {
        self.body["task_id"].as_str().unwrap()
    }
}
