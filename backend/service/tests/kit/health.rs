//! Whether it lives, and whether it is ready.

use std::time::Duration;

use crate::started::{Started, sources};

#[tokio::test(flavor = "multi_thread")]
async fn it_lives_and_is_ready() {
    let app = Started::usual().await;
    assert_eq!(app.json("/health/live").await["status"], "ok");
    for path in ["/health/ready", "/health"] {
        let health = app.json(path).await;
        assert_eq!(health["status"], "ok");
        assert_eq!(health["service"], "notes");
        assert_eq!(health["checks"]["tables"], "ok");
        assert_eq!(health["checks"]["keys"], "ok");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_tables_it_lives_and_is_not_ready() {
    let app = Started::usual().await;
    let client = app.store.client();
    client
        .update_table()
        .table_name("notes")
        .deletion_protection_enabled(false)
        .send()
        .await
        .unwrap();
    client
        .delete_table()
        .table_name("notes")
        .send()
        .await
        .unwrap();
    // What was found a moment ago is said again for a second.
    let mut ready = app.get("/health/ready").send().await;
    while ready.status == 200 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        ready = app.get("/health/ready").send().await;
    }
    assert_eq!(ready.status, 503);
    assert_eq!(ready.json()["status"], "failing");
    assert_eq!(ready.json()["checks"]["tables"], "failing");
    assert!(
        !ready.text().contains("ResourceNotFound"),
        "why is in the log"
    );
    assert_eq!(app.get("/health/live").send().await.status, 200);
    assert_eq!(app.get("/health").send().await.status, 200);
    // And requests that need them are answered as our failure.
    let reply = app
        .send(app.get("/api/v1/notes").token(&app.token("ada")))
        .await;
    reply.problem(500, "internal");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_told_to_end_is_not_ready_and_still_answers() {
    let mut app = Started::with(sources().variable("TABLEWRIGHT_SHUTDOWN_DELAY", "10s")).await;
    app.stop();
    let mut ready = app.get("/health/ready").send().await;
    while ready.status == 200 {
        tokio::time::sleep(Duration::from_millis(20)).await;
        ready = app.get("/health/ready").send().await;
    }
    assert_eq!(ready.json()["status"], "ending");
    app.ended().await;
}
