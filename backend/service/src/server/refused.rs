//! What hyper refuses by itself, since it is no request: a first line or a header that cannot be read, an address beyond all measure, a
//! length that is none. Its answers are without a body; callers get a problem all the same.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use http::HeaderMap;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::observe::{HEADER, request_id};
use crate::problem::{Kind, MEDIA_TYPE, Problem};

/// A connection whose answers are looked at: those that nobody here gave are hyper's own.
#[derive(Debug)]
pub(super) struct Answers<S> {
    stream: S,
    /// How many answers the service has given.
    given: Arc<AtomicUsize>,
    /// How many of them have begun to be written.
    written: usize,
    /// What is written in the place of hyper's own.
    instead: Vec<u8>,
}

impl<S> Answers<S> {
    pub(super) fn new(stream: S, given: Arc<AtomicUsize>) -> Self {
        Answers {
            stream,
            given,
            written: 0,
            instead: Vec::new(),
        }
    }

    /// The problem to be told instead of what is about to be written, if that is a refusal of hyper's.
    fn problem(&mut self, bytes: &[u8]) -> Option<Problem> {
        let status = match bytes {
            [
                b'H',
                b'T',
                b'T',
                b'P',
                b'/',
                b'1',
                b'.',
                _,
                b' ',
                status @ ..,
            ] => status.get(..3)?,
            _ => return None,
        };
        let status: u16 = std::str::from_utf8(status).ok()?.parse().ok()?;
        if status < 200 {
            return None;
        }
        if self.written < self.given.load(Ordering::Acquire) {
            self.written += 1;
            return None;
        }
        match status {
            400 => {
                Some(Problem::new(Kind::MALFORMED).detail(
                    "it is not HTTP: its first line, a header or its length cannot be read",
                ))
            }
            414 => Some(Problem::new(Kind::ADDRESS_TOO_LONG)),
            431 => Some(Problem::new(Kind::HEADERS_TOO_LARGE)),
            _ => None,
        }
    }
}

/// An answer with a problem, as it goes over the connection, which ends with it.
fn answer(problem: &Problem) -> Vec<u8> {
    let id = request_id(&HeaderMap::new());
    let status = problem.status();
    tracing::info!(status, request_id = %id, %problem, "refused before it was a request");
    let mut body = problem.body();
    body.request_id = Some(id.clone());
    let body = serde_json::to_string(&body).expect("texts and numbers are JSON");
    let reason = http::StatusCode::from_u16(status).ok();
    let reason = reason.and_then(|status| status.canonical_reason());
    let (reason, length) = (reason.unwrap_or_default(), body.len());
    format!(
        "HTTP/1.1 {status} {reason}\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {length}\r\n{HEADER}: {id}\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\nconnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

impl<S: AsyncRead + Unpin> AsyncRead for Answers<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> Answers<S> {
    /// Writes what stands in the place of hyper's own answer.
    fn poll_instead(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.instead.is_empty() {
            let written = Pin::new(&mut self.stream).poll_write(context, &self.instead);
            let written = ready!(written)?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.instead.drain(..written);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Answers<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_instead(context))?;
        if let Some(problem) = self.problem(bytes) {
            self.instead = answer(&problem);
            return Poll::Ready(Ok(bytes.len()));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_instead(context))?;
        let first = slices.iter().find(|slice| !slice.is_empty());
        if let Some(problem) = first.and_then(|first| self.problem(first)) {
            self.instead = answer(&problem);
            return Poll::Ready(Ok(slices.iter().map(|slice| slice.len()).sum()));
        }
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_instead(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_instead(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
