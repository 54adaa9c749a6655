//! The routes of the page, as its script asks them. What is seen of it is tested in a browser.

use http::Method;
use serde_json::json;

use crate::support::{Api, Asks as _, Caller, Reply};

const FORM: [(&str, &str); 1] = [("content-type", "application/x-www-form-urlencoded")];

async fn form(caller: &Caller, path: &str, said: &str) -> Reply {
    let path = format!("~/page/tasks{path}");
    caller
        .send_text(Method::POST, &path, Some(said), &FORM)
        .await
}

async fn status(caller: &Caller, id: &str) -> String {
    let task = caller.get(&format!("/tasks/{id}")).await.expect(200);
    task.text_of("status").to_owned()
}

/// S0-48: who is told of a fault has written nothing; a place in the list that is none is no fault, and the list begins anew.
#[tokio::test]
async fn what_is_written_is_told_as_written() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let id = ada.task(json!({ "title": "old" })).await;
    for said in [
        "title=x&status=done",
        "title=x&sort=length",
        "title=x&q=%00",
        "title=x&tz=Mars",
        "title=%E9",
        "title=x&new_due=soon",
    ] {
        let told = form(&ada, "", said).await;
        assert!([400, 422].contains(&told.status), "{said}: {}", told.text);
        assert!(told.body["errors"][0]["field"].is_string(), "{}", told.text);
    }
    let long = format!("title=x&q={}", "q".repeat(201));
    form(&ada, "", &long)
        .await
        .problem(400, "malformed")
        .about("q");
    assert_eq!(ada.titles("/tasks").await, ["old"]);
    let told = form(&ada, "", "title=new&cursor=nonsense").await;
    let told = told.expect(200);
    assert!(told.text.contains("data-anew"), "{}", told.text);
    let tick = format!("/{id}/tick?to=completed");
    let told = form(&ada, &tick, "cursor=nonsense").await.expect(200);
    assert!(told.text.contains("data-anew"), "{}", told.text);
    assert_eq!(status(&ada, &id).await, "completed");
    let told = form(&ada, &tick, "").await.expect(200);
    assert!(!told.text.contains("data-anew"), "{}", told.text);
}

/// S0-36: a button does what it says, also where the task has changed since it was shown.
#[tokio::test]
async fn a_button_does_what_it_says() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let id = ada.task(json!({ "title": "x" })).await;
    for to in ["completed", "completed", "pending", "pending"] {
        let told = form(&ada, &format!("/{id}/tick?to={to}"), "").await;
        let told = told.expect(200);
        let other = ["completed", "pending"]
            .into_iter()
            .find(|other| *other != to);
        let next = format!("tick?to={}", other.unwrap());
        assert!(told.text.contains(&next), "{}", told.text);
        assert_eq!(status(&ada, &id).await, to);
    }
    for to in ["", "?to=cancelled", "?to="] {
        let told = form(&ada, &format!("/{id}/tick{to}"), "").await;
        told.problem(400, "malformed").about("to");
    }
    api.agrees().await;
}

/// What was added and is not shown is told.
#[tokio::test]
async fn what_a_filter_hides_is_told_as_added() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let told = form(&ada, "", "title=Seen").await.expect(200);
    assert!(!told.text.contains("class=\"note\""), "{}", told.text);
    for hides in ["status=completed", "q=other", "category=home"] {
        let told = form(&ada, "", &format!("title=Hidden&{hides}")).await;
        let told = told.expect(200);
        assert!(told.text.contains("Added “Hidden”"), "{}", told.text);
    }
    assert_eq!(ada.titles("/tasks").await.len(), 4);
}

/// C0-23, S0-47: the page knows its caller as the API does, and shows nothing of another's.
#[tokio::test]
async fn the_page_is_as_closed_as_the_api() {
    let api = Api::start().await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    for number in 0..55 {
        ada.task(json!({ "title": format!("secret {number}") }))
            .await;
    }
    let id = ada.task(json!({ "title": "secret" })).await;
    let routes = [
        (Method::GET, String::new()),
        (Method::POST, String::new()),
        (Method::POST, format!("/{id}")),
        (Method::DELETE, format!("/{id}")),
        (Method::GET, format!("/{id}/edit")),
        (Method::POST, format!("/{id}/tick?to=completed")),
    ];
    let said = |method: &Method| (method == Method::POST).then_some("title=x&new_title=x");
    let bad = [
        None,
        Some(String::from("x")),
        Some(format!("{}x", ada.token.as_deref().unwrap())),
    ];
    for (method, path) in &routes {
        let path = format!("~/page/tasks{path}");
        for token in &bad {
            let nobody = api.bearer(token.clone());
            let told = nobody
                .send_text(method.clone(), &path, said(method), &FORM)
                .await;
            told.problem(401, "unauthenticated");
        }
        if path.contains(&id) {
            let told = bob
                .send_text(method.clone(), &path, said(method), &FORM)
                .await;
            let told = told.problem(404, "not-found");
            assert!(!told.text.contains("secret"));
        }
    }
    let page = ada.get("~/page/tasks").await.expect(200).text;
    let cursor = page.split_once("data-next=\"").unwrap().1;
    let cursor = cursor.split_once('"').unwrap().0;
    let own = ada.get(&format!("~/page/tasks?cursor={cursor}")).await;
    assert!(own.expect(200).text.contains("secret 0"));
    let foreign = bob.get(&format!("~/page/tasks?cursor={cursor}")).await;
    let foreign = foreign.expect(200).text;
    assert!(!foreign.contains("secret"), "{foreign}");
    assert_eq!(status(&ada, &id).await, "pending");
    assert_eq!(ada.titles("/tasks").await.len(), 56);
}
