//! The numbers of the process.

use tablewright_service::{Server, Settings};

use crate::app::ABOUT;
use crate::client::Ask;
use crate::started::{Started, sources};

/// The value of a number with these labels.
fn value(text: &str, name: &str, labels: &[&str]) -> f64 {
    let fits = |line: &&str| {
        let named = line.starts_with(&format!("{name}{{")) || line.starts_with(&format!("{name} "));
        named && labels.iter().all(|label| line.contains(label))
    };
    let lines = text.lines().filter(fits);
    lines
        .map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap())
        .sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_and_the_units_of_every_pattern_are_counted() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    let read = || async {
        let reply = app.get("/metrics").send().await;
        assert!(
            reply
                .header("content-type")
                .unwrap()
                .starts_with("text/plain")
        );
        reply.text()
    };
    // Other tests count in the same process: what is measured is what was added at least.
    let before = read().await;
    for seldom in ["tablewright_throttles_total", "tablewright_conflicts_total"] {
        let nothing = |line: &str| line.starts_with(seldom) && line.contains("pattern=\"none\"");
        assert!(before.lines().any(nothing), "{seldom} begins with nothing");
    }
    let (note, _) = app.note(&ada, "counted").await;
    let once = app.ask("POST", "/api/v1/notes").token(&ada);
    let once = once.json(&serde_json::json!({ "text": "counted" }));
    app.send(once.header("Idempotency-Key", "k")).await;
    for _ in 0..3 {
        app.send(app.get(&note).token(&ada)).await;
    }
    app.send(app.get("/api/v1/me")).await;
    let after = read().await;
    let added =
        |name: &str, labels: &[&str]| value(&after, name, labels) - value(&before, name, labels);
    let route = "route=\"/api/v1/notes/{note_id}\"";
    assert!(
        added(
            "service_requests_total",
            &[route, "method=\"GET\"", "status=\"200\""]
        ) >= 3.0
    );
    assert!(
        added(
            "service_requests_total",
            &["route=\"/api/v1/me\"", "status=\"401\""]
        ) >= 1.0
    );
    assert!(
        added(
            "service_request_seconds_count",
            &[route, "service=\"notes\""]
        ) >= 3.0
    );
    assert!(
        after.contains("service_request_seconds_bucket"),
        "it is a histogram"
    );
    // The model's budget: half a unit for each of three reads.
    let units = added(
        "tablewright_capacity_units_sum",
        &[
            "pattern=\"note\"",
            "operation=\"GetItem\"",
            "table=\"notes\"",
        ],
    );
    assert!(units >= 1.5, "{units}");
    // One unit for the note alone, and four for a note and its record in a transaction.
    let written = added(
        "tablewright_capacity_units_sum",
        &["pattern=\"write_note\""],
    );
    assert!(written >= 5.0, "{written}");
    assert!(
        after.contains("# HELP tablewright_capacity_units "),
        "{after}"
    );
    // What strangers make up does not become a label.
    app.ask("BREW", "/coffee").send().await;
    app.get("/no/such/place").send().await;
    let after = read().await;
    assert!(
        !after.contains("BREW") && !after.contains("coffee") && !after.contains("/no/such/place")
    );
    assert!(after.contains("method=\"OTHER\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_may_have_a_token_of_their_own() {
    let secret = "a secret for the numbers";
    let app = Started::with(sources().variable("TABLEWRIGHT_METRICS_TOKEN", secret)).await;
    app.get("/metrics")
        .send()
        .await
        .problem(401, "unauthenticated");
    app.get("/metrics")
        .token("another")
        .send()
        .await
        .problem(401, "unauthenticated");
    app.get("/metrics")
        .token(&app.token("ada"))
        .send()
        .await
        .problem(401, "unauthenticated");
    assert_eq!(app.get("/metrics").token(secret).send().await.status, 200);
}

/// A process that only follows changes serves nobody, and is looked after all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_serves_nobody_shows_its_numbers_where_it_is_told_to() {
    let settings = |sources| Settings::from_sources(&ABOUT, &[], &sources).unwrap();
    let silent = Server::of_numbers(&settings(sources())).await.unwrap();
    assert!(silent.is_none(), "nobody asked for it");
    let secret = "a secret for the numbers";
    let told = sources()
        .variable("TABLEWRIGHT_METRICS_ADDRESS", "127.0.0.1:0")
        .variable("TABLEWRIGHT_METRICS_TOKEN", secret);
    let server = Server::of_numbers(&settings(told)).await.unwrap().unwrap();
    let address = server.address();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(server.run(async { stopped.await.unwrap_or(()) }));
    metrics::gauge!("stream_lag_seconds", "consumer" => "shown").set(2.5);
    let get = |path: &str| Ask::new(address, "GET", path);
    get("/metrics").send().await.problem(401, "unauthenticated");
    let numbers = get("/metrics").token(secret).send().await.text();
    assert_eq!(
        value(&numbers, "stream_lag_seconds", &["consumer=\"shown\""]),
        2.5
    );
    assert_eq!(get("/health/live").send().await.status, 200);
    assert_eq!(get("/docs").send().await.status, 404);
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}
