//! Counts are exact, and cost the same however many tasks there are.

use serde_json::json;

use crate::support::{Api, Asks as _};

/// S0-31, S0-32, C0-11
#[tokio::test]
async fn counts_follow_every_change() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let counts = ada.get("/stats/tasks").await.expect(200).body;
    assert_eq!(counts["total"], 0);
    let mut ids = Vec::new();
    for priority in [json!("low"), json!("urgent"), json!("urgent"), json!(null)] {
        ids.push(
            ada.task(json!({ "title": "x", "priority": priority }))
                .await,
        );
    }
    ada.patch(
        &format!("/tasks/{}", ids[0]),
        json!({ "status": "completed", "priority": "medium" }),
    )
    .await
    .expect(200);
    ada.delete(&format!("/tasks/{}", ids[1])).await.expect(204);
    api.person("bob").task(json!({ "title": "x" })).await;
    let counts = ada.get("/stats/tasks").await.expect(200).body;
    assert_eq!(
        counts,
        json!({
            "total": 3,
            "by_status": { "pending": 2, "in_progress": 0, "completed": 1, "cancelled": 0 },
            "by_priority": { "low": 0, "medium": 1, "high": 0, "urgent": 1, "none": 1 },
        })
    );
    api.agrees().await;
}
