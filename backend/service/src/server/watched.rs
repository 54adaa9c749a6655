//! Whether a request was read to its end, whoever read it.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

/// How much is read that nobody wants, so that the connection can be used again.
const MOST_UNWANTED: usize = 64 * 1024;

/// How often is looked for it. What was sent together with the headers is here at the second look.
const LOOKS: usize = 8;

/// The body of a request, which is asked later whether all of it was read.
#[derive(Clone)]
pub(super) struct Watched(Arc<Mutex<State>>);

struct State {
    body: Incoming,
    ended: bool,
}

impl Watched {
    pub(super) fn new(body: Incoming) -> Self {
        let ended = body.is_end_stream();
        Watched(Arc::new(Mutex::new(State { body, ended })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all of it was read.
    pub(super) fn is_read(&self) -> bool {
        let state = self.state();
        state.ended || state.body.is_end_stream()
    }

    /// Reads what is here already and was not wanted; whether that was all. Nobody waits for the rest.
    pub(super) async fn reads_on(&self) -> bool {
        let mut unwanted = 0;
        for _ in 0..LOOKS {
            if self.is_read() {
                return true;
            }
            if !self.read_what_is_here(&mut unwanted) {
                return false;
            }
            // The connection reads on while this waits.
            tokio::task::yield_now().await;
        }
        self.is_read()
    }

    /// Whether it can go on so.
    fn read_what_is_here(&self, unwanted: &mut usize) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        let mut state = self.state();
        while !state.ended {
            match state.poll(&mut context) {
                Poll::Ready(Some(Ok(frame))) => {
                    *unwanted += frame.data_ref().map_or(0, Bytes::len);
                    if *unwanted > MOST_UNWANTED {
                        return false;
                    }
                }
                Poll::Ready(Some(Err(_))) => return false,
                Poll::Ready(None) => {}
                Poll::Pending => break,
            }
        }
        true
    }
}

impl State {
    fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        self.ended |= matches!(polled, Poll::Ready(None));
        polled
    }
}

impl Body for Watched {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.state().poll(context)
    }

    fn is_end_stream(&self) -> bool {
        self.is_read()
    }

    fn size_hint(&self) -> SizeHint {
        self.state().body.size_hint()
    }
}
