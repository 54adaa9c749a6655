//! A client that says exactly what it is told to, byte by byte.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// After this a test is stuck, and not slow.
const STUCK: Duration = Duration::from_secs(60);

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Reads an answer from its bytes, which may have none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Reply> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_ascii_lowercase(), value.trim().to_owned())
        });
        Some(Reply {
            status: status.parse().unwrap(),
            headers: headers.collect(),
            body: bytes[end + 4..].to_vec(),
        })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The problem, which is of this kind.
    pub(crate) fn problem(&self, status: u16, slug: &str) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json")
        );
        let problem = self.json();
        assert_eq!(problem["type"], format!("/problems/{slug}"), "{problem}");
        assert_eq!(problem["status"], status, "{problem}");
        assert_eq!(problem["request_id"].as_str(), self.header("x-request-id"));
        assert!(!problem["title"].as_str().unwrap().is_empty());
        problem
    }

    /// The first field that is wrong, and why.
    pub(crate) fn fault(&self, status: u16, slug: &str) -> (String, String) {
        let problem = self.problem(status, slug);
        let text = |name: &str| problem["errors"][0][name].as_str().unwrap().to_owned();
        (text("field"), text("reason"))
    }
}

/// A request.
#[derive(Debug, Clone)]
#[must_use]
pub(crate) struct Ask {
    pub(crate) address: SocketAddr,
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Ask {
    pub(crate) fn new(address: SocketAddr, method: &str, path: &str) -> Self {
        Ask {
            address,
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("Authorization", format!("Bearer {token}"))
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json")
            .body(body.to_string())
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The head, for one connection or for a request.
    pub(crate) fn head(&self, connection: &str) -> String {
        let Ask { method, path, .. } = self;
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: {connection}\r\n");
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let announced = self.headers.iter().any(|(name, _)| {
            name.eq_ignore_ascii_case("content-length")
                || name.eq_ignore_ascii_case("transfer-encoding")
        });
        if !announced && (!self.body.is_empty() || self.method != "GET") {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head + "\r\n"
    }

    pub(crate) async fn send(&self) -> Reply {
        self.try_send().await.expect("there is an answer")
    }

    /// The same of a request that is not kept.
    pub(crate) async fn send_owned(self) -> Reply {
        self.send().await
    }

    /// The answer, if there is one.
    pub(crate) async fn try_send(&self) -> Option<Reply> {
        let mut stream = TcpStream::connect(self.address).await.ok()?;
        let mut bytes = self.head("close").into_bytes();
        bytes.extend(&self.body);
        // Whoever refuses early may not read all of it.
        let _ = stream.write_all(&bytes).await;
        read_to_end(&mut stream).await
    }
}

/// What is said until the connection is closed.
pub(crate) async fn read_to_end(stream: &mut TcpStream) -> Option<Reply> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    let read = async {
        // A connection that is reset has said what it has said.
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            bytes.extend(&buffer[..count]);
        }
    };
    tokio::time::timeout(STUCK, read)
        .await
        .expect("the test is stuck");
    Reply::read(&bytes)
}

/// One answer on a connection that stays open.
pub(crate) async fn read_one(stream: &mut TcpStream) -> Option<Reply> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        if let Some(reply) = Reply::read(&bytes) {
            let length = reply.header("content-length").unwrap_or("0");
            if reply.body.len() >= length.parse().unwrap() {
                return Some(reply);
            }
        }
        let read = tokio::time::timeout(STUCK, stream.read(&mut buffer));
        match read.await.expect("the test is stuck") {
            Ok(count @ 1..) => bytes.extend(&buffer[..count]),
            _ => return None,
        }
    }
}
