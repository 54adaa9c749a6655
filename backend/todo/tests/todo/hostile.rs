//! Delimiters and control characters in every text.

use serde_json::json;

use crate::support::{Api, Asks as _, Made as _};

const TEXTS: [&str; 20] = [
    "#",
    "a",
    "a#",
    "a#b",
    "a#b#",
    "#a",
    "%23",
    "a%23b",
    "\\",
    "\\#",
    "a\\#b",
    "TASK#",
    "none",
    "null",
    "'; DROP TABLE x; --",
    "<script>alert(1)</script>",
    "\u{202e}desrever",
    "👩‍💻",
    "\u{ffff}",
    "é",
];

/// C0-3, C0-9: what a user writes can be looked up as it is, and is taken for nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn texts_are_kept_and_found_as_they_are() {
    let api = Api::start().await;
    let ada = api.person("ada");
    for text in TEXTS {
        let made = ada
            .post(
                "/tasks",
                json!({ "title": text, "description": text, "category": text }),
            )
            .await
            .expect(201);
        let read = ada.get(&format!("/tasks/{}", made.id())).await.expect(200);
        for field in ["title", "description", "category"] {
            assert_eq!(read.body[field], text);
        }
    }
    ada.task(json!({ "title": "without" })).await;
    for text in TEXTS {
        let encoded: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        assert_eq!(
            ada.titles(&format!("/tasks?category={encoded}")).await,
            [text]
        );
        // Found by filter as by key.
        assert_eq!(
            ada.titles(&format!("/tasks?category={encoded}&sort=status"))
                .await,
            [text]
        );
    }
    assert_eq!(ada.titles("/tasks?sort=category").await.len(), TEXTS.len());
    api.agrees().await;
}

/// C0-3: in whatever form it is typed, a category is one.
#[tokio::test]
async fn a_category_has_one_normal_form() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let made = ada
        .post(
            "/tasks",
            json!({ "title": "composed", "category": "Cafe\u{301}" }),
        )
        .await
        .expect(201);
    assert_eq!(made.body["category"], "Caf\u{e9}");
    for typed in ["Caf%C3%A9", "Cafe%CC%81"] {
        assert_eq!(
            ada.titles(&format!("/tasks?category={typed}")).await,
            ["composed"],
            "{typed}"
        );
    }
    let bulk = json!({ "status": "completed", "filter": { "category": "Cafe\u{301}" } });
    assert_eq!(
        ada.post("/tasks/bulk/status", bulk).await.expect(200).body["changed"],
        1
    );
}

#[tokio::test]
async fn control_characters_are_refused_in_every_text() {
    let api = Api::start().await;
    let ada = api.person("ada");
    for letter in ['\0', '\u{1}', '\u{1b}', '\u{7f}', '\u{9f}'] {
        let text = format!("a{letter}b");
        for field in ["title", "description", "category"] {
            let mut body = json!({ "title": "x" });
            body[field] = json!(text);
            ada.post("/tasks", body)
                .await
                .problem(422, "invalid")
                .about(field);
        }
        ada.put("/users/me", json!({ "name": text }))
            .await
            .problem(422, "invalid")
            .about("name");
        let encoded: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        ada.get(&format!("/tasks?category={encoded}"))
            .await
            .problem(400, "malformed")
            .about("category");
        ada.get(&format!("/tasks/search?q={encoded}"))
            .await
            .problem(400, "malformed")
            .about("q");
        let filter = json!({ "status": "completed", "filter": { "category": text } });
        ada.post("/tasks/bulk/status", filter)
            .await
            .problem(422, "invalid")
            .about("filter.category");
    }
    // A line break belongs into a description, and nowhere else.
    ada.post("/tasks", json!({ "title": "a\nb" }))
        .await
        .problem(422, "invalid")
        .about("title");
    ada.post("/tasks", json!({ "title": "x", "description": "a\nb" }))
        .await
        .expect(201);
}

/// S0-9, C0-3: subjects that nearly meet in a key are different people, and the delimiter of keys is in none.
#[tokio::test]
async fn people_with_delimiters_in_their_names_never_meet() {
    let api = Api::start().await;
    let names = [
        "a", "a:", "a:b", ":a", "a|b", "a/b", "a~b", "a=b", "ab", "TASK:a", "METADATA",
    ];
    for name in names {
        api.person(name).put("/users/me", json!({ "email": format!("{}@example.org", name.len() * 31 + usize::from(name.as_bytes()[0])), "name": name })).await;
        api.person(name).task(json!({ "title": name, "category": "b", "priority": "low", "due_date": "2020-01-01" })).await;
    }
    for name in names {
        let somebody = api.person(name);
        for list in [
            "/tasks",
            "/tasks?status=pending",
            "/tasks?sort=priority",
            "/tasks?category=b",
            "/tasks?overdue=true",
            "/tasks?sort=due_date",
            "/tasks/search?q=a",
        ] {
            let titles = somebody.titles(list).await;
            assert!(
                titles.iter().all(|title| title == name),
                "{name} sees {titles:?}"
            );
        }
        assert_eq!(
            somebody.get("/stats/tasks").await.expect(200).body["total"],
            1
        );
    }
    for name in ["a#b", "#a", "a%23b", "a\\b", "a b", "a\u{0}b", "ä"] {
        api.person(name)
            .get("/tasks")
            .await
            .problem(401, "unauthenticated");
    }
    api.agrees().await;
}

/// A list where an object belongs is not taken for the object's values in some order, however deep it stands.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_no_filter_and_a_number_no_status() {
    let api = Api::start().await;
    let ada = api.person("ada");
    ada.task(json!({ "title": "stays" })).await;
    for filter in [json!([]), json!([["pending"]]), json!("pending"), json!(7)] {
        let asked = json!({ "status": "completed", "filter": filter });
        let refused = ada.post("/tasks/bulk/status", asked).await;
        refused.problem(422, "invalid").about("filter");
    }
    for status in [json!(5), json!(true), json!({ "pending": null }), json!([])] {
        let refused = ada
            .post("/tasks", json!({ "title": "a", "status": status }))
            .await;
        refused.problem(422, "invalid").about("status");
    }
    let refused = ada
        .post("/tasks/bulk/delete-completed", json!({ "dry_run": true }))
        .await;
    refused.expect(422);
    assert_eq!(ada.titles("/tasks?status=pending").await, ["stays"]);
}

/// What is said a thousand times is meant once.
#[tokio::test(flavor = "multi_thread")]
async fn repeated_words_fit_into_a_condition() {
    let api = Api::start().await;
    let ada = api.person("ada");
    ada.task(json!({ "title": "one", "category": "x" })).await;
    let filter = json!({ "category": "x", "status": vec!["pending"; 1000] });
    let changed = ada
        .post(
            "/tasks/bulk/status",
            json!({ "status": "completed", "filter": filter }),
        )
        .await;
    assert_eq!(changed.expect(200).body["changed"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn accents_alone_are_no_words() {
    let api = Api::start().await;
    let ada = api.person("ada");
    ada.task(json!({ "title": "one" })).await;
    for none in ["%CC%81", "%20", "%CC%81%20%CC%88"] {
        let refused = ada.get(&format!("/tasks/search?q={none}")).await;
        refused.problem(400, "malformed").about("q");
    }
}
