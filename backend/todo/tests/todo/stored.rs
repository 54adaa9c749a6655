//! What is stored is what the document asks for: the table, its items, their keys.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, ScalarAttributeType, StreamViewType};
use http::Method;
use serde_json::json;

use crate::support::{Api, Asks as _, Made as _};

const TABLE: &str = "todo-app-data";

type Item = HashMap<String, AttributeValue>;

async fn item(api: &Api, partition: &str, sort: &str) -> Item {
    let get = api.engine.dynamodb().get_item().table_name(TABLE);
    let get = get
        .key("PK", AttributeValue::S(partition.to_owned()))
        .key("SK", AttributeValue::S(sort.to_owned()));
    let found = get.send().await.unwrap().item;
    found.unwrap_or_else(|| panic!("there is no {partition} {sort}"))
}

fn text<'i>(item: &'i Item, name: &str) -> &'i str {
    item[name].as_s().unwrap()
}

fn number(item: &Item, name: &str) -> i64 {
    item[name].as_n().unwrap().parse().unwrap()
}

/// S0-1: one table with string keys, one stream with both images, one attribute for the end of items; S0-5, S0-6, S0-7, S0-8: its indexes.
#[tokio::test]
async fn there_is_one_table_with_one_stream() {
    let api = Api::start().await;
    let client = api.engine.dynamodb();
    let tables = client.list_tables().send().await.unwrap();
    assert_eq!(tables.table_names(), [TABLE]);
    let described = client.describe_table().table_name(TABLE).send().await;
    let table = described.unwrap().table.unwrap();
    let stream = table.stream_specification().unwrap();
    assert_eq!(
        (stream.stream_enabled(), stream.stream_view_type()),
        (true, Some(&StreamViewType::NewAndOldImages))
    );
    for attribute in table.attribute_definitions() {
        assert_eq!(attribute.attribute_type(), &ScalarAttributeType::S);
    }
    let keys = |keys: &[aws_sdk_dynamodb::types::KeySchemaElement]| -> Vec<String> {
        let names = keys.iter().map(|key| key.attribute_name().to_owned());
        names.collect()
    };
    assert_eq!(keys(table.key_schema()), ["PK", "SK"]);
    let mut indexes: Vec<(String, Vec<String>)> = table
        .global_secondary_indexes()
        .iter()
        .map(|index| {
            (
                index.index_name().unwrap().to_owned(),
                keys(index.key_schema()),
            )
        })
        .collect();
    indexes.sort();
    for (index, number) in indexes.iter().zip(1..) {
        let name = format!("GSI{number}");
        let expected = vec![format!("{name}PK"), format!("{name}SK")];
        assert_eq!(*index, (name, expected));
    }
    assert_eq!(indexes.len(), 5);
    let ends = client.describe_time_to_live().table_name(TABLE).send();
    let ends = ends.await.unwrap().time_to_live_description.unwrap();
    assert_eq!(ends.attribute_name(), Some("ttl"));
}

/// S0-2, S0-10: a user and the guard of the address.
#[tokio::test]
async fn a_user_is_stored_as_demanded() {
    let api = Api::start().await;
    let ada = api.person("ada");
    ada.put("/users/me", json!({ "name": "Ada" }))
        .await
        .expect(201);
    let user = item(&api, "USER#ada", "METADATA").await;
    assert_eq!(text(&user, "email"), "ada@example.org");
    assert_eq!(text(&user, "name"), "Ada");
    assert_eq!(number(&user, "created_at"), number(&user, "updated_at"));
    item(&api, "EMAIL#ada@example.org", "METADATA").await;
}

/// S0-3, S0-5, S0-6, S0-7, S0-8, S0-12, S0-13, S0-14: a task with everything, in every index.
#[tokio::test]
async fn a_task_is_stored_as_demanded() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let whole = json!({
        "title": "Write", "description": "more", "status": "in_progress", "priority": "high", "category": "home", "due_date": "2030-05-01",
    });
    let id = ada.task(whole.clone()).await;
    let task = item(&api, "TASK#ada", &format!("TASK#{id}")).await;
    for (name, value) in whole.as_object().unwrap() {
        assert_eq!(text(&task, name), value.as_str().unwrap());
    }
    assert_eq!(number(&task, "created_at"), number(&task, "updated_at"));
    for index in 1..=5 {
        assert_eq!(text(&task, &format!("GSI{index}PK")), "USER#ada");
    }
    assert_eq!(text(&task, "GSI1SK"), format!("STATUS#in_progress#{id}"));
    assert_eq!(text(&task, "GSI2SK"), format!("DUEDATE#2030-05-01#{id}"));
    // C0-4: a rank, so that the order is that of urgency.
    assert_eq!(text(&task, "GSI3SK"), format!("PRIORITY#2#{id}"));
    assert_eq!(text(&task, "GSI4SK"), format!("CATEGORY#home#{id}"));
    assert_eq!(text(&task, "GSI5SK"), format!("OPENDUE#2030-05-01#{id}"));
    // S0-14, S0-41: not completed, and nothing that ends.
    for absent in ["completed_at", "ttl"] {
        assert!(!task.contains_key(absent), "{absent}");
    }
}

/// S0-11, C0-9: what a task has not is not stored, and it is in no index for it.
#[tokio::test]
async fn what_a_task_has_not_is_nowhere() {
    let api = Api::start().await;
    let id = api.person("ada").task(json!({ "title": "Write" })).await;
    let task = item(&api, "TASK#ada", &format!("TASK#{id}")).await;
    assert_eq!(text(&task, "GSI1SK"), format!("STATUS#pending#{id}"));
    for absent in ["description", "priority", "category", "due_date"] {
        assert!(!task.contains_key(absent), "{absent}");
    }
    for index in 2..=5 {
        assert!(!task.contains_key(&format!("GSI{index}PK")));
        assert!(!task.contains_key(&format!("GSI{index}SK")));
    }
}

/// S0-4, S0-40, C0-16: the record of a request, with the task it is about; the caller and the route are in its key.
#[tokio::test]
async fn the_record_of_a_request_is_stored_as_demanded() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let key = [("idempotency-key", "k#1")];
    let body = Some(json!({ "title": "Write" }));
    let made = ada.send(Method::POST, "/tasks", body, &key).await;
    let made = made.expect(201);
    let scan = api.engine.dynamodb().scan().table_name(TABLE);
    let items = scan.send().await.unwrap().items.unwrap();
    let record = items
        .iter()
        .find(|item| text(item, "PK") == "IDEMPOTENCY#ada")
        .unwrap();
    assert_eq!(text(record, "SK"), "REQUEST#POST$20/api/v1/tasks#k$231");
    assert_eq!(text(record, "request_id"), "k#1");
    assert_eq!(number(record, "http_status_code"), 201);
    assert!(text(record, "response_data").contains(made.id()));
    assert_eq!(text(record, "target_task_pk"), "TASK#ada");
    assert_eq!(
        text(record, "target_task_sk"),
        format!("TASK#{}", made.id())
    );
    assert_eq!(number(record, "ttl"), number(record, "created_at") + 86_400);
}
