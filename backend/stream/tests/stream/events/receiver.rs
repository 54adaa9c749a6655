//! A server on loopback that writes down what it is sent, and answers as it is told.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::support::until;

/// What was sent.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Sent {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

type Answers = dyn Fn(usize, &Sent) -> (u16, String) + Send + Sync;

/// The server.
#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) url: String,
    sent: Arc<Mutex<Vec<Sent>>>,
}

#[derive(Clone)]
struct Desk {
    sent: Arc<Mutex<Vec<Sent>>>,
    answers: Arc<Answers>,
}

impl Receiver {
    /// One that answers what `answers` says of the request with this number, the first being 0.
    pub(crate) async fn new(
        answers: impl Fn(usize, &Sent) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let sent = Arc::default();
        let desk = Desk {
            sent: Arc::clone(&sent),
            answers: Arc::new(answers),
        };
        let router = Router::new().fallback(receive).with_state(desk);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Receiver { url, sent }
    }

    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    pub(crate) async fn has(&self, many: usize) {
        until(|| self.sent.lock().unwrap().len() >= many).await;
    }
}

async fn receive(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, String) {
    let sent = Sent { headers, body };
    let number = {
        let mut all = desk.sent.lock().unwrap();
        all.push(sent.clone());
        all.len() - 1
    };
    let (status, body) = (desk.answers)(number, &sent);
    (StatusCode::from_u16(status).unwrap(), body)
}
