//! The checker finds what is broken on purpose.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use crate::support::{Api, Asks as _, todo_in};

const TABLE: &str = "todo-app-data";

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn key(partition: &str, sort: &str) -> HashMap<String, AttributeValue> {
    HashMap::from([
        ("PK".to_owned(), text(partition)),
        ("SK".to_owned(), text(sort)),
    ])
}

async fn set(client: &Client, partition: &str, sort: &str, name: &str, value: AttributeValue) {
    let update = client
        .update_item()
        .table_name(TABLE)
        .set_key(Some(key(partition, sort)));
    let update = update
        .update_expression("SET #n = :v")
        .expression_attribute_names("#n", name);
    update
        .expression_attribute_values(":v", value)
        .send()
        .await
        .unwrap();
}

async fn delete(client: &Client, partition: &str, sort: &str) {
    let delete = client
        .delete_item()
        .table_name(TABLE)
        .set_key(Some(key(partition, sort)));
    delete.send().await.unwrap();
}

/// Each fault alone, with a word of what is told about it.
#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_fault_is_found() {
    let kinds = [
        "counts",
        "no counts",
        "a task",
        "status key",
        "priority key",
        "due key",
        "category key",
        "open key",
        "open key, another day",
        "status key, another id",
        "due key, the last day",
        "an entry that should not be",
        "guard",
        "address",
        "stray guard",
    ];
    for kind in kinds {
        let api = Api::start().await;
        let ada = api.person("ada");
        ada.put("/users/me", json!({})).await.expect(201);
        ada.task(json!({ "title": "other" })).await;
        let id = ada.task(json!({ "title": "x", "priority": "high", "category": "home", "due_date": "2030-01-01" })).await;
        api.agrees().await;
        let (client, sort) = (api.engine.dynamodb(), format!("TASK#{id}"));
        let index = async |name: &str, value: String| {
            set(&client, "TASK#ada", &sort, name, text(&value)).await
        };
        let expected = match kind {
            "counts" => {
                set(
                    &client,
                    "USER#ada",
                    "COUNTS",
                    "total",
                    AttributeValue::N("7".into()),
                )
                .await;
                "the counts of ada are"
            }
            "no counts" => {
                delete(&client, "USER#ada", "COUNTS").await;
                "the counts of ada are not there"
            }
            "a task" => {
                delete(&client, "TASK#ada", &sort).await;
                "the counts of ada are"
            }
            "status key" => {
                index("GSI1SK", format!("STATUS#completed#{id}")).await;
                "tasks_by_status should not give"
            }
            "priority key" => {
                index("GSI3SK", format!("PRIORITY#0#{id}")).await;
                "tasks_by_priority should not give"
            }
            "due key" => {
                index("GSI2SK", format!("DUEDATE#2031-01-01#{id}")).await;
                "tasks_due_on does not give"
            }
            "category key" => {
                index("GSI4SK", format!("CATEGORY#work#{id}")).await;
                "tasks_by_category does not give"
            }
            "open key" => {
                index("GSI5PK", "USER#bob".into()).await;
                "overdue_tasks does not give"
            }
            "open key, another day" => {
                index("GSI5SK", format!("OPENDUE#2020-01-01#{id}")).await;
                "GSI5SK of TASK#ada TASK#"
            }
            "status key, another id" => {
                index("GSI1SK", format!("STATUS#pending#{}", "0".repeat(26))).await;
                "GSI1SK of TASK#ada TASK#"
            }
            "due key, the last day" => {
                index("GSI5SK", format!("OPENDUE#9999-12-31#{id}")).await;
                "GSI5SK of TASK#ada TASK#"
            }
            "an entry that should not be" => {
                // Completed behind the back of the library: all its keys are those of a pending task.
                set(&client, "TASK#ada", &sort, "status", text("completed")).await;
                "overdue_tasks should not give"
            }
            "guard" => {
                delete(&client, "EMAIL#ada@example.org", "METADATA").await;
                "the address of ada is not guarded"
            }
            "address" => {
                set(
                    &client,
                    "USER#ada",
                    "METADATA",
                    "email",
                    text("other@example.org"),
                )
                .await;
                "the address of ada is not guarded"
            }
            _ => {
                let put = client
                    .put_item()
                    .table_name(TABLE)
                    .set_item(Some(key("EMAIL#bob@example.org", "METADATA")));
                put.send().await.unwrap();
                "2 guards and other items for 1 users"
            }
        };
        let report = todo::check::check(&api.app).await.unwrap();
        assert!(
            report.faults.iter().any(|fault| fault.contains(expected)),
            "{kind}: {report}"
        );
    }
}

/// The table and its indexes are told apart, also where a user has nothing but entries. No request can make such a fault: it is made in the
/// file of the engine.
#[tokio::test(flavor = "multi_thread")]
async fn every_entry_has_its_item_and_every_item_its_entries() {
    let of_bob = "pk LIKE '%#bob'";
    for (sql, expected) in [
        (
            format!(r#"DELETE FROM "{TABLE}" WHERE {of_bob}"#),
            "GSI1 has an entry without an item, of TASK#bob TASK#",
        ),
        (
            format!(r#"DELETE FROM "{TABLE}::gsi::GSI3" WHERE table_{of_bob}"#),
            "GSI3 has no entry of TASK#bob TASK#",
        ),
        (
            format!(
                r#"UPDATE "{TABLE}::gsi::GSI2" SET item_json = replace(item_json, 'water', 'wine')"#
            ),
            "GSI2 has another state of TASK#bob TASK#",
        ),
    ] {
        let api = Api::start().await;
        let task = json!({ "title": "Buy water", "priority": "high", "due_date": "2030-01-01" });
        api.person("bob").task(task).await;
        api.agrees().await;
        let file = api.engine.directory().join("dynamodb.sqlite");
        let changed = rusqlite::Connection::open(file).unwrap().execute(&sql, []);
        assert!(changed.unwrap() > 0, "{sql}");
        let report = todo::check::check(&api.app).await.unwrap();
        assert!(
            report.faults.iter().any(|fault| fault.contains(expected)),
            "{sql}: {report}"
        );
    }
}

/// A command that cannot run says why and what to do, ends with 2, and makes nothing.
#[test]
fn what_cannot_be_compared_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    let told = |folder: &std::path::Path| {
        let mut command = todo_in(folder);
        command.current_dir(std::env::temp_dir());
        let ended = command.arg("check").output().unwrap();
        assert_eq!(ended.status.code(), Some(2));
        String::from_utf8(ended.stderr).unwrap()
    };
    let missing = told(&nowhere);
    assert!(missing.contains("there is no folder"), "{missing}");
    assert!(!nowhere.exists());
    let empty = told(folder.path());
    assert!(empty.contains("there is no table todo-app-data"), "{empty}");
    assert!(empty.contains("TABLEWRIGHT_ENDPOINT"), "{empty}");
}
