//! A client with a connection of its own for everyone who asks. It does as little as it can: what is measured is the service.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use http::Method;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Mutex;

#[derive(Clone)]
pub(crate) struct Caller {
    address: SocketAddr,
    token: String,
    connection: Arc<Mutex<Option<TcpStream>>>,
}

impl Caller {
    pub(crate) fn new(address: SocketAddr, token: &str) -> Self {
        Caller {
            address,
            token: token.to_owned(),
            connection: Arc::default(),
        }
    }

    /// An answer that went well.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
    ) -> anyhow::Result<Vec<u8>> {
        self.exchange(method, &format!("/api/v1{path}"), body, "")
            .await
    }

    /// The same, as a request that may be repeated.
    pub(super) async fn send_keyed(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
        key: &str,
    ) -> anyhow::Result<Vec<u8>> {
        let key = format!("idempotency-key: {key}\r\n");
        self.exchange(method, &format!("/api/v1{path}"), body, &key)
            .await
    }

    pub(super) async fn get(&self, path: &str) -> anyhow::Result<Vec<u8>> {
        self.send(Method::GET, path, None).await
    }

    /// The numbers of the process.
    pub(super) async fn numbers(&self) -> anyhow::Result<String> {
        let text = self.exchange(Method::GET, "/metrics", None, "").await?;
        Ok(String::from_utf8(text)?)
    }

    /// One request to any path, with more headers.
    pub(crate) async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
        more: &str,
    ) -> anyhow::Result<Vec<u8>> {
        let (address, token) = (self.address, &self.token);
        let body = body.unwrap_or_default();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n{more}\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut connection = self.connection.lock().await;
        let mut stream = match connection.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(address).await?;
                stream.set_nodelay(true)?;
                stream
            }
        };
        stream.write_all(request.as_bytes()).await?;
        let answer = read(&mut stream).await?;
        // One that fails half way is not used again.
        *connection = Some(stream);
        Ok(answer)
    }
}

/// One answer, which says how long it is.
async fn read(stream: &mut TcpStream) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(16 * 1024);
    let (head, length) = loop {
        ensure!(stream.read_buf(&mut bytes).await? > 0, "it hung up");
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n");
        let Some(end) = end else { continue };
        let head = str::from_utf8(&bytes[..end])?;
        break (end + 4, length(head)?);
    };
    while bytes.len() < head + length {
        ensure!(stream.read_buf(&mut bytes).await? > 0, "it hung up");
    }
    let status = bytes.get(9..10).context("an answer has a status")?;
    if status != b"2" {
        bail!("{}", String::from_utf8_lossy(&bytes));
    }
    bytes.drain(..head);
    Ok(bytes)
}

fn length(head: &str) -> anyhow::Result<usize> {
    let lines = head.lines().filter_map(|line| line.split_once(':'));
    let mut lengths = lines.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    match lengths.next() {
        Some((_, length)) => Ok(length.trim().parse()?),
        // What has no content says nothing of its length.
        None => Ok(0),
    }
}
