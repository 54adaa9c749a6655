//! What routes send to DynamoDB, and what they do when it is refused.

use http::Method;
use serde_json::{Value, json};

use crate::support::{Api, Asks as _, Caller, Fault, Sent, Wire, With};

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

/// The partition a query reads.
fn partition(query: &Value) -> String {
    let values = query["ExpressionAttributeValues"].as_object().unwrap();
    let mut texts = values.values().filter_map(|value| value["S"].as_str());
    let found = texts.find(|text| text.starts_with("TASK#") || text.starts_with("USER#"));
    found.unwrap().to_owned()
}

/// S0-9, S0-23, S0-35, S0-49, C0-7, C0-12: no route scans, and what is read is in the partitions of the caller.
#[tokio::test(flavor = "multi_thread")]
async fn no_route_reads_what_is_not_the_callers() {
    let (api, wire, ada) = watched().await;
    let mut ids = Vec::new();
    for person in [&ada, &api.person("bob")] {
        person.put("/users/me", json!({})).await.expect(201);
        for number in 0..12 {
            ids.push(person.task(json!({ "title": format!("{number}"), "priority": "low", "category": "c", "due_date": "2020-01-01" })).await);
        }
    }
    wire.take_sent();
    let id = ids[0].clone();
    for (path, index) in [
        ("/tasks", None),
        ("/tasks?fields=title", None),
        ("/tasks?sort=status", Some("GSI1")),
        ("/tasks?status=pending", Some("GSI1")),
        ("/tasks?status=completed", Some("GSI1")),
        ("/tasks?sort=due_date", Some("GSI2")),
        ("/tasks?due_on=2020-01-01", Some("GSI2")),
        ("/tasks?due_from=2020-01-01&due_to=2020-01-01", Some("GSI2")),
        ("/tasks?overdue=true", Some("GSI5")),
        ("/tasks?sort=priority", Some("GSI3")),
        ("/tasks?priority=low", Some("GSI3")),
        ("/tasks?sort=category", Some("GSI4")),
        ("/tasks?category=c", Some("GSI4")),
        ("/tasks/search?q=nowhere", None),
    ] {
        ada.get(path).await.expect(200);
        let sent = wire.take_sent();
        assert!(!sent.is_empty());
        for request in sent {
            assert_eq!(request.operation, "Query", "{path}");
            assert_eq!(request.body["IndexName"].as_str(), index, "{path}");
            let read = partition(&request.body);
            assert!(["TASK#ada", "USER#ada"].contains(&read.as_str()), "{read}");
        }
    }
    ada.get(&format!("/tasks/{id}")).await.expect(200);
    ada.get("/users/me").await.expect(200);
    ada.get("/stats/tasks").await.expect(200);
    let gets = wire.take_sent();
    assert_eq!(gets.len(), 3, "{gets:?}");
    assert!(gets.iter().all(|sent| sent.operation == "GetItem"));
    let change = json!({ "status": "completed" });
    ada.patch(&format!("/tasks/{id}"), change).await.expect(200);
    let bulk = json!({ "status": "completed", "filter": {} });
    ada.post("/tasks/bulk/status", bulk).await.expect(200);
    ada.send(Method::POST, "/tasks/bulk/delete-completed", None, &[])
        .await
        .expect(200);
    ada.delete("/users/me").await.expect(204);
    let sent = wire.take_sent();
    assert!(sent.iter().all(|request| request.operation != "Scan"));
    // C0-13: many tasks are changed one by one and on condition, never by a batch that overwrites.
    let batches = sent
        .iter()
        .filter(|sent| sent.operation == "BatchWriteItem");
    assert_eq!(batches.count(), 0);
    // Nothing of what was read or written was the other's.
    let foreign = sent
        .iter()
        .find(|sent| sent.body.to_string().contains("#bob"));
    assert!(foreign.is_none(), "{foreign:?}");
}

/// S0-42: a list of titles asks for the attributes it shows, under other names than reserved words (C0-27).
#[tokio::test]
async fn a_list_of_titles_asks_for_few_attributes() {
    let (_api, wire, ada) = watched().await;
    ada.task(json!({ "title": "x", "description": "long" }))
        .await;
    wire.take_sent();
    ada.get("/tasks?fields=title,status").await.expect(200);
    let sent = wire.take_sent();
    let names = sent[0].body["ExpressionAttributeNames"].to_string();
    let shown = sent[0].body["ProjectionExpression"].as_str().unwrap();
    assert!(names.contains("\"title\"") && names.contains("\"status\""));
    assert!(!names.contains("\"description\""), "{names}");
    assert!(shown.split(',').all(|name| name.trim().starts_with('#')));
}

/// S0-43: several tasks with known keys are one request.
#[tokio::test]
async fn tasks_by_ids_are_one_request() {
    let (_api, wire, ada) = watched().await;
    let mut ids = Vec::new();
    for _ in 0..30 {
        ids.push(ada.task(json!({ "title": "x" })).await);
    }
    wire.take_sent();
    let page = ada.get(&format!("/tasks?ids={}", ids.join(","))).await;
    assert_eq!(page.expect(200).body["items"].as_array().unwrap().len(), 30);
    let sent = wire.take_sent();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0].operation, "BatchGetItem");
}

/// S0-47: a request that is refused for its rate is sent again, later and later; the caller notices nothing.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_throttled_is_sent_again() {
    let (api, wire, ada) = watched().await;
    let throttle = |operation, times: usize| {
        wire.plan(operation, (0..times).map(|_| Fault::Throttle));
        wire.take_sent();
    };
    throttle("TransactWriteItems", 3);
    let id = ada.task(json!({ "title": "x", "priority": "low" })).await;
    assert_eq!(wire.take_sent().len(), 4);
    for (operation, path) in [
        ("GetItem", format!("/tasks/{id}")),
        ("Query", String::from("/tasks?status=pending")),
        ("BatchGetItem", format!("/tasks?ids={id}")),
        ("GetItem", String::from("/stats/tasks")),
    ] {
        throttle(operation, 2);
        ada.get(&path).await.expect(200);
        assert_eq!(wire.take_sent().len(), 3, "{path}");
    }
    assert_eq!(ada.titles("/tasks").await, ["x"]);
    let numbers = ada.get("~/metrics").await.expect(200).text;
    let told = |line: &str| {
        line.starts_with("tablewright_throttles_total") && line.contains("create_task")
    };
    assert!(numbers.lines().any(told), "{numbers}");
    api.agrees().await;
}

/// S0-47: what stays too much is told, with the time to come back; nothing is written.
#[tokio::test(flavor = "multi_thread")]
async fn what_stays_throttled_is_told() {
    let (api, wire, ada) = watched().await;
    wire.plan("TransactWriteItems", (0..40).map(|_| Fault::Throttle));
    let key = [("idempotency-key", "k")];
    let body = json!({ "title": "x" });
    let post = async || {
        ada.send(Method::POST, "/tasks", Some(body.clone()), &key)
            .await
    };
    let refused = post().await.problem(503, "overloaded");
    assert!(refused.header("retry-after").is_some());
    assert_eq!(ada.titles("/tasks").await.len(), 0);
    wire.forget_faults();
    // The same request, later, is the first.
    let made = post().await.expect(201);
    assert_eq!(made.header("idempotency-replayed"), None);
    api.agrees().await;
}

/// S0-44, S0-46: a change that meets another is made again to what the other left, once; then it is 409. With `If-Match` it is 412.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_meets_another_is_made_again_once() {
    let (api, wire, ada) = watched().await;
    let id = ada.task(json!({ "title": "x" })).await;
    let path = format!("/tasks/{id}");
    // Others change it between our reading and our writing: each is a write of its own, on the engine itself.
    let todo = todo::model::Todo::new(&tablewright::Store::new(wire.engine.dynamodb()));
    let meddle = |category: &'static str| {
        let (todo, id) = (todo.clone(), id.parse().unwrap());
        Fault::After(Box::new(move |_| {
            let key = todo::model::TaskKey::new("ada", id);
            let change = todo::model::UpdateTask {
                category: tablewright::Change::Set(Some(category.to_owned())),
                ..Default::default()
            };
            let other = async {
                let update = todo
                    .tasks
                    .update_task(&key, |_: &_| -> Result<_, tablewright::Error> {
                        Ok((change.clone(), None))
                    });
                update.await.unwrap();
            };
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(other));
        }))
    };
    let conflicts = async || -> f64 {
        let numbers = ada.get("~/metrics").await.expect(200).text;
        let lines = numbers.lines();
        let lines = lines.filter(|line| line.starts_with("tablewright_conflicts_total{"));
        let told = lines.map(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap());
        told.sum()
    };
    let before = conflicts().await;
    // A title is in no index and in no count: it is written alone.
    wire.plan("UpdateItem", [meddle("one")]);
    let both = ada.patch(&path, json!({ "title": "y" })).await.expect(200);
    assert!(conflicts().await > before, "a conflict is counted");
    assert_eq!(
        (&both.body["title"], &both.body["category"]),
        (&json!("y"), &json!("one"))
    );
    wire.plan("UpdateItem", [meddle("two"), meddle("three")]);
    ada.patch(&path, json!({ "title": "z" }))
        .await
        .problem(409, "conflict")
        .about("task_id");
    let now = ada.get(&path).await.expect(200);
    assert_eq!(
        (&now.body["title"], &now.body["category"]),
        (&json!("y"), &json!("three"))
    );
    wire.plan("UpdateItem", [meddle("four")]);
    let meant = [("if-match", now.etag())];
    ada.send(Method::PATCH, &path, Some(json!({ "title": "z" })), &meant)
        .await
        .problem(412, "precondition-failed")
        .about("If-Match");
    wire.plan("TransactWriteItems", [meddle("five")]);
    let now = ada.get(&path).await.expect(200);
    let meant = [("if-match", now.etag())];
    ada.send(Method::DELETE, &path, None, &meant)
        .await
        .problem(412, "precondition-failed")
        .about("If-Match");
    ada.get(&path).await.expect(200);
    api.agrees().await;
}

/// S0-44: an edit that changes nothing writes nothing, and its answer is that of the task as it is. With a key the answer is kept.
#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_changes_nothing_writes_nothing() {
    let (_api, wire, ada) = watched().await;
    let made = ada.post("/tasks", json!({ "title": "x" })).await;
    let made = made.expect(201);
    let path = format!("/tasks/{}", made.text_of("task_id"));
    wire.take_sent();
    let same = ada.patch(&path, json!({ "title": "x" })).await.expect(200);
    assert_eq!((same.etag(), &same.body), (made.etag(), &made.body));
    let sent = wire.take_sent();
    assert!(
        sent.iter().all(|sent| sent.operation == "GetItem"),
        "{sent:?}"
    );
    let (body, key) = (json!({ "title": "x" }), [("idempotency-key", "k")]);
    for replayed in [None, Some("true")] {
        let told = ada
            .send(Method::PATCH, &path, Some(body.clone()), &key)
            .await;
        let told = told.expect(200);
        assert_eq!(told.header("idempotency-replayed"), replayed);
        assert_eq!(told.etag(), made.etag());
    }
}

/// What changes nothing does not write the task, with a key or without: with one, only the record of the request is written, by which its repetition is answered.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_changes_nothing_writes_no_task() {
    let (api, wire, ada) = watched().await;
    let whole = json!({ "title": "Read", "priority": "low" });
    let id = ada.task(whole.clone()).await;
    let path = format!("/tasks/{id}");
    for (number, (method, said)) in [
        (Method::PATCH, json!({ "title": "Read" })),
        (Method::PATCH, json!({})),
        (Method::PUT, whole),
    ]
    .into_iter()
    .enumerate()
    {
        let before = ada.get(&path).await.expect(200);
        wire.take_sent();
        let ask = async |headers: &[(&str, &str)]| {
            let answer = ada.send(method.clone(), &path, Some(said.clone()), headers);
            answer.await.expect(200)
        };
        let unkeyed = ask(&[]).await;
        assert_eq!(unkeyed.body, before.body);
        let key = number.to_string();
        let keyed = [("idempotency-key", key.as_str())];
        let first = ask(&keyed).await;
        assert_eq!((&first.body, first.etag()), (&before.body, before.etag()));
        let writes: Vec<_> = wire
            .take_sent()
            .into_iter()
            .filter(|sent| sent.operation != "GetItem")
            .collect();
        assert_eq!(writes.len(), 1, "{writes:?}");
        assert_eq!(writes[0].operation, "PutItem");
        assert_eq!(writes[0].body["Item"]["Type"]["S"], "Idempotency");
        // It is changed by another, and the repetition is answered as before.
        let other = json!({ "title": "Other" });
        ada.patch(&path, other).await.expect(200);
        let again = ask(&keyed).await;
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.text, first.text);
        ada.patch(&path, json!({ "title": "Read" }))
            .await
            .expect(200);
        let other = [("idempotency-key", key.as_str())];
        ada.send(method.clone(), &path, Some(json!({ "title": "x" })), &other)
            .await
            .problem(422, "key-reused");
        let now = ada.get(&path).await.expect(200);
        assert_eq!(now.body["title"], "Read");
    }
    api.agrees().await;
}

/// Nor does who says again who they are.
#[tokio::test]
async fn a_user_who_stays_the_same_is_not_written() {
    let (_api, wire, ada) = watched().await;
    let me = "/users/me";
    let made = ada.put(me, json!({ "name": "Ada" })).await.expect(201);
    wire.take_sent();
    let same = ada.put(me, json!({ "name": "Ada" })).await.expect(200);
    assert_eq!((same.etag(), &same.body), (made.etag(), &made.body));
    let sent = wire.take_sent();
    let is_read = |sent: &Sent| sent.operation == "GetItem";
    assert!(sent.iter().all(is_read), "{sent:?}");
}
