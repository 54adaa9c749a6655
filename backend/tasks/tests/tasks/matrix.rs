//! Every route and every part of the page, asked by everybody: each cell of both tables asserted.

mod pages;

use std::collections::BTreeMap;

use http::Method;
use serde_json::{Value, json};
use tablewright::Item;

use crate::support::{Api, Asks as _, Caller, Reply};
use pages::{pages, parts_are_all_in};

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Who {
    Nobody,
    Unassigned,
    Assigned,
    Admin,
    DeactivatedMember,
    DeactivatedAdmin,
}

const EVERYBODY: [Who; 6] = [
    Who::Nobody,
    Who::Unassigned,
    Who::Assigned,
    Who::Admin,
    Who::DeactivatedMember,
    Who::DeactivatedAdmin,
];

/// A route or a part of the page, with what each of [`EVERYBODY`] is answered. `{task}` is a task, `{me}` who asks.
struct Row {
    method: Method,
    path: &'static str,
    body: Option<Body>,
    answers: [u16; 6],
}

/// What is sent along.
enum Body {
    Json(Value),
    Form(&'static str),
}

fn row(method: Method, path: &'static str, body: Option<Value>, answers: [u16; 6]) -> Row {
    Row {
        method,
        path,
        body: body.map(Body::Json),
        answers,
    }
}

/// A part of the page, with what its form says.
fn part(method: Method, path: &'static str, form: &'static str, answers: [u16; 6]) -> Row {
    Row {
        method,
        path,
        body: (!form.is_empty()).then_some(Body::Form(form)),
        answers,
    }
}

impl Row {
    async fn ask(&self, caller: &Caller, path: &str) -> Reply {
        let method = self.method.clone();
        match &self.body {
            Some(Body::Form(form)) => {
                let kind = ("content-type", "application/x-www-form-urlencoded");
                caller.send_text(method, path, Some(form), &[kind]).await
            }
            Some(Body::Json(json)) => caller.send(method, path, Some(json.clone()), &[]).await,
            None => caller.send(method, path, None, &[]).await,
        }
    }
}

/// S1-20, S1-27, S1-38, C1-16, C1-17
fn table() -> Vec<Row> {
    let (get, post, put, delete) = (Method::GET, Method::POST, Method::PUT, Method::DELETE);
    let status = |status: &str| Some(json!({ "status": status }));
    vec![
        //                                                                              nobody unassigned assigned admin gone-member gone-admin
        row(get.clone(), "/tasks", None, [401, 200, 200, 200, 403, 403]),
        row(
            post.clone(),
            "/tasks",
            Some(json!({ "title": "New" })),
            [401, 403, 403, 201, 403, 403],
        ),
        row(
            get.clone(),
            "/tasks/{task}",
            None,
            [401, 403, 200, 200, 403, 403],
        ),
        row(
            put.clone(),
            "/tasks/{task}",
            Some(json!({ "title": "Other" })),
            [401, 403, 403, 200, 403, 403],
        ),
        row(
            delete.clone(),
            "/tasks/{task}",
            None,
            [401, 403, 403, 204, 403, 403],
        ),
        row(
            post.clone(),
            "/tasks/{task}/assign",
            Some(json!({ "userId": "free" })),
            [401, 403, 403, 200, 403, 403],
        ),
        row(
            get.clone(),
            "/tasks/{task}/assignments",
            None,
            [401, 403, 200, 200, 403, 403],
        ),
        row(
            delete.clone(),
            "/tasks/{task}/assignments/assigned",
            None,
            [401, 403, 403, 204, 403, 403],
        ),
        row(
            put.clone(),
            "/tasks/{task}/status",
            status("IN_PROGRESS"),
            [401, 403, 200, 200, 403, 403],
        ),
        row(
            post.clone(),
            "/tasks/{task}/close",
            None,
            [401, 403, 403, 200, 403, 403],
        ),
        row(
            get.clone(),
            "/tasks/{task}/history",
            None,
            [401, 403, 200, 200, 403, 403],
        ),
        // For the service that sends mails, with a secret of its own.
        row(
            post.clone(),
            "/mail/bounces",
            Some(json!({ "messageId": "<a.b.c@x>", "reason": "" })),
            [401; 6],
        ),
        row(
            get.clone(),
            "/mail/undelivered",
            None,
            [401, 403, 403, 200, 403, 403],
        ),
        row(
            get.clone(),
            "/mail/waiting",
            None,
            [401, 403, 403, 200, 403, 403],
        ),
        // What is sent again, and what is not, is in `undelivered`.
        row(
            post.clone(),
            "/mail/undelivered/e1/free/send",
            None,
            [401, 403, 403, 404, 403, 403],
        ),
        // Only who is deactivated loses an address; that they do is in `people`.
        row(
            delete.clone(),
            "/users/free/email",
            None,
            [401, 403, 403, 409, 403, 403],
        ),
        row(
            delete.clone(),
            "/users/gone-member/email",
            None,
            [401, 403, 403, 200, 403, 403],
        ),
        row(get.clone(), "/users", None, [401, 403, 403, 200, 403, 403]),
        row(
            get.clone(),
            "/users/me",
            None,
            [401, 200, 200, 200, 403, 403],
        ),
        row(
            get.clone(),
            "/users/{me}/tasks",
            None,
            [401, 200, 200, 200, 403, 403],
        ),
        row(
            get.clone(),
            "/users/free/tasks",
            None,
            [401, 403, 403, 200, 403, 403],
        ),
        row(
            put.clone(),
            "/users/free/status",
            status("DEACTIVATED"),
            [401, 403, 403, 200, 403, 403],
        ),
        row(
            put,
            "/users/free/status",
            status("ACTIVE"),
            [401, 403, 403, 200, 403, 403],
        ),
    ]
}

impl Who {
    fn id(self) -> &'static str {
        match self {
            Who::Nobody => "nobody",
            Who::Unassigned => "unassigned",
            Who::Assigned => "assigned",
            Who::Admin => "admin",
            Who::DeactivatedMember => "gone-member",
            Who::DeactivatedAdmin => "gone-admin",
        }
    }

    fn caller(self, api: &Api) -> Caller {
        match self {
            Who::Nobody => api.bearer(None),
            Who::Admin | Who::DeactivatedAdmin => api.person(self.id(), "Admins"),
            _ => api.person(self.id(), "Members"),
        }
    }
}

/// A task to which the assigned member and both who are gone were assigned; everybody is as they are meant to be.
async fn task(root: &Caller) -> String {
    for who in [Who::DeactivatedMember, Who::DeactivatedAdmin] {
        root.user_status(who.id(), "ACTIVE").await.expect(200);
    }
    root.user_status("free", "ACTIVE").await.expect(200);
    let id = root.task("Matrix").await;
    for who in [Who::Assigned, Who::DeactivatedMember, Who::DeactivatedAdmin] {
        root.assign(&id, who.id()).await.expect(200);
    }
    for who in [Who::DeactivatedMember, Who::DeactivatedAdmin] {
        root.user_status(who.id(), "DEACTIVATED").await.expect(200);
    }
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_may_do_what_the_table_says_and_nothing_else() {
    let api = Api::start().await;
    let root = api.admin("root").await;
    api.member("free").await;
    for who in EVERYBODY.into_iter().filter(|who| *who != Who::Nobody) {
        who.caller(&api).get("/users/me").await.expect(200);
    }
    let table = table();
    let pages = pages();
    let mut fresh = None;
    for row in table.iter().chain(&pages) {
        for (who, expected) in EVERYBODY.into_iter().zip(row.answers) {
            // Where nothing was changed the next may have the same.
            let id = match fresh.take() {
                Some(id) => id,
                None => task(&root).await,
            };
            cell(&api, &id, row, who, expected).await;
            let changes = expected < 400 && row.method != Method::GET;
            fresh = (!changes).then_some(id);
        }
    }
    routes_are_all_in(&api, &table).await;
    parts_are_all_in(&pages);
}

/// One asks for one thing, is answered as the table says, and has changed nothing where that is no.
async fn cell(api: &Api, id: &str, row: &Row, who: Who, expected: u16) {
    let path = row.path.replace("{task}", id).replace("{me}", who.id());
    let caller = who.caller(api);
    let before = stored(api).await;
    let reply = row.ask(&caller, &path).await;
    assert_eq!(
        reply.status, expected,
        "{} {path} by {who:?}: {}",
        row.method, reply.text
    );
    let kind = reply.body["type"].as_str().unwrap_or_default();
    match (who, expected) {
        (_, 401) => assert_eq!(kind, "/problems/unauthenticated"),
        (Who::DeactivatedMember | Who::DeactivatedAdmin, 403) => {
            assert_eq!(kind, "/problems/deactivated")
        }
        (_, 403) => assert_eq!(kind, "/problems/forbidden"),
        _ => {}
    }
    if expected >= 400 {
        assert!(!reply.text.contains("Matrix"), "{path} told {who:?}");
        let is_as_before = stored(api).await == before;
        assert!(is_as_before, "{} {path} by {who:?} wrote", row.method);
    }
}

/// The path of a row, as routes name its parts.
fn as_routed(path: &str) -> String {
    let (path, _) = path.split_once('?').unwrap_or((path, ""));
    path.replace("{task}", "{task_id}")
        .replace("{me}", "{user_id}")
        .replace("/e1/", "/{event_id}/")
        .replace("/free/", "/{user_id}/")
        .replace("/gone-member/", "/{user_id}/")
        .replace("/columns/OPEN", "/columns/{status}")
        .replace("/assignments/assigned", "/assignments/{user_id}")
}

/// No route is missing in the table.
async fn routes_are_all_in(api: &Api, table: &[Row]) {
    let document = api
        .bearer(None)
        .get("~/openapi.json")
        .await
        .expect(200)
        .body;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let is_in = table.iter().any(|row| {
                format!("/api/v1{}", as_routed(row.path)) == *path
                    && row.method.as_str().eq_ignore_ascii_case(method)
            });
            assert!(is_in, "{method} {path} is not in the table");
        }
    }
}

/// All that is stored, by its key.
async fn stored(api: &Api) -> BTreeMap<String, Item> {
    let client = api.engine.dynamodb();
    let scan = client
        .scan()
        .table_name("TaskManagement")
        .consistent_read(true);
    let items = scan.into_paginator().items().send();
    let items = items.collect::<Result<Vec<Item>, _>>().await.unwrap();
    let key = |item: &Item| format!("{:?} {:?}", item["PK"], item["SK"]);
    items.into_iter().map(|item| (key(&item), item)).collect()
}
