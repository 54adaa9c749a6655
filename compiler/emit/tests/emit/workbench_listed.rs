//! Data models of NoSQL Workbench: whatever a file says is in the model that comes of it, or is listed as lost.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use serde_json::{Value, json};
use tablewright_emit::workbench::import::import;

use crate::workbench::fixture;

/// Every text and number of a file, with its place and the name it has there. Samples are left out: that they are not kept is one line.
fn leaves(value: &Value, place: &str, all: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if name != "TableData" {
                    leaves(value, &format!("{place}/{name}"), all);
                }
            }
        }
        Value::Array(entries) => {
            for (at, value) in entries.iter().enumerate() {
                leaves(value, &format!("{place}/{at}"), all);
            }
        }
        Value::String(text) => {
            let paragraphs = text.split("\n\n");
            all.extend(paragraphs.map(|text| (place.to_owned(), text.to_owned())));
        }
        Value::Number(number) => all.push((place.to_owned(), number.to_string())),
        Value::Null | Value::Bool(_) => {}
    }
}

/// What a model says in words of its own, and what every file says.
const SAID_OTHERWISE: &[&str] = &[
    "ModelMetadata/AWSService",
    "ModelMetadata/Version",
    "AttributeType",
    "BillingMode",
    "ProjectionType",
    "ServiceNamespace",
    "ScalableDimension",
];

/// The leaves of which the model says nothing.
fn silent(file: &Value) -> Vec<(String, String)> {
    let imported = import(&file.to_string(), "some").unwrap();
    let mut all = Vec::new();
    leaves(file, "", &mut all);
    let known = |place: &str| SAID_OTHERWISE.iter().any(|known| place.ends_with(known));
    // The keys of an index are called after it unless the model says otherwise.
    let usual = |text: &str| {
        let index = text.strip_suffix("PK").or_else(|| text.strip_suffix("SK"));
        index.is_some_and(|index| imported.text.contains(&format!("\n{index} ")))
    };
    all.retain(|(place, text)| {
        !known(place) && !usual(text) && !imported.text.contains(text.as_str())
    });
    all
}

#[test]
fn everything_in_a_file_is_kept_or_listed() {
    let file = json!({
        "Sixth": "sixth",
        "ModelName": "Shop of all things",
        "ModelMetadata": {
            "Author": "Ada",
            "DateCreated": "Jan 02, 2021",
            "DateLastModified": "Jan 03, 2021",
            "Description": "The first paragraph.\n\nThe second one.",
            "AWSService": "Amazon DynamoDB",
            "Version": "3.0",
            "Owner": "the owner"
        },
        "DataModel": [
            {
                "TableName": "shop",
                "KeyAttributes": {
                    "PartitionKey": { "AttributeName": "PK", "AttributeType": "S", "Hint": "a hint" },
                    "SortKey": { "AttributeName": "SK", "AttributeType": "S" },
                    "ThirdKey": "third"
                },
                "NonKeyAttributes": [
                    { "AttributeName": "customer", "AttributeType": "S", "Comment": "who buys" },
                    { "AttributeName": "number", "AttributeType": "S" },
                    { "AttributeName": "unshown", "AttributeType": "SS" },
                    { "AttributeName": "no field!", "AttributeType": "S" },
                    { "AttributeName": "customer", "AttributeType": "N" }
                ],
                "TableFacets": [
                    {
                        "FacetName": "Order line",
                        "KeyAttributeAlias": { "PartitionKeyAlias": "CustomerId", "SortKeyAlias": "LineId", "ThirdAlias": "thirdly" },
                        "NonKeyAttributes": ["customer", "number", "no field!"],
                        "TableData": [
                            { "PK": { "S": "CUSTOMER#ada" }, "SK": { "S": "LINE#00017" }, "customer": { "S": "ada" }, "number": { "N": "17" } }
                        ],
                        "DataAccess": { "MySql": { "Table": "order_lines" } },
                        "Colour": "green"
                    },
                    {
                        "FacetName": "Without samples",
                        "KeyAttributeAlias": { "PartitionKeyAlias": "STORE#<storeId>", "SortKeyAlias": 17 },
                        "NonKeyAttributes": ["opened"]
                    }
                ],
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "Empty",
                        "KeyAttributes": { "PartitionKey": { "AttributeName": "EPK", "AttributeType": "S" } },
                        "Projection": { "ProjectionType": "INCLUDE", "NonKeyAttributes": ["nowhere"], "Depth": "deep" },
                        "Cost": "dear"
                    },
                    {
                        "IndexName": "Plain",
                        "KeyAttributes": { "PartitionKey": { "AttributeName": "customer", "AttributeType": "S" } },
                        "Projection": { "ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["needless"] }
                    }
                ],
                "DataAccess": { "MySql": { "Table": "orders" } },
                "SampleDataFormats": { "customer": ["identifiers", "UUID"] },
                "BillingMode": "PROVISIONED",
                "ProvisionedCapacitySettings": {
                    "ProvisionedThroughput": { "ReadCapacityUnits": 707, "WriteCapacityUnits": 330 },
                    "AutoScalingRead": {
                        "ScalableTargetRequest": { "MinCapacity": 808, "MaxCapacity": 8808, "ServiceNamespace": "dynamodb", "RoleARN": "arn:role" },
                        "ScalingPolicyConfiguration": { "TargetValue": 67 }
                    },
                    "AutoScalingWrite": {
                        "ScalableTargetRequest": { "MinCapacity": 909, "MaxCapacity": 191 },
                        "ScalingPolicyConfiguration": { "TargetValue": 97, "ScaleOut": "fast" }
                    }
                }
            },
            {
                "TableName": "later",
                "KeyAttributes": { "PartitionKey": { "AttributeName": "id", "AttributeType": "S" } },
                "NonKeyAttributes": [{ "AttributeName": "only_declared", "AttributeType": "S" }],
                "TableData": [{ "id": { "S": "1" } }],
                "BillingMode": "PAY_PER_REQUEST",
                "ProvisionedCapacitySettings": { "ProvisionedThroughput": { "ReadCapacityUnits": 123, "WriteCapacityUnits": 321 } }
            }
        ]
    });
    assert_eq!(silent(&file), []);
    let imported = import(&file.to_string(), "some").unwrap();
    assert!(
        imported
            .lost
            .contains(&"the 2 samples are not kept: they told types and keys".to_owned())
    );
    // What the only kind of a table declares is a field of it.
    assert!(
        imported.text.contains("only_declared = \"string?\""),
        "{}",
        imported.text
    );
    assert_eq!(imported.lost, list_of(&imported.text));
}

/// The lines of the comment at the head of a model.
fn list_of(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("# * "));
    lines.map(str::to_owned).collect()
}

#[test]
fn nothing_in_the_files_of_other_people_is_dropped_silently() {
    for name in ["library", "bakery", "parcels", "offers", "songs"] {
        let text = std::fs::read_to_string(fixture(&format!("{name}.json"))).unwrap();
        assert_eq!(silent(&serde_json::from_str(&text).unwrap()), [], "{name}");
    }
}

/// The attribute that names the kind of an item does so whether or not it is declared.
#[test]
fn a_type_that_is_not_declared_tells_kinds_apart() {
    let item = |key: &str, kind: &str| json!({ "PK": { "S": key }, "Type": { "S": kind } });
    let file = json!({
        "ModelName": "Kinds",
        "DataModel": [{
            "TableName": "kinds",
            "KeyAttributes": { "PartitionKey": { "AttributeName": "PK", "AttributeType": "S" } },
            "TableData": [item("A#1", "Apple"), item("A#2", "Apple"), item("A#3", "Pear")],
        }],
    });
    let imported = import(&file.to_string(), "kinds").unwrap();
    let model = tablewright_model::parse(&imported.text).unwrap();
    let names: Vec<&str> = model
        .entities
        .iter()
        .map(|entity| entity.name.as_str())
        .collect();
    assert_eq!(names, ["Apple", "Pear"]);
    assert_eq!(
        model.tables[0].type_attribute.as_ref().unwrap().value,
        "Type"
    );
}

/// A model can say that a key is binary, and the checker refuses it: whoever imports one is told before.
#[test]
fn binary_keys_are_listed() {
    let file = json!({
        "ModelName": "Blobs",
        "DataModel": [{
            "TableName": "blobs",
            "KeyAttributes": { "PartitionKey": { "AttributeName": "hash", "AttributeType": "B" } },
            "NonKeyAttributes": [{ "AttributeName": "owner", "AttributeType": "S" }],
            "TableData": [{ "hash": { "B": "AAEC" }, "owner": { "S": "ada" }, "part": { "B": "AAEC" } }],
            "GlobalSecondaryIndexes": [{
                "IndexName": "ByOwner",
                "KeyAttributes": {
                    "PartitionKey": { "AttributeName": "owner", "AttributeType": "S" },
                    "SortKey": { "AttributeName": "part", "AttributeType": "B" },
                },
                "Projection": { "ProjectionType": "ALL" },
            }],
        }],
    });
    let imported = import(&file.to_string(), "blobs").unwrap();
    for key in [
        "`hash` is a binary key of blobs, ",
        "`part` is a binary key of ByOwner of blobs, ",
    ] {
        let mut lost = imported.lost.iter();
        assert!(
            lost.any(|line| line.starts_with(key)),
            "{key}: {:#?}",
            imported.lost
        );
    }
    assert_eq!(imported.lost, list_of(&imported.text));
}
