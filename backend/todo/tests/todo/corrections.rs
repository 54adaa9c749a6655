//! Corrections of the document that no other test is about.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};
use tablewright::Changed;
use todo::model::{Idempotency, TodoChange};

use crate::support::{Api, Asks as _, Caller, Wire, With};

async fn watched() -> (Api, Wire, Caller) {
    let wire = Wire::new();
    let with = With {
        wire: Some(wire.clone()),
        ..With::default()
    };
    let api = Api::start_with(with).await;
    let ada = api.person("ada");
    (api, wire, ada)
}

/// C0-8: by due date, and those that have one, are one question, and one request to the table.
#[tokio::test]
async fn tasks_by_due_date_are_those_that_have_one() {
    let (_api, wire, ada) = watched().await;
    for day in [Some("2030-01-02"), None, Some("2030-01-01")] {
        ada.task(json!({ "title": "x", "due_date": day })).await;
    }
    wire.take_sent();
    let mut asked = Vec::new();
    for path in ["/tasks?sort=due_date", "/tasks?has_due_date=true"] {
        let page = ada.get(path).await.expect(200).body;
        let sent = wire.take_sent();
        assert_eq!(sent.len(), 1);
        // The moment by which expiry is judged differs.
        let mut body = sent[0].body.clone();
        let values = body["ExpressionAttributeValues"].as_object_mut().unwrap();
        values.retain(|_, value| value["N"].is_null());
        let days: Vec<Value> = page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| task["due_date"].clone())
            .collect();
        assert_eq!(days, ["2030-01-01", "2030-01-02"]);
        asked.push(body);
    }
    assert_eq!(asked[0], asked[1]);
}

/// C0-17: the record of a request is read by both of its keys.
#[tokio::test]
async fn a_record_is_read_by_its_whole_key() {
    let (_api, wire, ada) = watched().await;
    let key = [("idempotency-key", "k")];
    let body = Some(json!({ "title": "x" }));
    wire.take_sent();
    ada.send(Method::POST, "/tasks", body, &key)
        .await
        .expect(201);
    let sent = wire.take_sent();
    let read = sent.iter().find(|sent| sent.operation == "GetItem");
    let read = &read.unwrap().body;
    assert_eq!(
        read["Key"],
        json!({ "PK": { "S": "IDEMPOTENCY#ada" }, "SK": { "S": "REQUEST#POST$20/api/v1/tasks#k" } })
    );
    assert_eq!(read["ConsistentRead"], true);
}

/// C0-20: the largest answer there is fits into its record, and in the stream the record is told from what a lake keeps.
#[tokio::test(flavor = "multi_thread")]
async fn the_largest_answer_is_kept() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let ids: Vec<String> = (0..1000)
        .map(|_| tablewright::Ulid::new().to_string())
        .collect();
    let body = Some(json!({ "status": "completed", "ids": ids }));
    let key = [("idempotency-key", "k")];
    let ask = async || {
        let path = "/tasks/bulk/status";
        let asked = ada.send(Method::POST, path, body.clone(), &key).await;
        asked.expect(200)
    };
    let first = ask().await;
    let again = ask().await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.text, first.text);
    let scan = api.engine.dynamodb().scan().table_name("todo-app-data");
    let items = scan.send().await.unwrap().items.unwrap();
    let stored: Vec<TodoChange> = items
        .iter()
        .filter_map(|item| TodoChange::decode("todo-app-data", None, Some(item)).unwrap())
        .collect();
    let [TodoChange::Idempotency(Changed::Inserted(record))] = stored.as_slice() else {
        panic!("{stored:?}");
    };
    let Idempotency { response_data, .. } = record;
    let length = response_data.as_ref().unwrap().len();
    assert!((30_000..300_000).contains(&length), "{length}");
}

/// C0-23: that lists follow a write only after a moment is told to whoever reads the description; a task by its id is there at once.
#[tokio::test]
async fn lists_are_said_to_be_eventually_consistent() {
    let (api, wire, ada) = watched().await;
    let described = ada.get("~/openapi.json").await.expect(200).body;
    let list = &described["paths"]["/api/v1/tasks"]["get"];
    let about = list["description"].as_str().unwrap();
    assert!(about.contains("eventually consistent"), "{about}");
    let service = described["info"]["description"].as_str().unwrap();
    assert!(service.contains("eventually consistent"), "{service}");
    let id = ada.task(json!({ "title": "x" })).await;
    wire.take_sent();
    ada.get(&format!("/tasks/{id}")).await.expect(200);
    ada.put("/users/me", json!({})).await.expect(201);
    ada.get("/users/me").await.expect(200);
    // The engine is always consistent: what shows is how it was asked.
    let sent = wire.take_sent().into_iter();
    let read: Vec<_> = sent.filter(|one| one.operation == "GetItem").collect();
    assert!(read.len() >= 2);
    for asked in [read.first().unwrap(), read.last().unwrap()] {
        assert_eq!(asked.body["ConsistentRead"], true, "{asked:?}");
    }
    drop(api);
}

/// C0-25: whatever is stored of one user is in partitions that hold nothing of another, in the table and in every index.
#[tokio::test]
async fn no_two_users_share_a_partition() {
    let api = Api::start().await;
    for name in ["ada", "bob"] {
        let person = api.person(name);
        person.put("/users/me", json!({})).await.expect(201);
        let task = json!({ "title": "x", "priority": "low", "category": "same", "due_date": "2030-01-01" });
        let key = [("idempotency-key", "same")];
        person
            .send(Method::POST, "/tasks", Some(task), &key)
            .await
            .expect(201);
    }
    let scan = api.engine.dynamodb().scan().table_name("todo-app-data");
    let items = scan.send().await.unwrap().items.unwrap();
    assert_eq!(items.len(), 2 * 5, "user, guard, task, counts and record");
    let mut partitions = BTreeSet::new();
    for item in &items {
        let names = item.keys().filter(|name| name.ends_with("PK"));
        for name in names {
            partitions.insert((name.clone(), item[name].as_s().unwrap().clone()));
        }
    }
    for (name, partition) in &partitions {
        let of = |user: &str| partition.contains(user);
        assert!(of("ada") != of("bob"), "{name} = {partition}");
    }
    assert!(partitions.iter().any(|(name, _)| name == "GSI5PK"));
}

/// C0-28: what the service points at is there: the address of what it made, and what a problem means.
#[tokio::test]
async fn what_is_pointed_at_is_there() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let made = ada.post("/tasks", json!({ "title": "x" })).await;
    let made = made.expect(201);
    let location = made.header("location").unwrap();
    let there = ada.get(&format!("~{location}")).await.expect(200);
    assert_eq!(there.body, made.body);
    let refused = ada.get("/tasks/0").await.expect(400);
    let kind = refused.body["type"].as_str().unwrap();
    ada.get(&format!("~{kind}")).await.expect(200);
}
