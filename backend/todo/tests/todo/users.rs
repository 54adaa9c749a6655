//! The caller themselves.

use std::time::Duration;

use http::Method;
use serde_json::json;
use tablewright_service::Person;

use crate::support::{Api, Asks as _, With};

/// S0-2, S0-15
#[tokio::test]
async fn a_user_is_who_they_say_they_are() {
    let api = Api::start().await;
    let ada = api.person("ada");
    ada.get("/users/me").await.problem(404, "not-found");
    // What is not said is in the token.
    let made = ada
        .put("/users/me", json!({ "name": "Ada" }))
        .await
        .expect(201);
    assert_eq!(
        (
            &made.body["user_id"],
            &made.body["email"],
            &made.body["name"]
        ),
        (&json!("ada"), &json!("ada@example.org"), &json!("Ada"))
    );
    assert_eq!(made.header("location"), Some("/api/v1/users/me"));
    let read = ada.get("/users/me").await.expect(200);
    assert_eq!((&read.body, read.etag()), (&made.body, made.etag()));
    let changed = ada
        .put("/users/me", json!({ "name": "Ada Lovelace" }))
        .await
        .expect(200);
    assert_eq!(
        (&changed.body["name"], &changed.body["created_at"]),
        (&json!("Ada Lovelace"), &made.body["created_at"])
    );
    ada.send(
        Method::PUT,
        "/users/me",
        Some(json!({ "name": "x" })),
        &[("if-match", made.etag())],
    )
    .await
    .problem(412, "precondition-failed")
    .about("If-Match");
    api.agrees().await;
}

/// S0-10, C0-21: an address belongs to one user, is freed when it changes, and moves in one transaction.
#[tokio::test]
async fn an_address_belongs_to_one_user() {
    let api = Api::start().await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    ada.put(
        "/users/me",
        json!({ "email": "Mail@Example.org", "name": "Ada" }),
    )
    .await
    .expect(201);
    bob.put(
        "/users/me",
        json!({ "email": "mail@example.org", "name": "Bob" }),
    )
    .await
    .problem(409, "taken")
    .about("email");
    bob.get("/users/me").await.problem(404, "not-found");
    ada.put("/users/me", json!({ "email": "new@example.org" }))
        .await
        .expect(200);
    bob.put(
        "/users/me",
        json!({ "email": "mail@example.org", "name": "Bob" }),
    )
    .await
    .expect(201);
    ada.put("/users/me", json!({ "email": "mail@example.org" }))
        .await
        .problem(409, "taken")
        .about("email");
    ada.delete("/users/me").await.expect(204);
    bob.put("/users/me", json!({ "email": "new@example.org" }))
        .await
        .expect(200);
    api.agrees().await;
}

/// S0-10: where only verified addresses are taken, nobody takes another's.
#[tokio::test]
async fn nobody_says_that_the_address_of_another_is_theirs() {
    let settings = vec![("TABLEWRIGHT_VERIFIED_ADDRESSES", String::from("true"))];
    let api = Api::start_with(With {
        settings,
        ..With::default()
    })
    .await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    let me = "/users/me";
    let taken = json!({ "email": "bob@example.org" });
    ada.put(me, taken.clone())
        .await
        .problem(403, "forbidden")
        .about("email");
    ada.put(me, json!({ "email": "ADA@example.org" }))
        .await
        .expect(201);
    ada.put(me, taken)
        .await
        .problem(403, "forbidden")
        .about("email");
    bob.put(me, json!({})).await.expect(201);
    let nameless = Person {
        sub: "eve".into(),
        ..Person::default()
    };
    let eve = api.bearer(Some(api.issuer.token(&nameless, Duration::from_secs(60))));
    eve.put(me, json!({ "email": "eve@example.org" }))
        .await
        .problem(403, "forbidden");
    api.agrees().await;
}

/// S0-10: an address that looks like another is that one.
#[tokio::test]
async fn an_address_has_one_form() {
    let api = Api::start().await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    let me = "/users/me";
    ada.put(me, json!({ "email": "jos\u{e9}@example.org" }))
        .await
        .expect(201);
    let told = bob
        .put(me, json!({ "email": "jose\u{301}@example.org" }))
        .await;
    told.problem(409, "taken").about("email");
}

/// S0-10: an address of the token is checked, and has the one form, as one that is said.
#[tokio::test]
async fn an_address_of_the_token_is_as_one_that_is_said() {
    let me = "/users/me";
    let known = |api: &Api, sub: &str, email: &str| {
        let person = Person {
            sub: sub.into(),
            email: Some(email.into()),
            ..Person::default()
        };
        api.bearer(Some(api.issuer.token(&person, Duration::from_secs(60))))
    };
    let api = Api::start().await;
    let (ada, bob) = (
        known(&api, "ada", "jose\u{301}@x.org"),
        known(&api, "bob", "JOS\u{c9}@x.org"),
    );
    let made = ada.put(me, json!({})).await.expect(201);
    assert_eq!(made.body["email"], "jos\u{e9}@x.org");
    bob.put(me, json!({}))
        .await
        .problem(409, "taken")
        .about("email");
    for email in ["a@x..org", "a@x.org\u{200b}", "a"] {
        let eve = known(&api, "eve", email);
        eve.put(me, json!({}))
            .await
            .problem(422, "invalid")
            .about("email");
        eve.get(me).await.problem(404, "not-found");
    }
    // Where only verified addresses are taken, who says the one of their token says what is known.
    let settings = vec![("TABLEWRIGHT_VERIFIED_ADDRESSES", String::from("true"))];
    let api = Api::start_with(With {
        settings,
        ..With::default()
    })
    .await;
    let ada = known(&api, "ada", "jose\u{301}@x.org");
    for (said, status) in [("jose\u{301}@x.org", 201), ("jos\u{e9}@x.org", 200)] {
        ada.put(me, json!({ "email": said })).await.expect(status);
    }
    api.agrees().await;
}

/// S0-48
#[tokio::test]
async fn what_a_user_cannot_be_is_refused() {
    let api = Api::start().await;
    let ada = api.person("ada");
    for (body, field) in [
        (json!({ "email": "no address" }), "email"),
        (json!({ "email": "" }), "email"),
        (json!({ "email": "a@b\n.org" }), "email"),
        (json!({ "email": "a@x..org" }), "email"),
        (json!({ "email": ".a@x.org" }), "email"),
        (json!({ "name": "" }), "name"),
        (json!({ "name": "x".repeat(101) }), "name"),
        (json!({ "name": "a\u{0}" }), "name"),
        (json!({ "user_id": "bob" }), "user_id"),
    ] {
        ada.put("/users/me", body)
            .await
            .problem(422, "invalid")
            .about(field);
    }
    ada.get("/users/me").await.problem(404, "not-found");
    let nobody = api.issuer.token(
        &tablewright_service::Person {
            sub: "nobody".into(),
            ..Default::default()
        },
        std::time::Duration::from_secs(60),
    );
    api.bearer(Some(nobody))
        .put("/users/me", json!({}))
        .await
        .problem(422, "invalid")
        .about("email");
}

/// C0-22: with a user go their tasks, their counts and the guard of their address; others keep theirs.
#[tokio::test]
async fn a_user_who_leaves_leaves_nothing() {
    let api = Api::start().await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    for person in [&ada, &bob] {
        person.put("/users/me", json!({})).await.expect(201);
        for number in 0..130 {
            person
                .task(json!({ "title": format!("task {number}"), "priority": "high" }))
                .await;
        }
    }
    ada.delete("/users/me").await.expect(204);
    assert_eq!(ada.titles("/tasks").await.len(), 0);
    assert_eq!(ada.get("/stats/tasks").await.expect(200).body["total"], 0);
    ada.get("/users/me").await.problem(404, "not-found");
    ada.delete("/users/me").await.problem(404, "not-found");
    assert_eq!(bob.get("/stats/tasks").await.expect(200).body["total"], 130);
    // Nothing of hers is left in the table.
    let report = todo::check::check(&api.app).await.unwrap();
    assert_eq!(
        (report.users, report.tasks, report.faults.len()),
        (1, 130, 0),
        "{report}"
    );
    // She may come back.
    ada.put("/users/me", json!({})).await.expect(201);
    ada.task(json!({ "title": "again" })).await;
    api.agrees().await;
}

/// C0-22: without tasks, or without having said who they are, a user can leave too.
#[tokio::test]
async fn whoever_has_only_some_of_it_can_leave() {
    let api = Api::start().await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    ada.put("/users/me", json!({})).await.expect(201);
    ada.delete("/users/me").await.expect(204);
    bob.task(json!({ "title": "x" })).await;
    let key = [("idempotency-key", "leave")];
    bob.send(Method::DELETE, "/users/me", None, &key)
        .await
        .expect(204);
    let again = bob
        .send(Method::DELETE, "/users/me", None, &key)
        .await
        .expect(204);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(bob.titles("/tasks").await.len(), 0);
    let report = todo::check::check(&api.app).await.unwrap();
    assert_eq!((report.users, report.faults.len()), (0, 0), "{report}");
}

/// C0-22: a deletion that broke off half way is taken up by the next request.
#[tokio::test]
async fn leaving_can_be_taken_up_again() {
    let api = Api::start().await;
    let ada = api.person("ada");
    ada.put("/users/me", json!({})).await.expect(201);
    for number in 0..30 {
        ada.task(json!({ "title": format!("{number}") })).await;
    }
    // As if the process had ended after some tasks.
    let tasks = ada.pages("/tasks", 30).await.remove(0);
    for task in &tasks[..11] {
        let key =
            todo::model::TaskKey::new("ada", task["task_id"].as_str().unwrap().parse().unwrap());
        api.todo.tasks.delete_task(&key, None).await.unwrap();
    }
    let key = [("idempotency-key", "leave")];
    ada.send(Method::DELETE, "/users/me", None, &key)
        .await
        .expect(204);
    let again = ada
        .send(Method::DELETE, "/users/me", None, &key)
        .await
        .expect(204);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let report = todo::check::check(&api.app).await.unwrap();
    assert_eq!(
        (report.users, report.tasks, report.faults.len()),
        (0, 0, 0),
        "{report}"
    );
}

/// Who means another version of the user deletes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_user_is_deleted_in_the_version_that_is_meant() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let made = ada
        .put(
            "/users/me",
            json!({ "email": "ada@example.org", "name": "Ada" }),
        )
        .await
        .expect(201);
    ada.task(json!({ "title": "stays" })).await;
    let delete = async |tag: &str| {
        let meant = [("if-match", tag)];
        ada.send(Method::DELETE, "/users/me", None, &meant).await
    };
    delete("\"nope\"").await.expect(412);
    assert_eq!(ada.titles("/tasks").await, ["stays"]);
    delete(made.etag()).await.expect(204);
    ada.get("/users/me").await.expect(404);
}
