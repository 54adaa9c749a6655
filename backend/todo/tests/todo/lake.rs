//! The data lake of the service.

use std::time::Duration;

use http::Method;
use serde_json::json;
use tablewright_lake::{Place, Reader, RecordBatch};

use crate::support::{Api, Asks as _, With, todo_in};

/// S0-50: what the API does is in the lake, and what it answered is not.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_through_the_api_comes_into_the_lake() {
    let api = Api::start().await;
    let folder = tempfile::TempDir::new().unwrap();
    let place = Place::folder(folder.path()).unwrap();
    let app = api.app.clone().with_lake(Some(place.clone()));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let keeping = tokio::spawn(async move {
        app.keep_lake(async { stopped.await.unwrap_or(()) }).await;
    });
    let ada = api.person("ada");
    let task = Some(json!({ "title": "buy milk" }));
    let keyed = [("idempotency-key", "k")];
    let made = ada.send(http::Method::POST, "/tasks", task, &keyed).await;
    made.expect(201);
    let bronze = async || {
        let mut changes = 0;
        if let Ok(reader) = Reader::open(&place, "todo") {
            let see = |rows: &RecordBatch| changes += rows.num_rows();
            reader.bronze("Idempotency", see).await.unwrap();
        }
        changes
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), async {
        while bronze().await == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    waited.await.expect("the change comes into bronze");
    drop(stop);
    keeping.await.unwrap();
    let (mut tasks, mut records) = (0, Vec::new());
    let reader = Reader::open(&place, "todo").unwrap();
    let see = |rows: &RecordBatch| tasks += rows.num_rows();
    reader.silver("Task", see).await.unwrap();
    assert_eq!(tasks, 1);
    let see = |rows: &RecordBatch| {
        let schema = rows.schema();
        records = schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
    };
    reader.silver("Idempotency", see).await.unwrap();
    assert!(records.contains(&String::from("http_status_code")));
    assert!(!records.contains(&String::from("response_data")));
}

#[test]
fn a_place_that_cannot_be_a_lake_is_told_at_the_start() {
    let folder = tempfile::TempDir::new().unwrap();
    let mut command = todo_in(folder.path());
    let output = command
        .env("TABLEWRIGHT_LAKE", "gs://bucket")
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("a lake is a folder, or s3://bucket/prefix"),
        "{said}"
    );
}

/// What gold says is what the tasks say, and everybody sees their own.
#[tokio::test(flavor = "multi_thread")]
async fn insights_are_of_the_caller_and_add_up() {
    let folder = tempfile::TempDir::new().unwrap();
    let place = Place::folder(folder.path()).unwrap();
    let api = Api::start_with(With {
        lake: Some(place),
        ..With::default()
    })
    .await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    let empty = ada.get("/insights").await.expect(200).body;
    let nothing = json!({ "as_of": null, "days": [], "categories": [], "overdue": 0 });
    assert_eq!(empty, nothing);
    let done = ada.task(json!({ "title": "a", "category": "home" })).await;
    ada.task(json!({ "title": "b", "category": "home" })).await;
    ada.task(json!({ "title": "c", "due_date": "2020-01-01" }))
        .await;
    let cancelled = ada.task(json!({ "title": "d", "category": "home" })).await;
    bob.task(json!({ "title": "e" })).await;
    for (task, status) in [(done, "completed"), (cancelled, "cancelled")] {
        let path = format!("/tasks/{task}");
        ada.patch(&path, json!({ "status": status }))
            .await
            .expect(200);
    }
    let app = api.app.clone();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let keeping = tokio::spawn(async move {
        app.keep_lake(async { stopped.await.unwrap_or(()) }).await;
    });
    let waited = tokio::time::timeout(Duration::from_secs(60), async {
        while !folder
            .path()
            .join("todo/gold/active_users/all.parquet")
            .is_file()
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    waited.await.expect("gold is there");
    drop(stop);
    keeping.await.unwrap();

    let insights = ada.get("/insights").await.expect(200).body;
    assert_eq!(insights["overdue"], 1);
    let now = jiff::Timestamp::now().as_second();
    let as_of = insights["as_of"].as_i64().unwrap();
    assert!((now - 60..=now).contains(&as_of), "{as_of}");
    let page = ada.get("~/page/insights").await.expect(200);
    assert!(page.text.contains("As of 2"), "{}", page.text);
    // They may be of two days, around midnight.
    let sum = |what: &str| {
        let days = insights["days"].as_array().unwrap().iter();
        days.map(|day| day[what].as_i64().unwrap()).sum::<i64>()
    };
    assert_eq!((sum("created"), sum("completed")), (4, 1));
    let rate = |category: usize| &insights["categories"][category];
    assert_eq!(
        (&rate(0)["category"], &rate(0)["tasks"]),
        (&json!(null), &json!(1))
    );
    assert_eq!(rate(0)["seconds_to_complete"], json!(null));
    assert_eq!(
        (&rate(1)["category"], &rate(1)["tasks"], &rate(1)["rate"]),
        (&json!("home"), &json!(2), &json!(0.5))
    );
    let others = bob.get("/insights").await.expect(200).body;
    assert_eq!(others["days"][0]["created"], 1);
}

#[tokio::test]
async fn a_service_without_a_lake_has_no_insights() {
    let api = Api::start().await;
    let whoever = [("Accept", "text/html,*/*;q=0.8")];
    for (headers, location) in [(&[][..], "/api/v1/insights"), (&whoever, "/#charts")] {
        let ada = api.person("ada");
        let moved = ada.send(Method::GET, "~/insights", None, headers).await;
        let moved = moved.expect(307);
        assert_eq!(moved.headers["location"], location);
        assert_eq!(moved.headers["vary"], "Accept");
    }
    let refused = api.person("ada").get("/insights").await;
    let refused = refused.problem(404, "not-found").body;
    let detail = refused["detail"].as_str().unwrap();
    for told in ["has no lake", "TABLEWRIGHT_LAKE=", "s3://"] {
        assert!(detail.contains(told), "{detail}");
    }
}
