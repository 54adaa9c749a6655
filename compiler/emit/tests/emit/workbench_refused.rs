//! Data models of NoSQL Workbench that are none, or such as nobody would write: refused with a reason, or a model all the same.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use serde_json::{Value, json};
use tablewright_emit::workbench::import::{ImportError, import, name_in};
use tablewright_model::parse;

use crate::workbench::fixture;

fn refusal(text: &str) -> String {
    import(text, "some")
        .map(|imported| imported.text)
        .unwrap_err()
        .to_string()
}

/// A file with one table that is good, and something put in its place.
fn spoilt(at: &str, value: Value) -> String {
    let mut file = json!({
        "ModelName": "Some",
        "ModelMetadata": { "AWSService": "Amazon DynamoDB", "Version": "3.0" },
        "DataModel": [{
            "TableName": "some",
            "KeyAttributes": { "PartitionKey": { "AttributeName": "id", "AttributeType": "S" } },
            "NonKeyAttributes": [],
            "TableFacets": [],
            "GlobalSecondaryIndexes": [],
            "TableData": [{ "id": { "S": "1" } }],
        }],
    });
    let (parent, name) = at.rsplit_once('/').unwrap();
    match file.pointer_mut(parent).unwrap_or_else(|| panic!("{at}")) {
        Value::Array(entries) if name.parse() == Ok(entries.len()) => entries.push(value),
        parent => match name.parse::<usize>() {
            Ok(position) => parent[position] = value,
            Err(_) => parent[name] = value,
        },
    }
    file.to_string()
}

/// An index by the key of that table.
fn index(letter: &str) -> Value {
    json!({
        "IndexName": "again",
        "KeyAttributes": { "PartitionKey": { "AttributeName": "id", "AttributeType": letter } },
        "Projection": { "ProjectionType": "ALL" },
    })
}

#[test]
fn what_is_no_data_model_is_told() {
    assert!(import(&spoilt("/ModelName", json!("Some")), "some").is_ok());
    for (text, told) in [
        (
            String::new(),
            "it is no JSON: EOF while parsing a value at line 1 column 0",
        ),
        (
            "not json".to_owned(),
            "it is no JSON: expected ident at line 1 column 2",
        ),
        (
            "[]".to_owned(),
            "it is no data model of NoSQL Workbench: it has no `DataModel`",
        ),
        (
            "7".to_owned(),
            "it is no data model of NoSQL Workbench: it has no `DataModel`",
        ),
        (
            spoilt("/DataModel", json!([])),
            "its `DataModel` has no table",
        ),
        (
            spoilt("/DataModel", json!({})),
            "DataModel: a list is expected",
        ),
        (
            spoilt("/DataModel/0", json!("table")),
            "DataModel[0]: an object is expected",
        ),
        (
            spoilt("/DataModel/0/TableName", json!(null)),
            "DataModel[0].TableName: a text is expected",
        ),
        (
            spoilt("/DataModel/0/TableName", json!("a\"b\nc")),
            "DataModel[0].TableName: `a\"b c` is no name DynamoDB takes: letters, digits, `-`, `_` and `.`",
        ),
        (
            spoilt("/DataModel/0/KeyAttributes", json!({})),
            "DataModel[0].KeyAttributes: a `PartitionKey` is expected",
        ),
        (
            spoilt(
                "/DataModel/0/KeyAttributes/PartitionKey/AttributeName",
                json!("a\nb"),
            ),
            "DataModel[0].KeyAttributes.PartitionKey: `a b` cannot be the name of a key attribute",
        ),
        (
            spoilt(
                "/DataModel/0/KeyAttributes/PartitionKey/AttributeType",
                json!("M"),
            ),
            "DataModel[0].KeyAttributes.PartitionKey: a key is of type S, N or B",
        ),
        (
            spoilt(
                "/DataModel/0/KeyAttributes/PartitionKey/AttributeType",
                json!("TEXT"),
            ),
            "DataModel[0].KeyAttributes.PartitionKey.AttributeType: `TEXT` is no type of DynamoDB",
        ),
        (
            spoilt("/DataModel/0/TableData", json!({})),
            "DataModel[0].TableData: a list is expected",
        ),
        (
            spoilt("/DataModel/0/TableData/0", json!({ "id": "1" })),
            "DataModel[0].TableData[0].id: a value as DynamoDB writes it is expected: { \"S\": \"text\" }",
        ),
        (
            spoilt(
                "/DataModel/0/KeyAttributes/SortKey",
                json!({ "AttributeName": "id", "AttributeType": "S" }),
            ),
            "DataModel[0].KeyAttributes: `id` is both keys",
        ),
        (
            spoilt(
                "/DataModel/1",
                json!({
                    "TableName": "some",
                    "KeyAttributes": { "PartitionKey": { "AttributeName": "id", "AttributeType": "S" } },
                }),
            ),
            "DataModel[1].TableName: another table is called `some`",
        ),
        (
            spoilt(
                "/DataModel/0/GlobalSecondaryIndexes",
                json!([index("S"), index("S")]),
            ),
            "DataModel[0].GlobalSecondaryIndexes[1].IndexName: another index of the table is called `again`",
        ),
        (
            spoilt("/DataModel/0/GlobalSecondaryIndexes", json!([index("N")])),
            "DataModel[0]: `id` is of type S in one key and N in another",
        ),
        (
            spoilt("/ModelMetadata/Version", json!("4.0")),
            "it is of version 4.0 of the format; 1.0, 2.0 and 3.0 are known",
        ),
        (
            spoilt("/ModelMetadata/AWSService", json!("Amazon Keyspaces")),
            "it is a data model of Amazon Keyspaces, not of Amazon DynamoDB",
        ),
    ] {
        assert_eq!(refusal(&text), told);
    }
}

#[test]
fn nothing_is_too_deep_or_too_large() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(
        import(&deep, "some"),
        Err(ImportError::NotJson { .. })
    ));
    let large = format!("{{\"ModelName\": \"{}\"}}", "x".repeat(17 * 1024 * 1024));
    assert_eq!(refusal(&large), "it has 17 MB; a data model has at most 16");
    let mut value = json!({ "S": "x" });
    for _ in 0..50 {
        value = json!({ "M": { "deeper": value } });
    }
    let nested = spoilt(
        "/DataModel/0/TableData/0",
        json!({ "id": { "S": "1" }, "nested": value }),
    );
    assert!(import(&nested, "some").is_ok());
    // More samples than anybody looks at, and an item that is none.
    let many: Vec<Value> = (0..50_000)
        .map(|n| json!({ "id": { "S": n.to_string() }, "kind": { "S": format!("k{}", n % 7) } }))
        .collect();
    assert!(import(&spoilt("/DataModel/0/TableData", json!(many)), "some").is_ok());
    let wide: serde_json::Map<String, Value> = (0..1001)
        .map(|n| (format!("a{n}"), json!({ "S": "x" })))
        .collect();
    assert_eq!(
        refusal(&spoilt("/DataModel/0/TableData/0", json!(wide))),
        "DataModel[0].TableData[0]: it has 1001 attributes; at most 1000 are read"
    );
    let tables: Vec<Value> = (0..1001).map(|_| json!({})).collect();
    assert_eq!(
        refusal(&spoilt("/DataModel", json!(tables))),
        "DataModel: it has 1001 entries; at most 1000 are read"
    );
}

#[test]
fn names_nobody_would_write_do_no_harm() {
    let text = json!({
        "ModelName": "\"; drop [table]\n#",
        "ModelMetadata": { "Description": "a \"quoted\"\u{7f}\u{0} text\nwith lines" },
        "DataModel": [{
            "TableName": "some.table",
            "KeyAttributes": { "PartitionKey": { "AttributeName": "PK", "AttributeType": "S" }, "SortKey": { "AttributeName": "a.b", "AttributeType": "S" } },
            "NonKeyAttributes": [{ "AttributeName": "x\n\"y", "AttributeType": "S" }, { "AttributeName": "ünicode", "AttributeType": "S" }],
            "TableFacets": [
                { "FacetName": "\"\n", "NonKeyAttributes": ["x\n\"y"], "TableData": [{ "PK": { "S": "{$}#\"\n" }, "a.b": { "S": "{x}" }, "x\n\"y": { "S": "1" } }] },
                { "FacetName": "123", "NonKeyAttributes": ["ünicode"], "TableData": [{ "PK": { "S": "" }, "a.b": { "S": "###" } }, { "PK": { "S": "A#" }, "a.b": { "S": "#" } }] },
                { "FacetName": "123", "NonKeyAttributes": [] },
            ],
            "GlobalSecondaryIndexes": [{ "IndexName": "i.1", "KeyAttributes": { "PartitionKey": { "AttributeName": "a.b", "AttributeType": "S" } }, "Projection": { "ProjectionType": "INCLUDE", "NonKeyAttributes": ["x\n\"y"] } }],
        }],
    })
    .to_string();
    let imported = import(&text, "some").unwrap();
    let model =
        parse(&imported.text).unwrap_or_else(|faults| panic!("{faults:?}\n{}", imported.text));
    assert_eq!(model.title.unwrap().value, "\"; drop [table]\n#");
    assert_eq!(model.entities.len(), 3);
    assert_eq!(name_in(&text).unwrap(), "\"; drop [table]\n#");
    assert!(imported.lost.iter().all(|line| !line.contains('\n')));
}

/// Every place of a document, as a path.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(value, &format!("{at}/{name}"), all);
            }
        }
        Value::Array(entries) => {
            for (position, value) in entries.iter().enumerate() {
                places(value, &format!("{at}/{position}"), all);
            }
        }
        _ => {}
    }
}

#[test]
fn whatever_is_changed_in_a_file_it_becomes_a_model_or_is_refused_with_a_reason() {
    let strange = [
        json!(null),
        json!(0),
        json!(""),
        json!([]),
        json!({}),
        json!("#"),
        json!("A#{b}#$20"),
        json!("type"),
        json!({ "S": "x y#" }),
        json!({ "N": "not a number" }),
        json!({ "M": { "S": { "S": "1" }, "no name": { "NULL": true } } }),
        json!({ "L": [{ "S": "a" }, { "N": "1" }] }),
    ];
    let mut tried = 0;
    for name in ["library", "bakery", "parcels", "offers", "songs"] {
        let text = std::fs::read_to_string(fixture(&format!("{name}.json"))).unwrap();
        let whole: Value = serde_json::from_str(&text).unwrap();
        let mut all = Vec::new();
        places(&whole, "", &mut all);
        for (turn, place) in all.iter().enumerate() {
            let mut changed = whole.clone();
            let value = &strange[turn % strange.len()];
            *changed.pointer_mut(place).unwrap() = value.clone();
            match import(&changed.to_string(), "some") {
                Ok(imported) => assert!(parse(&imported.text).is_ok(), "{name} {place} {value}"),
                Err(ImportError::NotRead { why }) => panic!("{name} {place} {value}: {why}"),
                Err(_) => {}
            }
            tried += 1;
        }
    }
    assert!(tried > 400, "{tried}");
}
