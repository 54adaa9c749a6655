//! What the service says of itself.

use serde_json::json;

use crate::support::Api;

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
    let names: Vec<&str> = paths["/api/v1/tasks"]["get"]["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
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
        .problem(404, "not-found", "");
    // Whoever has not signed in is not told which methods there are.
    nobody
        .post("~/api/v1/stats/tasks", json!({}))
        .await
        .problem(401, "unauthenticated", "");
    api.person("ada")
        .post("~/api/v1/stats/tasks", json!({}))
        .await
        .problem(405, "method-not-allowed", "");
}
