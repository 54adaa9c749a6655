//! Every refusal is a problem that names the field and the reason, and nothing is written.

use serde_json::json;

use crate::started::Started;

const NOTES: &str = "/api/v1/notes";

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_cannot_be_used_name_the_field_and_the_reason() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    let post = |body: &str| {
        app.ask("POST", NOTES)
            .token(&ada)
            .header("Content-Type", "application/json")
            .body(body)
    };

    for nonsense in [
        "",
        "{",
        "{\"text\":\"a\"}}",
        "text=a",
        "{\"text\":\"\u{1}\"}",
    ] {
        let problem = app.send(post(nonsense)).await.problem(400, "malformed");
        assert!(
            problem["detail"].as_str().unwrap().contains("not JSON"),
            "{problem}"
        );
    }
    let broken = app
        .ask("POST", NOTES)
        .token(&ada)
        .header("Content-Type", "application/json");
    let reply = app.send(broken.body(b"{\"text\":\"\xff\"}".to_vec())).await;
    reply.problem(400, "malformed");
    for (body, field, reason) in [
        ("{}", "text", "missing"),
        ("[]", "body", "it must be an object, and this is a list"),
        (r#"["a",1]"#, "body", "this is a list"),
        (&"[".repeat(500), "body", "this is a list"),
        ("7", "body", "this is integer `7`"),
        ("null", "body", "this is null"),
        (r#"{"text":"a","":1}"#, "\"\"", "no such field"),
        (
            r#"{"text":7}"#,
            "text",
            "it must be a string, and this is integer `7`",
        ),
        (
            r#"{"text":"a","stars":"many"}"#,
            "stars",
            "it must be a whole number, and this is string \"many\"",
        ),
        (r#"{"text":"a","stars":1e30}"#, "stars", "a whole number"),
        (r#"{"text":"a","colour":"red"}"#, "colour", "no such field"),
        (r#"{"text":"a","text":"b"}"#, "text", "twice"),
        // What the model refuses.
        (r#"{"text":""}"#, "text", "1"),
        (r#"{"text":"a","stars":6}"#, "stars", "5"),
    ] {
        let (named, told) = app.send(post(body)).await.fault(422, "invalid");
        assert_eq!(named, field, "{body}");
        assert!(told.contains(reason), "{body}: {told}");
    }
    let echo = |body: &str| {
        app.ask("POST", "/api/v1/echo")
            .token(&ada)
            .header("Content-Type", "application/json")
            .body(body)
    };
    for (body, field) in [
        (
            r#"{"inner":[{"number":1},{"number":300}]}"#,
            "inner[1].number",
        ),
        (r#"{"inner":[{"number":1,"other":2}]}"#, "inner[0].other"),
        (r#"{"inner":[{}]}"#, "inner[0].number"),
    ] {
        assert_eq!(app.send(echo(body)).await.fault(422, "invalid").0, field);
    }
    assert_eq!(app.count(&ada).await, 0, "nothing was written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_must_say_that_it_is_json() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    let post = || app.ask("POST", NOTES).token(&ada).body(r#"{"text":"a"}"#);
    for other in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "multipart/form-data",
        "json",
    ] {
        let reply = app.send(post().header("Content-Type", other)).await;
        assert_eq!(reply.fault(415, "unsupported-media-type").0, "Content-Type");
    }
    app.send(post())
        .await
        .problem(415, "unsupported-media-type");
    assert_eq!(app.count(&ada).await, 0);
    for good in [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/merge-patch+json",
    ] {
        assert_eq!(
            app.send(post().header("Content-Type", good)).await.status,
            201
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_and_paths_that_cannot_be_read_name_the_parameter() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    for (query, field, reason) in [
        ("limit=0", "limit", "1 to 100"),
        ("limit=101", "limit", "1 to 100"),
        ("limit=-1", "limit", "1 to 100"),
        ("limit=ten", "limit", "1 to 100"),
        ("limit=", "limit", "1 to 100"),
        ("limit=5&limit=6", "limit", "twice"),
        ("lmit=5", "lmit", "no such parameter"),
    ] {
        let reply = app
            .send(app.get(&format!("{NOTES}?{query}")).token(&ada))
            .await;
        let (named, told) = reply.fault(400, "malformed");
        assert_eq!(named, field, "{query}");
        assert!(told.contains(reason), "{query}: {told}");
    }
    let reply = app
        .send(app.get(&format!("{NOTES}?cursor=%ff")).token(&ada))
        .await;
    reply.problem(400, "malformed");
    for id in [
        "1",
        "not-an-id",
        "%ff",
        "%00",
        "00000000000000000000000000000000",
    ] {
        let reply = app
            .send(app.get(&format!("{NOTES}/{id}")).token(&ada))
            .await;
        assert_eq!(reply.fault(400, "malformed").0, "note_id", "{id}");
    }
    let cursor = app
        .send(app.get(&format!("{NOTES}?cursor=abc")).token(&ada))
        .await;
    assert_eq!(cursor.fault(400, "bad-cursor").0, "cursor");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_said_in_the_same_form() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    app.get("/nowhere").send().await.problem(404, "not-found");
    app.get("/api/v1/nowhere")
        .send()
        .await
        .problem(404, "not-found");
    let reply = app.send(app.ask("PUT", NOTES).token(&ada)).await;
    let (field, reason) = reply.fault(405, "method-not-allowed");
    assert_eq!(
        (field.as_str(), reason.as_str()),
        ("method", "the address takes those of the header Allow")
    );
    assert_eq!(reply.header("allow"), Some("POST,GET,HEAD"));
    let reply = app
        .send(
            app.get(&format!("{NOTES}/01ARZ3NDEKTSV4RRFFQ69G5FAV"))
                .token(&ada),
        )
        .await;
    let problem = reply.problem(404, "not-found");
    assert_eq!(problem["detail"], "there is no such note");
    // What axum, or a handler, refuses in plain text.
    let teapot = app.get("/teapot").send().await;
    assert_eq!(teapot.status, 418);
    assert_eq!(teapot.json()["detail"], "short and stout");
    assert_eq!(teapot.json()["status"], 418);
    assert_eq!(teapot.json()["type"], "about:blank");
    // HEAD has the headers of GET and no body.
    let head = app.ask("HEAD", "/nowhere").send().await;
    assert_eq!((head.status, head.body.len()), (404, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_of_others_are_not_there() {
    let app = Started::usual().await;
    let (ada, bob) = (app.token("ada"), app.token("bob"));
    let (note, _) = app.note(&ada, "mine").await;
    app.send(app.get(&note).token(&bob))
        .await
        .problem(404, "not-found");
    let change = app
        .ask("PATCH", &note)
        .token(&bob)
        .json(&json!({ "stars": 1 }));
    app.send(change).await.problem(404, "not-found");
    app.send(app.ask("DELETE", &note).token(&bob))
        .await
        .problem(404, "not-found");
    assert_eq!(
        app.send(app.get(&note).token(&ada)).await.json()["stars"],
        0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_panics_is_our_mistake_and_nobody_elses() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    let panics = (0..5).map(|_| app.get("/api/v1/panic").token(&ada).send_owned());
    for reply in futures_util::future::join_all(panics).await {
        reply.problem(500, "internal");
        assert!(!reply.text().contains("secret"), "{}", reply.text());
    }
    assert_eq!(
        app.send(app.get("/api/v1/me").token(&ada)).await.status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_id_goes_through_and_a_bad_one_does_not() {
    let app = Started::usual().await;
    let reply = app
        .get("/nowhere")
        .header("X-Request-Id", "mine-1")
        .send()
        .await;
    assert_eq!(reply.problem(404, "not-found")["request_id"], "mine-1");
    let reply = app
        .get("/nowhere")
        .header("X-Request-Id", "two words")
        .send()
        .await;
    assert_eq!(reply.header("x-request-id").unwrap().len(), 36);
    let reply = app.get("/health/live").send().await;
    assert_eq!(reply.header("x-request-id").unwrap().len(), 36);
}

#[tokio::test(flavor = "multi_thread")]
async fn types_lead_to_pages_that_explain_them() {
    let app = Started::usual().await;
    let list = app.get("/problems").send().await;
    assert_eq!(
        list.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    for kind in tablewright_service::Kind::ALL {
        let slug = kind.slug;
        assert!(
            list.text().contains(&format!("/problems/{slug}\"")),
            "{slug}"
        );
        let page = app.get(&format!("/problems/{slug}")).send().await;
        assert_eq!(page.status, 200);
        assert!(page.text().contains(kind.title), "{slug}");
    }
    assert_eq!(
        app.get("/problems/sealed").send().await.status,
        200,
        "its own are there too"
    );
    app.get("/problems/none")
        .send()
        .await
        .problem(404, "not-found");
}
