//! Versions, tags, pages: the answers of an ordinary day.

use serde_json::{Value, json};

use crate::started::Started;

const NOTES: &str = "/api/v1/notes";

#[tokio::test(flavor = "multi_thread")]
async fn a_note_is_written_read_changed_and_deleted() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    let (note, written) = app.note(&ada, "first").await;
    let first = written.header("etag").unwrap().to_owned();
    let read = app.send(app.get(&note).token(&ada)).await;
    assert_eq!(read.header("etag"), Some(first.as_str()));
    assert_eq!(read.json(), written.json());

    // Whoever has it gets no copy.
    let again = app.get(&note).token(&ada).header("If-None-Match", &first);
    assert_eq!(app.send(again).await.status, 304);

    let change = |tag: &str, stars: i64| {
        let ask = app
            .ask("PATCH", &note)
            .token(&ada)
            .json(&json!({ "stars": stars }));
        ask.header("If-Match", tag)
    };
    let changed = app.send(change(&first, 1)).await;
    assert_eq!(changed.json()["stars"], 1);
    let second = changed.header("etag").unwrap().to_owned();
    assert_ne!(first, second);

    let stale = app.send(change(&first, 2)).await;
    assert_eq!(stale.fault(412, "precondition-failed").0, "If-Match");
    assert_eq!(app.send(change("W/\"1\"", 2)).await.status, 412);
    assert_eq!(
        app.send(change("nonsense", 2))
            .await
            .fault(400, "malformed")
            .0,
        "If-Match"
    );
    assert_eq!(app.send(change("*", 5)).await.json()["stars"], 5);
    app.send(change("*", 2)).await.problem(409, "sealed");

    let deleted = app.send(app.ask("DELETE", &note).token(&ada)).await;
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    app.send(app.ask("DELETE", &note).token(&ada))
        .await
        .problem(404, "not-found");
}

/// S0-46
#[tokio::test(flavor = "multi_thread")]
async fn of_many_changes_with_one_tag_one_is_made() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    let (note, written) = app.note(&ada, "contended").await;
    let tag = written.header("etag").unwrap();
    let changes = (0..20).map(|number| {
        let ask = app.ask("PATCH", &note).token(&ada).header("If-Match", tag);
        ask.json(&json!({ "text": format!("change {number}") }))
            .send_owned()
    });
    let replies = futures_util::future::join_all(changes).await;
    let count = |status: u16| {
        replies
            .iter()
            .filter(|reply| reply.status == status)
            .count()
    };
    assert_eq!(count(200), 1);
    assert_eq!(count(412) + count(409), 19);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_follow_each_other_and_belong_to_their_caller() {
    let app = Started::usual().await;
    let (ada, bob) = (app.token("ada"), app.token("bob"));
    for number in 0..5 {
        app.note(&ada, &format!("note {number}")).await;
    }
    let mut path = format!("{NOTES}?limit=2");
    let mut texts: Vec<String> = Vec::new();
    let mut sizes = Vec::new();
    loop {
        let page = app.send(app.get(&path).token(&ada)).await.json();
        let items = page["items"].as_array().unwrap();
        sizes.push(items.len());
        texts.extend(
            items
                .iter()
                .map(|item| item["text"].as_str().unwrap().to_owned()),
        );
        let Value::String(cursor) = &page["next_cursor"] else {
            assert_eq!(page["next_cursor"], Value::Null);
            break;
        };
        path = format!("{NOTES}?limit=2&cursor={cursor}");
        let stolen = app.send(app.get(&path).token(&bob)).await;
        stolen.problem(400, "bad-cursor");
        let changed = format!("{NOTES}?limit=2&cursor=A{}", &cursor[1..]);
        if !cursor.starts_with('A') {
            app.send(app.get(&changed).token(&ada))
                .await
                .problem(400, "bad-cursor");
        }
    }
    assert_eq!(sizes, [2, 2, 1]);
    texts.sort();
    assert_eq!(texts, ["note 0", "note 1", "note 2", "note 3", "note 4"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_tell_browsers_to_be_careful() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    for reply in [
        app.send(app.get("/api/v1/me").token(&ada)).await,
        app.send(app.get("/api/v1/me")).await,
        app.get("/nowhere").send().await,
    ] {
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{reply:?}");
        }
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert_eq!(
            reply.header("strict-transport-security"),
            None,
            "this is loopback"
        );
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_elsewhere_may_call_only_if_they_are_named() {
    let origins = "https://app.example.org,http://localhost:3000";
    let sources = crate::started::sources().variable("TABLEWRIGHT_CORS_ORIGINS", origins);
    let app = Started::with(sources).await;
    let preflight = |origin: &str| {
        let ask = app.ask("OPTIONS", NOTES).header("Origin", origin);
        ask.header("Access-Control-Request-Method", "POST")
            .header(
                "Access-Control-Request-Headers",
                "authorization,idempotency-key",
            )
            .send_owned()
    };
    let allowed = preflight("https://app.example.org").await;
    assert_eq!(allowed.status, 200);
    let header = |name: &str| {
        allowed
            .header(name)
            .unwrap_or_default()
            .to_ascii_lowercase()
    };
    assert_eq!(
        header("access-control-allow-origin"),
        "https://app.example.org"
    );
    assert!(header("access-control-allow-methods").contains("patch"));
    assert!(header("access-control-allow-headers").contains("idempotency-key"));
    for other in [
        "https://evil.example",
        "https://app.example.org.evil.example",
        "null",
    ] {
        assert_eq!(
            preflight(other).await.header("access-control-allow-origin"),
            None,
            "{other}"
        );
    }
    // A refusal can be read as well, or a page could not tell its user.
    let refused = app
        .get("/api/v1/me")
        .header("Origin", "http://localhost:3000")
        .send()
        .await;
    refused.problem(401, "unauthenticated");
    assert_eq!(
        refused.header("access-control-allow-origin"),
        Some("http://localhost:3000")
    );
    assert!(
        refused
            .header("access-control-expose-headers")
            .unwrap()
            .contains("x-request-id")
    );
}
