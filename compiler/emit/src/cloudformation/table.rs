//! A table as a resource.

use serde_json::{Map, Value, json};
use tablewright_model::model::{
    Capacity, Index, IndexKind, KeyAttribute, KeyKind, Projection, StreamView, Table,
};

use super::{is_provisioned, sub, table_name};

pub(super) fn resource(table: &Table) -> Value {
    let provisioned = is_provisioned(table);
    let mut properties = json!({
        "TableName": sub(table_name(table.name.as_str())),
        "AttributeDefinitions": definitions(table),
        "KeySchema": key_schema(&table.partition_key, table.sort_key.as_ref()),
        "BillingMode": { "Fn::If": [provisioned, "PROVISIONED", "PAY_PER_REQUEST"] },
        "ProvisionedThroughput": throughput(provisioned, table.capacity),
        "PointInTimeRecoverySpecification": { "PointInTimeRecoveryEnabled": table.recovery.value },
        "SSESpecification": { "SSEEnabled": true },
        "DeletionProtectionEnabled": table.deletion_protection.value,
    });
    let of_kind = |kind| move |index: &&Index| index.kind == kind;
    let mut add = |key: &str, value: Value| properties[key] = value;
    if let Some(stream) = table.stream {
        add(
            "StreamSpecification",
            json!({ "StreamViewType": view(stream.value) }),
        );
    }
    if let Some(ttl) = &table.ttl {
        add(
            "TimeToLiveSpecification",
            json!({ "AttributeName": ttl.value, "Enabled": true }),
        );
    }
    let global: Vec<Value> = table
        .indexes
        .iter()
        .filter(of_kind(IndexKind::Global))
        .map(|index| {
            let mut global = described(index);
            global["ProvisionedThroughput"] = throughput(provisioned, index.capacity);
            global
        })
        .collect();
    if !global.is_empty() {
        add("GlobalSecondaryIndexes", global.into());
    }
    let local = table.indexes.iter().filter(of_kind(IndexKind::Local));
    let local: Vec<Value> = local.map(described).collect();
    if !local.is_empty() {
        add("LocalSecondaryIndexes", local.into());
    }
    json!({
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": properties,
    })
}

/// What other stacks and people need to know of a table.
pub(super) fn outputs(table: &Table, id: &str) -> Map<String, Value> {
    let name = &table.name;
    let mut outputs = Map::new();
    let mut add = |suffix: &str, what: &str, value: Value| {
        let description = format!("The {what} of {name}");
        let output = json!({ "Description": description, "Value": value });
        outputs.insert(format!("{id}{suffix}"), output);
    };
    let attribute = |attribute: &str| json!({ "Fn::GetAtt": [id, attribute] });
    add("Name", "name", json!({ "Ref": id }));
    add("Arn", "ARN", attribute("Arn"));
    if table.stream.is_some() {
        add("StreamArn", "ARN of the stream", attribute("StreamArn"));
    }
    outputs
}

/// DynamoDB's word for what a stream carries.
pub(crate) fn view(view: StreamView) -> &'static str {
    match view {
        StreamView::NewAndOldImages => "NEW_AND_OLD_IMAGES",
        StreamView::NewImage => "NEW_IMAGE",
        StreamView::OldImage => "OLD_IMAGE",
        StreamView::KeysOnly => "KEYS_ONLY",
    }
}

/// DynamoDB's letter for the type of a key. What it refuses is an error of the model.
pub(crate) fn letter(kind: &KeyKind) -> &'static str {
    match kind {
        KeyKind::Number => "N",
        KeyKind::Binary => "B",
        KeyKind::String | KeyKind::Refused(_) => "S",
    }
}

fn described(index: &Index) -> Value {
    json!({
        "IndexName": index.name.value,
        "KeySchema": key_schema(&index.partition_key, index.sort_key.as_ref()),
        "Projection": match &index.projection {
            Projection::All => json!({ "ProjectionType": "ALL" }),
            Projection::KeysOnly => json!({ "ProjectionType": "KEYS_ONLY" }),
            Projection::Fields(fields) => {
                let names: Vec<&str> = fields.iter().map(|field| field.as_str()).collect();
                json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names })
            }
        },
    })
}

fn key_schema(partition: &KeyAttribute, sort: Option<&KeyAttribute>) -> Value {
    let keys = [Some((partition, "HASH")), sort.map(|sort| (sort, "RANGE"))];
    keys.into_iter()
        .flatten()
        .map(|(key, kind)| json!({ "AttributeName": key.name, "KeyType": kind }))
        .collect()
}

/// The types of all key attributes, each once.
fn definitions(table: &Table) -> Value {
    let indexes = table.indexes.iter();
    let of_indexes =
        indexes.flat_map(|index| [Some(&index.partition_key), index.sort_key.as_ref()]);
    let keys = [Some(&table.partition_key), table.sort_key.as_ref()]
        .into_iter()
        .chain(of_indexes)
        .flatten();
    let mut known: Vec<&KeyAttribute> = Vec::new();
    for key in keys {
        if !known.iter().any(|known| known.name == key.name) {
            known.push(key);
        }
    }
    known
        .into_iter()
        .map(|key| json!({ "AttributeName": key.name, "AttributeType": letter(&key.kind) }))
        .collect()
}

/// The units it begins with, where it is provisioned.
fn throughput(provisioned: &str, capacity: Capacity) -> Value {
    json!({ "Fn::If": [
        provisioned,
        {
            "ReadCapacityUnits": capacity.read.fewest,
            "WriteCapacityUnits": capacity.write.fewest,
        },
        { "Ref": "AWS::NoValue" },
    ] })
}
