//! What the service says of itself.

use http::Method;
use serde_json::json;

use crate::support::{Api, Asks as _, With};

#[tokio::test]
async fn the_api_describes_all_it_does() {
    let api = Api::start().await;
    let nobody = api.bearer(None);
    let document = nobody.get("~/openapi.json").await.expect(200).body;
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let paths = document["paths"].as_object().unwrap();
    for (path, methods) in [
        ("/api/v1/users/me", vec!["delete", "get", "put"]),
        ("/api/v1/tasks", vec!["get", "post"]),
        (
            "/api/v1/tasks/{task_id}",
            vec!["delete", "get", "patch", "put"],
        ),
        ("/api/v1/tasks/bulk/status", vec!["post"]),
        ("/api/v1/tasks/bulk/delete-completed", vec!["post"]),
        ("/api/v1/tasks/search", vec!["get"]),
        ("/api/v1/stats/tasks", vec!["get"]),
    ] {
        let has: Vec<&String> = paths[path].as_object().unwrap().keys().collect();
        assert_eq!(has, methods, "{path}");
        for method in methods {
            let operation = &paths[path][method];
            assert!(operation["responses"]["401"].is_object(), "{method} {path}");
            assert_eq!(operation["security"], json!([{ "token": [] }]));
            assert!(!operation["summary"].as_str().unwrap().is_empty());
            if method != "get" {
                let headers = operation["parameters"].as_array().unwrap().iter();
                assert!(
                    headers
                        .clone()
                        .any(|header| header["name"] == "Idempotency-Key"),
                    "{method} {path}"
                );
            }
        }
    }
    let listed = paths["/api/v1/tasks"]["get"]["parameters"].as_array();
    let listed = listed.unwrap();
    let names: Vec<&str> = listed
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    // Whoever reads the description knows every word that may be said.
    for (name, words) in [
        ("status", "in_progress"),
        ("priority", "urgent"),
        ("fields", "due_date"),
        ("ids", "^[0-7]"),
    ] {
        let parameter = listed.iter().find(|one| one["name"] == name).unwrap();
        assert_eq!(parameter["schema"]["type"], "array", "{parameter}");
        assert_eq!(parameter["explode"], false, "{parameter}");
        let items = &parameter["schema"]["items"];
        let items = match items["$ref"].as_str() {
            Some(place) => document.pointer(place.trim_start_matches('#')).unwrap(),
            None => items,
        };
        assert!(items.to_string().contains(words), "{items}");
    }
    let overdue = listed.iter().find(|one| one["name"] == "overdue").unwrap();
    assert!(overdue["schema"].to_string().contains("boolean"));
    for name in [
        "status",
        "priority",
        "category",
        "due_on",
        "due_from",
        "due_to",
        "overdue",
        "has_due_date",
        "ids",
        "sort",
        "order",
        "limit",
        "cursor",
        "fields",
        "tz",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    nobody.get("~/docs").await.expect(200);
    nobody.get("~/health/ready").await.expect(200);
    nobody.get("~/problems/key-reused").await.expect(200);
    nobody
        .get("~/api/v1/nothing")
        .await
        .problem(404, "not-found");
    // Whoever has not signed in is not told which methods there are.
    nobody
        .post("~/api/v1/stats/tasks", json!({}))
        .await
        .problem(401, "unauthenticated");
    api.person("ada")
        .post("~/api/v1/stats/tasks", json!({}))
        .await
        .problem(405, "method-not-allowed");
}

/// No answer is undescribed: a body where none is wanted is read and refused, a request of many steps may meet itself. And no parameter of a
/// query is null.
#[tokio::test]
async fn every_answer_is_described() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let document = ada.get("~/openapi.json").await.expect(200).body;
    let described = |path: &str, method: &str, status: &str| {
        let operation = &document["paths"][format!("/api/v1{path}")][method];
        assert!(
            operation["responses"][status].is_object(),
            "{method} {path}: {status}"
        );
    };
    for (path, method) in [
        ("/tasks/{task_id}", "delete"),
        ("/users/me", "delete"),
        ("/tasks/bulk/delete-completed", "post"),
    ] {
        for status in ["408", "409", "413", "422"] {
            described(path, method, status);
        }
    }
    described("/tasks/bulk/status", "post", "409");
    let long = "x".repeat(3_000_000);
    let path = "/tasks/bulk/delete-completed";
    let told = ada.send_text(Method::POST, path, Some(&long), &[]).await;
    told.problem(413, "too-large").about("body");
    let told = ada.send_text(Method::POST, path, Some("[1]"), &[]).await;
    told.problem(422, "invalid").about("body");
    for (path, operations) in document["paths"].as_object().unwrap() {
        for operation in operations.as_object().unwrap().values() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            for parameter in parameters.filter(|one| one["in"] == "query") {
                let schema = parameter["schema"].to_string();
                assert!(!schema.contains("null"), "{path}: {parameter}");
            }
        }
    }
}

/// S0-48: each status by which bad input is refused has the reason, and the field where there is one.
#[tokio::test]
async fn refusals_name_the_field_and_the_reason() {
    let settings = vec![
        ("TABLEWRIGHT_RATE", String::from("40")),
        ("TABLEWRIGHT_BURST", String::from("40")),
    ];
    let api = Api::start_with(With {
        settings,
        ..With::default()
    })
    .await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    let id = ada.task(json!({ "title": "x" })).await;
    let one = format!("/tasks/{id}");
    let tasks = "/tasks";
    api.bearer(None)
        .get(tasks)
        .await
        .problem(401, "unauthenticated")
        .about("Authorization");
    let told = ada.send_text(Method::POST, tasks, Some("{"), &[]).await;
    told.problem(400, "malformed").about("body");
    ada.get("/tasks?q=%ff")
        .await
        .problem(400, "malformed")
        .about("q");
    let told = ada
        .get("/tasks?limit=0&status=foo&overdue=perhaps&bar=1")
        .await;
    let told = told
        .problem(400, "malformed")
        .about("limit")
        .about("status");
    told.about("overdue").about("bar");
    let told = bob.get(&one).await.problem(404, "not-found");
    assert_eq!(
        told.about("task_id").text_of("detail"),
        "there is no such task"
    );
    let told = bob.patch(&one, json!({ "title": "y" })).await;
    let told = told.problem(404, "not-found").about("task_id");
    assert_eq!(told.text_of("detail"), "there is no such task");
    let told = bob.delete(&one).await.problem(404, "not-found");
    told.about("task_id");
    let told = bob.get("/users/me").await.problem(404, "not-found");
    told.about("Authorization");
    let told = bob.delete("/users/me").await.problem(404, "not-found");
    told.about("Authorization");
    let told = bob.get("/nothing").await.problem(404, "not-found");
    told.about("path");
    ada.put("/users/me", json!({})).await.expect(201);
    let told = bob
        .put("/users/me", json!({ "email": "ada@example.org" }))
        .await;
    let told = told.problem(409, "taken").about("email");
    assert_eq!(
        told.text_of("detail"),
        "another user has this email already"
    );
    let stale = [("if-match", "\"1\"")];
    let told = ada
        .send(Method::PATCH, &one, Some(json!({ "title": "y" })), &stale)
        .await;
    told.problem(412, "precondition-failed").about("If-Match");
    let text = [("content-type", "text/plain")];
    let told = ada.send_text(Method::POST, tasks, Some("x"), &text).await;
    told.problem(415, "unsupported-media-type")
        .about("Content-Type");
    let wrong = json!({ "title": "", "priority": "X", "due_date": "bad", "foo": 1, "status": "z" });
    let told = ada.post(tasks, wrong).await.problem(422, "invalid");
    let told = told
        .about("priority")
        .about("due_date")
        .about("foo")
        .about("status");
    assert_eq!(
        told.body["errors"].as_array().unwrap().len(),
        4,
        "what can be read is judged then"
    );
    let told = loop {
        let told = bob.get(tasks).await;
        if told.status != 200 {
            break told.problem(429, "rate-limited").about("Authorization");
        }
    };
    assert!(told.text_of("detail").contains("ask again in"));
    assert_eq!(ada.titles(tasks).await, ["x"]);
}
