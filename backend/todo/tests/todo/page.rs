//! The routes of the page, as its script asks them. What is seen of it is tested in a browser.

use http::Method;
use serde_json::json;

use crate::support::{Api, Asks as _, Caller, Reply, With};

const FORM: [(&str, &str); 1] = [("content-type", "application/x-www-form-urlencoded")];

/// A form that is sent, while these tasks are looked at.
async fn form(caller: &Caller, path: &str, said: &str, shown: &str) -> Reply {
    let path = format!("~/page/tasks{path}");
    let headers = [FORM[0], ("tasks-shown", shown)];
    caller
        .send_text(Method::POST, &path, Some(said), &headers)
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
    for (said, shown) in [
        ("title=x", "status=done"),
        ("title=x", "sort=length"),
        ("title=x", "q=%00"),
        ("title=x", "q=%E9"),
        ("title=x", "tz=Mars"),
        ("title=%E9", ""),
        ("title=x&new_due=soon", ""),
    ] {
        let told = form(&ada, "", said, shown).await;
        assert!([400, 422].contains(&told.status), "{said}: {}", told.text);
        assert!(told.body["errors"][0]["field"].is_string(), "{}", told.text);
    }
    let long = format!("q={}", "q".repeat(201));
    form(&ada, "", "title=x", &long)
        .await
        .problem(400, "malformed")
        .about("q");
    assert_eq!(ada.titles("/tasks").await, ["old"]);
    let told = form(&ada, "", "title=new", "cursor=nonsense").await;
    let told = told.expect(200);
    assert!(told.text.contains("data-anew"), "{}", told.text);
    let tick = format!("/{id}/tick?to=completed");
    let told = form(&ada, &tick, "", "cursor=nonsense").await.expect(200);
    assert!(told.text.contains("data-anew"), "{}", told.text);
    assert_eq!(status(&ada, &id).await, "completed");
    let told = form(&ada, &tick, "", "").await.expect(200);
    assert!(!told.text.contains("data-anew"), "{}", told.text);
}

/// S0-36: a button does what it says, also where the task has changed since it was shown.
#[tokio::test]
async fn a_button_does_what_it_says() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let id = ada.task(json!({ "title": "x" })).await;
    for to in ["completed", "completed", "pending", "pending"] {
        let told = form(&ada, &format!("/{id}/tick?to={to}"), "", "").await;
        let told = told.expect(200);
        let other = ["completed", "pending"]
            .into_iter()
            .find(|other| *other != to);
        let next = format!("tick?to={}", other.unwrap());
        assert!(told.text.contains(&next), "{}", told.text);
        assert_eq!(status(&ada, &id).await, to);
    }
    for to in ["", "?to=cancelled", "?to="] {
        let told = form(&ada, &format!("/{id}/tick{to}"), "", "").await;
        told.problem(400, "malformed").about("to");
    }
    api.agrees().await;
}

/// What was added and is not shown is told.
#[tokio::test]
async fn what_a_filter_hides_is_told_as_added() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let told = form(&ada, "", "title=Seen", "").await.expect(200);
    assert!(!told.text.contains("class=\"note\""), "{}", told.text);
    for hides in ["status=completed", "q=other", "category=home"] {
        let told = form(&ada, "", "title=Hidden", hides).await;
        let told = told.expect(200);
        assert!(told.text.contains("Added “Hidden”"), "{}", told.text);
    }
    assert_eq!(ada.titles("/tasks").await.len(), 4);
}

/// The version that a part of the page has, as a form sends it.
async fn version_in(caller: &Caller, path: &str, before: &str) -> String {
    let part = caller.get(&format!("~/page/tasks{path}")).await.expect(200);
    let version = part.text.split_once(before).unwrap().1;
    version.split_once('"').unwrap().0.replace("&#34;", "%22")
}

/// S0-36: who edits what somebody else has changed since is shown what it is now, and may save over that and no other.
#[tokio::test]
async fn what_was_changed_since_is_shown_and_may_be_saved_over() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let id = ada.task(json!({ "title": "first" })).await;
    let (one, task) = (format!("/{id}"), format!("/tasks/{id}"));
    let opened = version_in(&ada, &format!("{one}/edit"), "name=\"version\" value=\"").await;
    ada.patch(&task, json!({ "description": "<b>theirs</b>" }))
        .await
        .expect(200);
    let save = async |version: &str| {
        let said = format!("new_title=mine&version={version}");
        form(&ada, &one, &said, "").await
    };
    for _ in 0..2 {
        let refused = save(&opened).await.problem(412, "precondition-failed");
        refused.about("version");
    }
    let now = ada.get(&format!("~/page/tasks{one}/now")).await.expect(200);
    assert!(now.text.contains("<dd>first</dd>"), "{}", now.text);
    assert!(now.text.contains("theirs") && !now.text.contains("<b>"));
    let seen = version_in(&ada, &format!("{one}/now"), "data-over=\"").await;
    ada.patch(&task, json!({ "description": "later" }))
        .await
        .expect(200);
    save(&seen).await.problem(412, "precondition-failed");
    let seen = version_in(&ada, &format!("{one}/now"), "data-over=\"").await;
    save(&seen).await.expect(200);
    let saved = ada.get(&task).await.expect(200);
    assert_eq!(saved.text_of("title"), "mine");
    api.agrees().await;
}

/// S0-38: a form whose answer was lost is sent again with its key, and is done once.
#[tokio::test]
async fn a_form_that_is_sent_twice_is_done_once() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let shown = std::cell::Cell::new("");
    let send = async |method: Method, path: &str, said: Option<&str>, key| {
        let path = format!("~/page/tasks{path}");
        let headers = [
            FORM[0],
            ("idempotency-key", key),
            ("tasks-shown", shown.get()),
        ];
        ada.send_text(method, &path, said, &headers).await
    };
    // Whoever looks at other tasks meanwhile sends the same form.
    for looks_at in ["", "status=pending", "sort=created&q=once&tz=Europe/Berlin"] {
        shown.set(looks_at);
        let told = send(Method::POST, "", Some("title=Once"), "add").await;
        assert!(told.expect(200).text.contains("Once"));
    }
    assert_eq!(ada.titles("/tasks").await, ["Once"]);
    let told = send(Method::POST, "", Some("title=Other"), "add").await;
    told.problem(422, "key-reused").about("Idempotency-Key");
    let id = ada.get("/tasks").await.expect(200).body["items"][0]["task_id"].clone();
    let one = format!("/{}", id.as_str().unwrap());
    let version = version_in(&ada, &format!("{one}/edit"), "name=\"version\" value=\"").await;
    // The version it was opened at is gone once it was saved: without the key it would be refused.
    let said = format!("new_title=Saved&version={version}");
    for key in ["save", "save"] {
        send(Method::POST, &one, Some(&said), key).await.expect(200);
    }
    let told = send(Method::POST, &one, Some(&said), "later").await;
    told.problem(412, "precondition-failed").about("version");
    for looks_at in ["", "status=completed"] {
        shown.set(looks_at);
        send(Method::DELETE, &one, None, "gone").await.expect(200);
    }
    send(Method::DELETE, &one, None, "again")
        .await
        .problem(404, "not-found");
    api.agrees().await;
}

/// A list that leaves tasks out says so, and what is searched for has the order that was asked for.
#[tokio::test]
async fn an_order_holds_in_a_search_and_says_what_it_leaves_out() {
    let api = Api::start().await;
    let ada = api.person("ada");
    for (title, priority) in [
        ("Néedle one", "urgent"),
        ("needle two", "low"),
        ("hay", "high"),
    ] {
        ada.task(json!({ "title": title, "priority": priority }))
            .await;
    }
    ada.task(json!({ "title": "needle without" })).await;
    let shown = async |query: &str| {
        ada.get(&format!("~/page/tasks?{query}"))
            .await
            .expect(200)
            .text
    };
    let titles = |text: &str| -> Vec<String> {
        let titles = text.split("<span class=\"title\">").skip(1);
        titles
            .map(|rest| rest.split_once('<').unwrap().0.to_owned())
            .collect()
    };
    let newest = shown("q=needle").await;
    assert_eq!(
        titles(&newest),
        ["needle without", "needle two", "Néedle one"]
    );
    assert!(!newest.contains("data-only-with"), "{newest}");
    let urgent = shown("q=needle&sort=priority").await;
    assert_eq!(titles(&urgent), ["Néedle one", "needle two"]);
    for (sort, what) in [
        ("priority", "priority"),
        ("due_date", "due date"),
        ("category", "category"),
    ] {
        let text = shown(&format!("sort={sort}")).await;
        assert!(text.contains(&format!("have a {what}. <button")), "{text}");
    }
    // Fifty that are found are a page, and nobody is led to an empty one.
    for number in 0..50 {
        ada.task(json!({ "title": format!("straw {number}"), "priority": "low" }))
            .await;
    }
    for query in ["q=straw", "q=straw&sort=priority", "q=straw&status=pending"] {
        let text = shown(query).await;
        assert_eq!(titles(&text).len(), 50, "{query}");
        assert!(!text.contains("data-next"), "{query}");
    }
    ada.task(json!({ "title": "straw", "priority": "low" }))
        .await;
    assert!(shown("q=straw").await.contains("data-next"));
}

/// A form that does not arrive is given up as soon as any other body.
#[tokio::test]
async fn a_form_has_as_much_time_as_any_body() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let settings = vec![("TABLEWRIGHT_BODY_TIMEOUT", String::from("1s"))];
    let api = Api::start_with(With {
        settings,
        ..With::default()
    })
    .await;
    let ada = api.person("ada");
    let token = ada.token.as_deref().unwrap();
    let host = ada.address.strip_prefix("http://").unwrap();
    for (path, said) in [("/page/tasks", "titl"), ("/page/token", "name")] {
        let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\nContent-Length: 9\r\n\r\n{said}"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 408"), "{path}: {answer}");
    }
}

/// S0-45, C0-26: the page knows its caller as the API does, and shows nothing of another's.
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
        (Method::GET, format!("/{id}/now")),
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
