//! Whatever is sent, the answer is one DynamoDB could have given.

use serde_json::Value;
use tablewright_local::{Engine, Reply};

use crate::tables;

const OPERATIONS: [&str; 28] = [
    "BatchExecuteStatement",
    "BatchGetItem",
    "BatchWriteItem",
    "CreateTable",
    "DeleteItem",
    "DeleteTable",
    "DescribeStream",
    "DescribeTable",
    "DescribeTimeToLive",
    "ExecuteStatement",
    "ExecuteTransaction",
    "GetItem",
    "GetRecords",
    "GetShardIterator",
    "ListStreams",
    "ListTables",
    "ListTagsOfResource",
    "PutItem",
    "Query",
    "Scan",
    "SearchVectors",
    "TagResource",
    "TransactGetItems",
    "TransactWriteItems",
    "UntagResource",
    "UpdateItem",
    "UpdateTable",
    "UpdateTimeToLive",
];

/// The short name of the exception, if it is one.
fn exception(reply: &Reply) -> Option<String> {
    let body: Value = serde_json::from_str(&reply.body).expect("an answer is JSON");
    let kind = body.get("__type")?.as_str()?;
    Some(kind.rsplit('#').next()?.to_owned())
}

#[tokio::test]
async fn mistakes_get_the_exception_that_dynamodb_gives_them() {
    let engine = Engine::temporary().unwrap();
    tables::create(&engine.dynamodb(), "things").await;
    for (operation, body, expected) in [
        ("PutItem", "", "SerializationException"),
        ("PutItem", "{", "SerializationException"),
        ("PutItem", "[]", "SerializationException"),
        ("PutItem", "null", "SerializationException"),
        ("PutItem", "{}", "ValidationException"),
        ("DescribeTable", r#"["things"]"#, "SerializationException"),
        (
            "DescribeTable",
            r#"{"TableName":23}"#,
            "SerializationException",
        ),
        (
            "DescribeTable",
            r#"{"TableName":["things"]}"#,
            "SerializationException",
        ),
        (
            "DescribeTable",
            r#"{"TableName":"nothing"}"#,
            "ResourceNotFoundException",
        ),
        (
            "GetItem",
            r#"{"TableName":"things","Key":"a"}"#,
            "SerializationException",
        ),
        (
            "GetItem",
            r#"{"TableName":"things","Key":{"id":{}}}"#,
            "ValidationException",
        ),
        (
            "GetItem",
            r#"{"TableName":"things","Key":{"id":{"S":1}}}"#,
            "SerializationException",
        ),
        (
            "GetItem",
            r#"{"TableName":"things","Key":{"id":{"N":"1"}}}"#,
            "ValidationException",
        ),
        (
            "PutItem",
            r#"{"TableName":"things","Item":{"id":{"S":""}}}"#,
            "ValidationException",
        ),
        (
            "PutItem",
            r#"{"TableName":"things","Item":{"id":{"S":"a"},"n":{"N":"one"}}}"#,
            "ValidationException",
        ),
        (
            "PutItem",
            r#"{"TableName":"things","Item":{"id":{"S":"a"},"n":{"N":"1e999"}}}"#,
            "ValidationException",
        ),
        (
            "PutItem",
            r#"{"TableName":"things","Item":{"id":{"S":"a"},"b":{"B":"not base64!"}}}"#,
            "SerializationException",
        ),
        (
            "Query",
            r#"{"TableName":"things","KeyConditionExpression":"id = = :a"}"#,
            "ValidationException",
        ),
        (
            "Scan",
            r#"{"TableName":"things","Limit":0}"#,
            "ValidationException",
        ),
        (
            "Scan",
            r#"{"TableName":"things","Limit":-1}"#,
            "ValidationException",
        ),
        (
            "DeleteTable",
            r#"{"TableName":"nothing"}"#,
            "ResourceNotFoundException",
        ),
        (
            "GetRecords",
            r#"{"ShardIterator":"?"}"#,
            "ValidationException",
        ),
        (
            "GetRecords",
            r#"{"ShardIterator":"a|1|b"}"#,
            "ResourceNotFoundException",
        ),
        (
            "DescribeStream",
            r#"{"StreamArn":"nothing"}"#,
            "ResourceNotFoundException",
        ),
        ("DescribeLimits", "{}", "UnknownOperationException"),
        ("", "", "UnknownOperationException"),
        ("putitem", "{}", "UnknownOperationException"),
    ] {
        let reply = engine.dispatch(operation, body.as_bytes());
        assert_eq!(reply.status, 400, "{operation} {body}: {}", reply.body);
        assert_eq!(
            exception(&reply).as_deref(),
            Some(expected),
            "{operation} {body}: {}",
            reply.body
        );
        for marker in ["VALIDATION", "SERIALIZATION"] {
            assert!(
                !reply.body.contains(marker),
                "{operation} {body}: {}",
                reply.body
            );
        }
    }
}

fn hostile_bodies() -> Vec<Vec<u8>> {
    let nested = |depth: usize, open: &str, close: &str| {
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        format!(
            r#"{{"TableName":"things","Item":{{"id":{{"S":"a"}},"deep":{open}{{"S":"x"}}{close}}}}}"#
        )
    };
    let expression = |text: String| {
        format!(
            r#"{{"TableName":"things","Key":{{"id":{{"S":"a"}}}},"FilterExpression":"{text}",
            "ConditionExpression":"{text}","UpdateExpression":"{text}","ProjectionExpression":"{text}",
            "KeyConditionExpression":"{text}"}}"#
        )
    };
    let texts = [
        String::new(),
        String::from("{}"),
        String::from("[[[[]]]]"),
        String::from("\u{feff}{}"),
        String::from("{\"TableName\":\"things\""),
        String::from(r#"{"TableName":"\u0000\ud800"}"#),
        String::from(r#"{"TableName":"'; DROP TABLE _tables; --"}"#),
        String::from(
            r#"{"TableName":null,"Key":null,"Item":null,"RequestItems":null,"TransactItems":null}"#,
        ),
        String::from(
            r#"{"TableName":{"a":1},"Key":[],"Item":[],"RequestItems":[],"TransactItems":{}}"#,
        ),
        String::from(
            r#"{"TableName":"things","Key":{"id":{"S":"a","N":"1"}},"Item":{"id":{"L":[{"S":1}]}}}"#,
        ),
        String::from(r#"{"TableName":"things","Item":{"":{"S":"a"}},"Key":{"":{"S":""}}}"#),
        String::from(
            r#"{"TableName":"things","Limit":99999999999999999999,"Segment":-1,"TotalSegments":0}"#,
        ),
        String::from(
            r#"{"RequestItems":{"things":[{"PutRequest":{}},{"DeleteRequest":1}]},"TransactItems":[{}]}"#,
        ),
        String::from(
            r#"{"Statement":"SELECT * FROM","Statements":[{"Statement":"\""}],"TransactStatements":[{}]}"#,
        ),
        String::from(
            r#"{"StreamArn":"////","ShardId":"","ShardIteratorType":"","ShardIterator":"|1|"}"#,
        ),
        String::from(r#"{"ResourceArn":"arn:","Tags":[{}],"TagKeys":[1]}"#),
        "[".repeat(100_000),
        r#"{"a":"#.repeat(100_000),
        nested(40, r#"{"L":["#, "]}"),
        nested(2_000, r#"{"M":{"a":"#, "}}"),
        expression("(".repeat(5_000)),
        expression("NOT ".repeat(1_000) + "a"),
        expression("a.".repeat(500) + "b"),
        expression(String::from("SET a[99999999999999999999] = :é")),
    ];
    let mut bodies: Vec<Vec<u8>> = texts.into_iter().map(String::into_bytes).collect();
    bodies.push(vec![0xff, 0xfe, 0x00]);
    bodies.push(b"{\"TableName\":\"\xff\"}".to_vec());
    bodies
}

#[tokio::test]
async fn no_body_brings_the_engine_down() {
    let engine = Engine::temporary().unwrap();
    tables::create(&engine.dynamodb(), "things").await;
    for operation in OPERATIONS {
        for body in hostile_bodies() {
            let reply = engine.dispatch(operation, &body);
            let sent = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
            match exception(&reply) {
                None => assert_eq!(reply.status, 200, "{operation} {sent}: {}", reply.body),
                Some(name) => {
                    assert_eq!(reply.status, 400, "{operation} {sent}: {}", reply.body);
                    assert!(
                        name.ends_with("Exception"),
                        "{operation} {sent}: {}",
                        reply.body
                    );
                }
            }
        }
    }
    // One of them was a proper request to delete the table.
    tables::create(&engine.dynamodb(), "others").await;
    tables::put(&engine.dynamodb(), "others", "a").await;
    assert_eq!(tables::ids(&engine.dynamodb(), "others", None).await, ["a"]);
}
