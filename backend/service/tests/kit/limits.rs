//! How much a request may be, and how long it may take.

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::client::{read_one, read_to_end};
use crate::started::{Started, sources};

const NOTES: &str = "/api/v1/notes";

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_long_is_refused_announced_or_not() {
    let app = Started::with(sources().variable("TABLEWRIGHT_BODY_LIMIT", "2 KB")).await;
    let ada = app.token("ada");
    let long = json!({ "text": "a".repeat(3000) });
    let reply = app
        .send(app.ask("POST", NOTES).token(&ada).json(&long))
        .await;
    let problem = reply.problem(413, "too-large");
    assert!(problem["detail"].as_str().unwrap().contains("2048 bytes"));

    // Ten gigabytes, of which nobody waits for the first.
    let announced = app
        .ask("POST", NOTES)
        .token(&ada)
        .header("Content-Type", "application/json");
    let announced = announced.header("Content-Length", "10000000000");
    app.send(announced).await.problem(413, "too-large");

    let chunked = app
        .ask("POST", NOTES)
        .token(&ada)
        .header("Content-Type", "application/json");
    let mut body = Vec::new();
    for _ in 0..30 {
        body.extend(b"64\r\n");
        body.extend([b' '; 100]);
        body.extend(b"\r\n");
    }
    body.extend(b"0\r\n\r\n");
    let chunked = chunked.header("Transfer-Encoding", "chunked").body(body);
    app.send(chunked).await.problem(413, "too-large");
    assert_eq!(app.count(&ada).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_that_are_too_long_are_refused() {
    let app = Started::with(sources().variable("TABLEWRIGHT_HEADER_LIMIT", "4 KB")).await;
    let one = app
        .get("/hello")
        .header("X-Long", "a".repeat(5000))
        .send()
        .await;
    one.problem(431, "headers-too-large");
    let path = app
        .get(&format!("/hello?{}", "a".repeat(5000)))
        .send()
        .await;
    path.problem(414, "address-too-long");
    // Beyond what is read at all.
    let path = app.get(&format!("/hello?{}", "a".repeat(70_000)));
    path.send().await.problem(414, "address-too-long");
    let mut many = app.get("/hello");
    for number in 0..150 {
        many = many.header(&format!("X-Header-{number}"), "some more bytes to be read");
    }
    many.send().await.problem(431, "headers-too-large");
    // What is beyond reason is not even read, and the service lives on.
    let huge = app
        .get("/hello")
        .header("X-Long", "a".repeat(2_000_000))
        .try_send()
        .await;
    assert!(huge.is_none_or(|reply| reply.status == 431));
    assert_eq!(app.get("/hello").send().await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let app = Started::with(sources().variable("TABLEWRIGHT_BODY_TIMEOUT", "100ms")).await;
    let ask = app.ask("POST", NOTES).token(&app.token("ada"));
    let ask = ask
        .header("Content-Type", "application/json")
        .header("Content-Length", "100");
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream
        .write_all(ask.head("close").as_bytes())
        .await
        .unwrap();
    stream.write_all(b"{\"text\":").await.unwrap();
    let reply = read_to_end(&mut stream).await.unwrap();
    app.description.check("POST", NOTES, &reply);
    reply.problem(408, "too-slow");
    assert_eq!(app.count(&app.token("ada")).await, 0);
}

/// Who has sent all closes the sending half, and waits for the answer.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_says_that_all_is_sent_is_answered() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    let note = r#"{"text":"all of it"}"#;
    let post = app.ask("POST", NOTES).token(&ada);
    let post = post
        .header("Content-Type", "application/json")
        .header("Content-Length", note.len().to_string());
    let post = format!("{}{note}", post.head("close"));
    let slow = app.get("/api/v1/slow?millis=200").token(&ada).head("close");
    for (sent, status) in [(post, 201), (slow, 200)] {
        let mut stream = TcpStream::connect(app.address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let reply = read_to_end(&mut stream).await;
        assert_eq!(reply.expect("there is no answer").status, status);
    }
    assert_eq!(app.count(&ada).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_that_do_not_come_are_not_waited_for() {
    let app = Started::with(sources().variable("TABLEWRIGHT_IDLE_TIMEOUT", "3s")).await;
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream
        .write_all(b"GET /hello HTTP/1.1\r\nHost: local")
        .await
        .unwrap();
    // It is closed, with or without a word.
    let reply = read_to_end(&mut stream).await;
    assert!(
        reply.is_none_or(|reply| reply.status == 408),
        "there was no request"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_takes_too_long_is_not_waited_for() {
    let app = Started::with(sources().variable("TABLEWRIGHT_REQUEST_TIMEOUT", "100ms")).await;
    let slow = app
        .get("/api/v1/slow?millis=600000")
        .token(&app.token("ada"));
    let reply = app.send(slow).await;
    reply.problem(503, "timeout");
    assert!(reply.header("retry-after").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_beyond_the_most_wait_and_are_served() {
    let app = Started::with(sources().variable("TABLEWRIGHT_MAX_CONNECTIONS", "1")).await;
    let mut first = TcpStream::connect(app.address).await.unwrap();
    let ask = app.get("/hello");
    first
        .write_all(ask.head("keep-alive").as_bytes())
        .await
        .unwrap();
    assert_eq!(read_one(&mut first).await.unwrap().status, 200);
    let second = tokio::spawn(async move { ask.send().await.status });
    drop(first);
    assert_eq!(second.await.unwrap(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_are_smuggled_are_refused() {
    let app = Started::usual().await;
    let token = app.token("ada");
    // Two lengths, or a length beside chunks: two readers would see two requests.
    let two = app
        .ask("POST", NOTES)
        .token(&token)
        .header("Content-Type", "application/json");
    let two = two
        .header("Content-Length", "2")
        .header("Content-Length", "14")
        .body("{}");
    two.send().await.problem(400, "malformed");
    for length in ["-1", "two", "99999999999999999999999", "1,2", "0x10", ""] {
        let nonsense = app.ask("POST", NOTES).token(&token);
        let nonsense = nonsense.header("Content-Type", "application/json");
        let nonsense = nonsense.header("Content-Length", length).body("{}");
        nonsense.send().await.problem(400, "malformed");
    }
    let inner = b"0\r\n\r\nGET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec();
    let both = app
        .ask("POST", NOTES)
        .token(&token)
        .header("Content-Type", "application/json");
    let both = both
        .header("Transfer-Encoding", "chunked")
        .header("Content-Length", "5");
    let reply = both.body(inner).send().await;
    assert_eq!(reply.status, 400, "{reply:?}");
    assert!(
        !reply.text().contains("stranger"),
        "the inner request was answered"
    );
}

/// What is no request is refused with a problem, also after requests that were, and those are answered.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_gets_a_problem() {
    let app = Started::usual().await;
    for nonsense in [
        "nonsense\r\n\r\n",
        "GET /hello\r\n\r\n",
        "GET /hello HTTP/9.9\r\nHost: localhost\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost : localhost\r\n\r\n",
        "GET /\u{7f} HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(app.address).await.unwrap();
        let first = app.get("/hello").head("keep-alive");
        stream.write_all(first.as_bytes()).await.unwrap();
        assert_eq!(read_one(&mut stream).await.unwrap().status, 200);
        stream.write_all(nonsense.as_bytes()).await.unwrap();
        let refused = read_to_end(&mut stream).await.unwrap();
        refused.problem(400, "malformed");
        assert_eq!(refused.header("connection"), Some("close"));
    }
}

/// RFC 9112, 3.2: a request says which host is meant, once.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_names_its_host() {
    let app = Started::usual().await;
    for (head, status) in [
        ("GET /hello HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
        (
            "GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
            400,
        ),
        ("GET /hello HTTP/1.0\r\n\r\n", 200),
        (
            "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            200,
        ),
    ] {
        let mut stream = TcpStream::connect(app.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let reply = read_to_end(&mut stream).await.unwrap();
        assert_eq!(reply.status, status, "{head}");
        if status == 400 {
            assert_eq!(reply.fault(400, "malformed").0, "Host");
        }
    }
}

/// A body is JSON in UTF-8, as it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_packed_or_in_other_letters_is_refused() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    let post = |kind: &str, coding: Option<&str>| {
        let ask = app.ask("POST", NOTES).token(&ada);
        let ask = ask.header("Content-Type", kind);
        let ask = match coding {
            Some(coding) => ask.header("Content-Encoding", coding),
            None => ask,
        };
        ask.body("{\"text\":\"a\"}")
    };
    let json = "application/json";
    for coding in ["gzip", "br", "identity, gzip", ""] {
        let refused = app.send(post(json, Some(coding))).await;
        let (field, _) = refused.fault(415, "unsupported-media-type");
        assert_eq!(field, "Content-Encoding", "{coding}");
    }
    for kind in [
        "application/json; charset=iso-8859-1",
        "application/json;charset=\"utf-16\"",
        "application/json; q=1; Charset=latin1",
    ] {
        let refused = app.send(post(kind, None)).await;
        let (field, _) = refused.fault(415, "unsupported-media-type");
        assert_eq!(field, "Content-Type", "{kind}");
    }
    assert_eq!(app.count(&ada).await, 0);
    for (kind, coding) in [
        ("application/json; charset=UTF-8", None),
        ("application/json;charset=\"utf-8\"", Some("identity")),
    ] {
        assert_eq!(app.send(post(kind, coding)).await.status, 201);
    }
}

/// What is refused before it was read ends the connection, and says so; what is small is read, and the connection can be used again.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_ends_says_so() {
    let app = Started::usual().await;
    let unread = |size: usize| {
        let body = format!("{{\"text\":\"{}\"}}", "a".repeat(size));
        let ask = app.ask("POST", NOTES).body(body);
        ask.header("Content-Type", "application/json")
    };
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    let mut asked = async |ask: &crate::client::Ask| {
        let mut bytes = ask.head("keep-alive").into_bytes();
        bytes.extend(&ask.body);
        let _ = stream.write_all(&bytes).await;
        read_one(&mut stream).await
    };
    for _ in 0..3 {
        let reply = asked(&unread(500)).await.unwrap();
        reply.problem(401, "unauthenticated");
        assert_eq!(reply.header("connection"), None);
    }
    let reply = asked(&unread(600_000)).await.unwrap();
    reply.problem(401, "unauthenticated");
    assert_eq!(reply.header("connection"), Some("close"));
}
