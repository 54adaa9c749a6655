//! Who people are, and whether they may do anything.

use serde_json::json;
use tablewright_service::Person;
use tasks::rules::Domains;

use crate::support::{Api, Asks as _, person};

/// S1-8, S1-13, C1-23
#[tokio::test(flavor = "multi_thread")]
async fn a_profile_is_made_at_first_sight_and_follows_the_token() {
    let api = Api::start().await;
    let ada = api.person("ada", "Members");
    let me = ada.get("/users/me").await.expect(200).body;
    assert_eq!(me["userId"], "ada");
    assert_eq!(me["email"], "ada@amalitech.com");
    assert_eq!(me["userStatus"], "ACTIVE");
    assert_eq!(me["groups"], json!(["Members"]));

    // Promoted, with a name and another address.
    let promoted = api.token(&Person {
        email: Some("ada.lovelace@amalitech.com".into()),
        name: Some("Ada".into()),
        ..person("ada", "Admins")
    });
    let me = promoted.get("/users/me").await.expect(200).body;
    assert_eq!(me["groups"], json!(["Admins"]));
    assert_eq!(
        (&me["name"], &me["email"]),
        (&json!("Ada"), &json!("ada.lovelace@amalitech.com"))
    );
    let listed = promoted.get("/users").await.expect(200).body;
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);

    // A token without these says nothing about them.
    let bare = api.token(&Person {
        email: None,
        ..person("ada", "Admins")
    });
    let me = bare.get("/users/me").await.expect(200).body;
    assert_eq!(
        (&me["name"], &me["email"]),
        (&json!("Ada"), &json!("ada.lovelace@amalitech.com"))
    );

    // The address she had is free again.
    let other = api.token(&Person {
        sub: "other".into(),
        ..person("ada", "Members")
    });
    other.get("/users/me").await.expect(200);
}

/// The first requests of somebody may come at the same moment.
#[tokio::test(flavor = "multi_thread")]
async fn many_first_requests_make_one_profile() {
    let api = Api::start().await;
    let ada = api.person("ada", "Members");
    let answers = futures_util::future::join_all((0..40).map(|_| ada.get("/users/me"))).await;
    for answer in answers {
        answer.expect(200);
    }
    let admin = api.admin("456").await;
    let listed = admin.get("/users").await.expect(200).body;
    assert_eq!(listed["items"].as_array().unwrap().len(), 2);
}

/// C1-12: an address is one person's, however it is written.
#[tokio::test(flavor = "multi_thread")]
async fn two_people_cannot_have_one_address() {
    let api = Api::start().await;
    api.member("ada").await;
    let thief = api.token(&Person {
        sub: "thief".into(),
        email: Some("ADA@amalitech.com".into()),
        ..Person::default()
    });
    let refused = thief.get("/users/me").await.problem(409, "taken");
    assert_eq!(refused.body["errors"][0]["field"], "email");
    thief.get("/tasks").await.problem(409, "taken");
    // Somebody who is known keeps the address they have.
    let bob = api.member("bob").await;
    bob.get("/users/me").await.expect(200);
    let greedy = api.token(&Person {
        email: Some("ada@amalitech.com".into()),
        ..person("bob", "Members")
    });
    let me = greedy.get("/users/me").await.expect(200).body;
    assert_eq!(me["email"], "bob@amalitech.com");
}

/// Somebody who was made anew at the issuer has another subject and the same address.
#[tokio::test(flavor = "multi_thread")]
async fn an_admin_frees_the_address_of_who_is_deactivated() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let before = api.member("ada").await;
    let anew = api.token(&Person {
        sub: "ada-anew".into(),
        ..person("ada", "Members")
    });
    anew.get("/users/me").await.problem(409, "taken");
    let free = async |user: &str| {
        let path = format!("/users/{user}/email");
        admin.send(http::Method::DELETE, &path, None, &[]).await
    };
    free("ada").await.problem(409, "refused");
    free("nobody").await.problem(404, "not-found");
    let own = free("456").await;
    assert!(own.text.contains("their own address"), "{}", own.text);
    own.problem(409, "refused");
    admin.user_status("ada", "DEACTIVATED").await.expect(200);
    anew.get("/users/me").await.problem(409, "taken");

    let freed = free("ada").await.expect(200).body;
    assert_eq!(freed["userStatus"], "DEACTIVATED");
    let nowhere = freed["email"].as_str().unwrap().to_owned();
    assert!(nowhere.ends_with("@released.invalid"), "{nowhere}");
    assert_eq!(free("ada").await.expect(200).body["email"], nowhere);
    // Who was deactivated does not come back with it.
    before.get("/users/me").await.problem(403, "deactivated");
    let me = anew.get("/users/me").await.expect(200).body;
    assert_eq!(me["userId"], "ada-anew");
    assert_eq!(me["email"], "ada@amalitech.com");
    // Nor when they are let in again: the address is another's now.
    admin.user_status("ada", "ACTIVE").await.expect(200);
    let me = before.get("/users/me").await.expect(200).body;
    assert_eq!(me["email"], nowhere);
}

/// Who is known gets mail: an address to which none can be sent is no address to be known by.
#[tokio::test(flavor = "multi_thread")]
async fn an_address_no_mail_can_be_sent_to_is_refused_at_first_sight() {
    let api = Api::start().await;
    let long = format!("{}@amalitech.com", "a".repeat(70));
    for email in ["a..b@amalitech.com", "a,b@amalitech.com", &long] {
        let caller = api.token(&Person {
            email: Some(email.to_owned()),
            ..person("ada", "Members")
        });
        let refused = caller.get("/users/me").await;
        refused.problem(403, "address-refused");
    }
    assert!(api.stored::<tasks::model::User>().await.is_empty());
    // Who is known keeps the address they have.
    api.member("ada").await;
    let moved = api.token(&Person {
        email: Some("a..b@amalitech.com".into()),
        ..person("ada", "Members")
    });
    let me = moved.get("/users/me").await.expect(200).body;
    assert_eq!(me["email"], "ada@amalitech.com");
}

/// S1-51
#[tokio::test(flavor = "multi_thread")]
async fn people_come_with_an_address_in_a_permitted_domain() {
    let domains = Domains::named("amalitech.com,amalitechtraining.org").unwrap();
    let api = Api::for_domains(domains).await;
    api.member("ada").await;
    let with = |sub: &str, email: Option<&str>| {
        api.token(&Person {
            sub: sub.to_owned(),
            email: email.map(str::to_owned),
            groups: vec!["Admins".into()],
            ..Person::default()
        })
    };
    with("a", Some("a@amalitechtraining.org"))
        .get("/users/me")
        .await
        .expect(200);
    for (sub, email) in [
        ("b", Some("b@example.org")),
        ("c", Some("c@amalitech.com.evil.org")),
        ("d", None),
        ("e", Some("no address")),
    ] {
        let caller = with(sub, email);
        for path in ["/users/me", "/tasks", "/users"] {
            caller.get(path).await.problem(403, "address-refused");
        }
        let refused = caller.post("/tasks", json!({ "title": "x" })).await;
        refused.problem(403, "address-refused");
    }
    let admin = with("a", None);
    let listed = admin.get("/users").await.expect(200).body;
    assert_eq!(
        listed["items"].as_array().unwrap().len(),
        2,
        "nobody else was made"
    );
}

/// C1-17: from the next request on, whatever the token says.
#[tokio::test(flavor = "multi_thread")]
async fn a_deactivated_user_is_refused_at_once() {
    let api = Api::start().await;
    let (admin, ada) = (api.admin("456").await, api.member("ada").await);
    let id = admin.task("Fix bug").await;
    admin.assign(&id, "ada").await.expect(200);
    let gone = admin.user_status("ada", "DEACTIVATED").await.expect(200);
    assert_eq!(gone.body["userStatus"], "DEACTIVATED");
    ada.status(&id, "IN_PROGRESS")
        .await
        .problem(403, "deactivated");
    ada.get("/users/me").await.problem(403, "deactivated");
    // A new token does not help, nor does another group.
    let promoted = api.person("ada", "Admins");
    promoted.get("/users").await.problem(403, "deactivated");

    let active = admin.get("/users?status=ACTIVE").await.expect(200).body;
    assert_eq!(active["items"].as_array().unwrap().len(), 1);
    let gone = admin
        .get("/users?status=DEACTIVATED")
        .await
        .expect(200)
        .body;
    assert_eq!(gone["items"][0]["userId"], "ada");

    // To say it twice changes nothing.
    admin.user_status("ada", "DEACTIVATED").await.expect(200);
    admin.user_status("ada", "ACTIVE").await.expect(200);
    ada.status(&id, "IN_PROGRESS").await.expect(200);

    admin
        .user_status("nobody", "DEACTIVATED")
        .await
        .problem(404, "not-found");
    admin
        .user_status("ada", "AWAY")
        .await
        .problem(400, "malformed");
    // An admin stays.
    admin
        .user_status("456", "DEACTIVATED")
        .await
        .problem(409, "refused");
}
