//! What the service says of what people and admins do.

use serde_json::{Value, json};

use crate::support::Api;

#[tokio::test]
async fn what_people_do_is_described_with_all_it_answers() {
    let api = Api::start().await;
    let document = api.nobody().get("~/openapi.json").await.expect(200).body;
    for (method, path, statuses) in [
        ("post", "/human/people", vec![201, 429]),
        ("get", "/human/questions", vec![200, 400, 401, 429]),
        (
            "get",
            "/human/questions/{question_id}",
            vec![200, 400, 401, 404, 429],
        ),
        (
            "post",
            "/human/responses",
            vec![201, 401, 403, 404, 409, 410, 422, 429, 503],
        ),
        ("get", "/human/responses", vec![200, 400, 401, 429]),
        ("get", "/human/stats", vec![200, 401, 429]),
        ("get", "/human/leaderboard", vec![200, 400, 401, 429]),
        (
            "post",
            "/human/push/subscriptions",
            vec![201, 401, 409, 422, 429],
        ),
        ("get", "/human/push/subscriptions", vec![200, 401, 429]),
        (
            "put",
            "/human/push/subscriptions/{subscription_id}",
            vec![200, 401, 404, 409, 422],
        ),
        (
            "delete",
            "/human/push/subscriptions/{subscription_id}",
            vec![204, 401, 404, 409],
        ),
        ("get", "/admin/reviews", vec![200, 400, 401, 403]),
        ("get", "/admin/bans", vec![200, 400, 401, 403]),
        (
            "delete",
            "/admin/bans/{fingerprint_hash}",
            vec![204, 401, 403, 404, 409, 422],
        ),
        ("put", "/admin/agents/{agent_id}", vec![200, 401, 403, 409]),
        ("post", "/admin/reviews", vec![200, 401, 403, 404, 409, 422]),
    ] {
        let operation = &document["paths"][path][method];
        for status in statuses {
            let answer = &operation["responses"][status.to_string()];
            assert!(answer.is_object(), "{method} {path} {status}");
        }
        let credentials = operation["security"].to_string();
        let needed = match path {
            "/human/people" => continue,
            path if path.starts_with("/human") => "person",
            _ => "token",
        };
        assert!(credentials.contains(needed), "{path}: {credentials}");
    }
    for kind in ["banned", "already-answered", "question-over"] {
        let page = format!("~/problems/{kind}");
        api.nobody().get(&page).await.expect(200);
    }
    let answer = &document["components"]["schemas"]["NewAnswer"];
    let needed: &Value = &answer["required"];
    assert_eq!(*needed, json!(["question_id", "opened"]));
}
