//! `tablewright events`: a log, listed and told again.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;

use insta::assert_snapshot;

use crate::sandbox::Sandbox;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A log with three events, one of them twice, and a line that was torn.
fn a_log() -> Sandbox {
    let event = |id: &str, name: &str, minute: u32| {
        format!(
            r#"{{"id":"{id}","source":"tasks","detail-type":"{name}","time":"2026-03-01T12:{minute:02}:00Z","detail":{{"_event":{{"id":"{id}","version":1}}}}}}"#
        )
    };
    let lines = [
        event("e1", "TaskCreated", 1),
        event("e2", "TaskAssigned", 2),
        event("e2", "TaskAssigned", 2),
        event("e3", "TaskCreated", 3),
        String::from(r#"{"id":"e4","#),
    ];
    Sandbox::with(&[("log/2026-03-01T12.jsonl", &lines.join("\n"))])
}

const SPAN: [&str; 4] = [
    "--since",
    "2026-03-01T12:00:00Z",
    "--until",
    "2026-03-01T12:03:00Z",
];

#[test]
fn help_that_says_what_it_is_for() {
    assert_snapshot!(Sandbox::new().run(&["events", "-h"]));
    assert_snapshot!(Sandbox::new().run(&["events", "replay", "-h"]));
}

#[test]
fn a_log_is_listed() {
    let log = a_log();
    let list = |more: &[&str]| log.run(&[&["events", "list", "log"], more].concat());
    assert_snapshot!(list(&["--since", "2026-03-01T12:00:00Z"]));
    assert_snapshot!(list(&SPAN));
    assert_snapshot!(list(&["--since", "100000d", "--type", "TaskCreated"]));
    assert_eq!(list(&["--since", "2h"]), "exit 0\n");
}

#[test]
fn what_cannot_be_is_said() {
    let log = a_log();
    assert_snapshot!(log.run(&["events", "list", "nowhere"]));
    assert_snapshot!(log.run(&["events", "list", "log", "--since", "tea time"]));
    assert_snapshot!(log.run(&["events", "replay", "log"]));
    let misspelt = ["events", "list", "log", "--type", "TaskAsigned"];
    let told = log.run(&misspelt);
    assert!(
        told.contains("the log has no event `TaskAsigned`"),
        "{told}"
    );
    assert!(told.contains("did you mean `TaskAssigned`?"), "{told}");
    assert!(told.contains("exit 2"), "{told}");
    let replay = [
        &[
            "events",
            "replay",
            "log",
            "--webhook",
            "http://127.0.0.1:1/",
        ],
        &SPAN[..],
    ]
    .concat();
    assert_snapshot!(log.run(&replay));
    for secret in ["short", SECRET] {
        let mut command = log.command(&replay);
        let output = command
            .env("TABLEWRIGHT_WEBHOOK_SECRET", secret)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(!String::from_utf8_lossy(&output.stderr).contains("whsec_MfKQ"));
    }
}

#[test]
fn events_are_told_again_in_order_each_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let receiver = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut ids = Vec::new();
        while ids.len() < 2 {
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let line = line.trim_end().to_lowercase();
                if line.is_empty() {
                    break;
                }
                if let Some(id) = line.strip_prefix("webhook-id: ") {
                    ids.push(id.to_owned());
                }
                if let Some(bytes) = line.strip_prefix("content-length: ") {
                    length = bytes.parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            stream
                .write_all(b"HTTP/1.1 204 No Content\r\n\r\n")
                .unwrap();
        }
        ids
    });
    let log = a_log();
    let mut command =
        log.command(&[&["events", "replay", "log", "--webhook", &url], &SPAN[..]].concat());
    let output = command
        .env("TABLEWRIGHT_WEBHOOK_SECRET", SECRET)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said, "2 events were told again\n", "{output:?}");
    assert_eq!(receiver.join().unwrap(), ["e1", "e2"]);
}
