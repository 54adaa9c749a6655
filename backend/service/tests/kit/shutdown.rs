//! The end: nothing that was accepted is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::client::{read_one, read_to_end};
use crate::started::Started;

const SLOW: &str = "/api/v1/slow?millis=30";

/// What clients saw.
#[derive(Default)]
struct Seen {
    /// The service was told to end.
    told: AtomicBool,
    answered: AtomicUsize,
    lost: AtomicUsize,
}

#[tokio::test(flavor = "multi_thread")]
async fn under_load_every_request_that_was_accepted_is_answered() {
    let mut app = Started::usual().await;
    let seen = Arc::new(Seen::default());
    let ask = app.get(SLOW).token(&app.token("ada"));
    let mut clients = Vec::new();
    for number in 0..40 {
        let (seen, ask) = (Arc::clone(&seen), ask.clone());
        clients.push(tokio::spawn(async move {
            match number % 2 {
                0 => one_connection_each(&ask, &seen).await,
                _ => one_connection_for_all(&ask, &seen).await,
            }
        }));
    }
    while seen.answered.load(Ordering::SeqCst) < 400 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    seen.told.store(true, Ordering::SeqCst);
    app.stop();
    for client in clients {
        client.await.unwrap();
    }
    app.ended().await;
    assert_eq!(seen.lost.load(Ordering::SeqCst), 0);
}

/// A new connection for each request, until there is none to be had.
async fn one_connection_each(ask: &crate::client::Ask, seen: &Seen) {
    loop {
        let Ok(mut stream) = TcpStream::connect(ask.address).await else {
            return;
        };
        // Connected before the end began: it was accepted.
        let accepted = !seen.told.load(Ordering::SeqCst);
        let sent = stream.write_all(ask.head("close").as_bytes()).await.is_ok();
        match read_to_end(&mut stream).await {
            Some(reply) if reply.status == 200 => seen.answered.fetch_add(1, Ordering::SeqCst),
            _ if accepted => seen.lost.fetch_add(1, Ordering::SeqCst),
            _ => return,
        };
        assert!(sent || !accepted);
    }
}

/// One connection for all requests, until the service says that it closes.
async fn one_connection_for_all(ask: &crate::client::Ask, seen: &Seen) {
    let mut stream = TcpStream::connect(ask.address).await.unwrap();
    loop {
        // Sent before the end began: it was accepted.
        let accepted = !seen.told.load(Ordering::SeqCst);
        let sent = stream.write_all(ask.head("keep-alive").as_bytes()).await;
        match (sent, read_one(&mut stream).await) {
            (Ok(()), Some(reply)) if reply.status == 200 => {
                seen.answered.fetch_add(1, Ordering::SeqCst);
                if reply.header("connection") == Some("close") {
                    return;
                }
            }
            _ => {
                seen.lost.fetch_add(usize::from(accepted), Ordering::SeqCst);
                return;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_never_ends_does_not_hold_the_end() {
    let sources = crate::started::sources().variable("TABLEWRIGHT_SHUTDOWN_TIMEOUT", "100ms");
    let mut app = Started::with(sources).await;
    let ask = app
        .get("/api/v1/slow?millis=25000")
        .token(&app.token("ada"));
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream
        .write_all(ask.head("close").as_bytes())
        .await
        .unwrap();
    // An idle connection does not hold it either.
    let _idle = TcpStream::connect(app.address).await.unwrap();
    app.stop();
    app.ended().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_let_in_after_the_end() {
    let mut app = Started::usual().await;
    let address = app.address;
    app.stop();
    app.ended().await;
    assert!(TcpStream::connect(address).await.is_err());
}
