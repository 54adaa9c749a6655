//! `tablewright stream`: what consumers of change streams remember.

use insta::assert_snapshot;
use tablewright::Store;
use tablewright_local::Engine;
use tablewright_stream::model::{DeadLetter, DeadLetterPart, Lease, Reader, Stream};

use crate::sandbox::Sandbox;

/// A folder in which a consumer ran, and could not handle two of its records.
fn after_a_bad_day() -> Sandbox {
    let sandbox = Sandbox::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = Engine::open(sandbox.path(".tablewright")).unwrap();
        let stream = Stream::new(&Store::new(engine.dynamodb()));
        stream.create_tables().await.unwrap();
        let reader = Reader {
            consumer: String::from("mailer"),
            source: String::from("TaskManagement"),
            since: 1_763_200_000_000,
        };
        stream.readers.items().insert(reader).await.unwrap();
        let lease = Lease {
            consumer: String::from("mailer"),
            stream: String::from("arn"),
            shard: String::from("shardId-1"),
            owner: None,
            wanted: None,
            epoch: 3,
            signs: 17,
            after: Some(String::from("000000000000000000042")),
            since: None,
            ended: false,
        };
        stream.leases.items().insert(lease).await.unwrap();
        for event in ["e1", "e2"] {
            let record = format!(
                r#"{{"table":"TaskManagement","record":{{"eventID":"{event}","dynamodb":{{"SequenceNumber":"7","Keys":{{"PK":{{"S":"TASK#1"}}}}}}}}}}"#
            );
            let part = DeadLetterPart {
                consumer: String::from("mailer"),
                event_id: event.to_owned(),
                number: 0,
                text: record,
            };
            stream.dead_letter_parts.items().insert(part).await.unwrap();
            let letter = DeadLetter {
                consumer: String::from("mailer"),
                event_id: event.to_owned(),
                error: String::from("the address is none"),
                attempts: 5,
                happened: 1_763_200_000_000,
                failed_at: 1_763_200_001_000,
                parts: 1,
            };
            stream.dead_letters.items().insert(letter).await.unwrap();
        }
    });
    sandbox
}

#[test]
fn help_that_says_what_it_is_for() {
    assert_snapshot!(Sandbox::new().run(&["stream", "-h"]));
}

#[test]
fn where_no_consumer_ran() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.run(&["stream", "status"]));
    assert_snapshot!(sandbox.run(&["stream", "dead", "mailer"]));
}

#[test]
fn a_bad_day_is_seen_and_mended() {
    let sandbox = after_a_bad_day();
    assert_snapshot!(sandbox.run(&["stream", "status"]));
    assert_snapshot!(sandbox.run(&["stream", "dead", "mailer"]));
    assert_snapshot!(sandbox.run(&["stream", "show", "mailer", "e1"]));
    assert_snapshot!(sandbox.run(&["stream", "replay", "mailer", "--all"]));
    assert_snapshot!(sandbox.run(&["stream", "forget", "mailer", "e1"]));
    assert_snapshot!(sandbox.run(&["stream", "dead", "mailer"]));
    assert_snapshot!(sandbox.run(&["stream", "forget", "mailer", "--all"]));
    assert_snapshot!(sandbox.run(&["stream", "status"]));
    assert_snapshot!(sandbox.run(&["stream", "replay", "mailer", "--all"]));
}

/// Beside a service on an embedded engine.
#[test]
fn whoever_comes_while_a_service_runs_is_told_what_to_do() {
    let sandbox = after_a_bad_day();
    let _service = Engine::open(sandbox.path(".tablewright")).unwrap();
    let told = sandbox.run(&["stream", "status"]);
    assert!(told.starts_with("exit 2\n"), "{told}");
    assert!(told.contains("is in use by"), "{told}");
    assert!(
        told.contains("hint: ") && told.contains("tablewright local"),
        "{told}"
    );
}

#[test]
fn what_is_not_there_is_said() {
    let sandbox = after_a_bad_day();
    assert_snapshot!(sandbox.run(&["stream", "dead", "mailr"]));
    assert_snapshot!(sandbox.run(&["stream", "show", "mailer", "e9"]));
    assert_snapshot!(sandbox.run(&["stream", "replay", "mailer", "e9"]));
    assert_snapshot!(sandbox.run(&["stream", "replay", "mailer"]));
    let mut command = sandbox.command(&["stream", "status"]);
    command.env("TABLEWRIGHT_ENDPOINT", "nowhere");
    assert_eq!(command.output().unwrap().status.code(), Some(2));
}
