//! The engine behind a socket.

use std::net::SocketAddr;

use tablewright_local::{Endpoint, Engine, connect, serve};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::tables;

struct Server {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<std::io::Result<()>>,
}

async fn start(engine: Engine) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let ended = tokio::spawn(serve(engine, listener, async {
        let _ = stopped.await;
    }));
    Server {
        address,
        stop,
        ended,
    }
}

/// Sends a request as it is, and returns what comes back.
async fn exchange(address: SocketAddr, head: &str, body: &[u8]) -> String {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "{head}\r\nhost: here\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    // A body that is too large is not read to its end.
    let _ = connection.write_all(body).await;
    let mut answer = Vec::new();
    let _ = connection.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

fn post(target: &str) -> String {
    format!("POST / HTTP/1.1\r\ncontent-type: application/x-amz-json-1.0\r\nx-amz-target: {target}")
}

#[tokio::test]
async fn an_answer_has_the_headers_that_clients_look_at() {
    let server = start(Engine::temporary().unwrap()).await;
    let answer = exchange(server.address, &post("DynamoDB_20120810.ListTables"), b"{}").await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert_eq!(body, r#"{"TableNames":[]}"#);
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(given, _)| *given == name)
            .map(|(_, value)| value)
    };
    assert_eq!(header("content-type"), Some("application/x-amz-json-1.0"));
    // zlib.crc32(b'{"TableNames":[]}')
    assert_eq!(header("x-amz-crc32"), Some("1315925753"));
    assert_eq!(header("x-amzn-requestid").map(str::len), Some(32));

    let streams = exchange(
        server.address,
        &post("DynamoDBStreams_20120810.ListStreams"),
        b"{}",
    )
    .await;
    assert!(streams.ends_with(r#"{"Streams":[]}"#), "{streams}");
    for target in [
        "",
        "Kinesis_20131202.ListStreams",
        "DynamoDB_20120810.",
        "DynamoDB_20120810.DescribeLimits",
    ] {
        let refused = exchange(server.address, &post(target), b"{}").await;
        assert!(refused.starts_with("HTTP/1.1 400 "), "{refused}");
        assert!(refused.contains("UnknownOperationException"), "{refused}");
    }
}

#[tokio::test]
async fn a_browser_is_told_what_this_is() {
    let server = start(Engine::temporary().unwrap()).await;
    let told = exchange(server.address, "GET / HTTP/1.1", b"").await;
    assert!(told.starts_with("HTTP/1.1 200 OK"), "{told}");
    assert!(
        told.contains("This is a DynamoDB endpoint of Tablewright"),
        "{told}"
    );
}

#[tokio::test]
async fn a_body_may_have_16_megabytes_and_not_much_more() {
    let server = start(Engine::temporary().unwrap()).await;
    let target = post("DynamoDB_20120810.BatchWriteItem");
    let large = exchange(server.address, &target, &vec![b' '; 17 << 20]).await;
    assert!(large.starts_with("HTTP/1.1 400 "), "{large}");
    let too_large = exchange(server.address, &target, &vec![b' '; 21 << 20]).await;
    assert!(
        too_large.is_empty() || too_large.starts_with("HTTP/1.1 413 "),
        "{too_large}"
    );
}

#[tokio::test]
async fn the_sdk_speaks_to_an_address_as_to_the_engine() {
    let engine = Engine::temporary().unwrap();
    let server = start(engine.clone()).await;
    let endpoint: Endpoint = format!("http://{}", server.address).parse().unwrap();
    let connection = connect(&endpoint).await.unwrap();
    assert!(connection.engine.is_none());
    tables::create(&connection.dynamodb, "things").await;
    tables::put(&connection.dynamodb, "things", "a").await;
    assert_eq!(tables::ids(&engine.dynamodb(), "things", None).await, ["a"]);
    let streams = connection.streams.list_streams().send().await.unwrap();
    assert_eq!(streams.streams().len(), 1);
}

#[tokio::test]
async fn a_connection_to_a_directory_opens_it() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::Embedded(folder.path().join("data"));
    let connection = connect(&endpoint).await.unwrap();
    tables::create(&connection.dynamodb, "things").await;
    assert!(connection.engine.is_some());
    let refused = connect(&endpoint).await.unwrap_err();
    let refused = refused.to_string();
    let words = ["is in use by this process", "stop that one"];
    assert!(words.iter().all(|one| refused.contains(one)), "{refused}");

    let temporary = connect(&Endpoint::Temporary).await.unwrap();
    let tables = temporary.dynamodb.list_tables().send().await.unwrap();
    assert!(tables.table_names().is_empty());
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_ends_and_releases_the_directory() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(Engine::open(folder.path()).unwrap()).await;
    exchange(server.address, &post("DynamoDB_20120810.ListTables"), b"{}").await;
    server.stop.send(()).unwrap();
    server.ended.await.unwrap().unwrap();
    while Engine::open(folder.path()).is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    TcpStream::connect(server.address).await.unwrap_err();
}
