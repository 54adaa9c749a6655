//! Every route, asked by everybody: each cell of the table is asserted, and no route is without a row.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use crate::person::Town;
use crate::support::Caller;

/// Nobody, a person, an agent, somebody the issuer knows, an admin.
type Answers = [u16; 5];

const NOON: &str = "2026-11-18T12:00:00.000Z";

/// Who has no key of an agent is nobody there.
const AGENTS: fn(u16) -> Answers = |answer| [401, 401, answer, 401, 401];
const PEOPLE: fn(u16) -> Answers = |answer| [401, answer, 401, 401, 401];
const ADMINS: fn(u16) -> Answers = |answer| [401, 401, 401, 403, answer];

/// A route, and what each of them is answered. `{missing}` is the id of nothing.
fn rows() -> Vec<(Method, &'static str, Option<Value>, Answers)> {
    let (get, post, put, delete) = (Method::GET, Method::POST, Method::PUT, Method::DELETE);
    let missing = "01a1dfe5-1dcc-7003-9564-d9f0c3f5af45";
    let decision =
        json!({ "question_id": missing, "fingerprint_hash": "nobody", "review": "banned" });
    let answer = json!({ "question_id": missing, "opened": "never", "answer": "Porridge" });
    let device = || Some(json!({ "fcm_token": "a phone" }));
    vec![
        (
            post.clone(),
            "/agent/questions",
            Some(json!({ "prompt": "Would you cross it?" })),
            AGENTS(201),
        ),
        (get.clone(), "/agent/questions", None, AGENTS(200)),
        (
            get.clone(),
            "/agent/questions/{question_id}",
            None,
            AGENTS(404),
        ),
        (post.clone(), "/human/people", None, [201; 5]),
        (get.clone(), "/human/questions", None, PEOPLE(200)),
        (
            get.clone(),
            "/human/questions/{question_id}",
            None,
            PEOPLE(404),
        ),
        (post.clone(), "/human/responses", Some(answer), PEOPLE(422)),
        (get.clone(), "/human/responses", None, PEOPLE(200)),
        (get.clone(), "/human/stats", None, PEOPLE(200)),
        (get.clone(), "/human/leaderboard", None, PEOPLE(200)),
        (
            post.clone(),
            "/human/push/subscriptions",
            device(),
            PEOPLE(201),
        ),
        (get.clone(), "/human/push/subscriptions", None, PEOPLE(200)),
        (
            put.clone(),
            "/human/push/subscriptions/{subscription_id}",
            device(),
            PEOPLE(404),
        ),
        (
            delete.clone(),
            "/human/push/subscriptions/{subscription_id}",
            None,
            PEOPLE(404),
        ),
        (
            put,
            "/admin/agents/{agent_id}",
            Some(json!({})),
            ADMINS(200),
        ),
        (get.clone(), "/admin/agents/{agent_id}", None, ADMINS(200)),
        (
            post.clone(),
            "/admin/agents/{agent_id}/keys",
            Some(json!({ "label": "a key" })),
            ADMINS(201),
        ),
        (
            get.clone(),
            "/admin/agents/{agent_id}/keys",
            None,
            ADMINS(200),
        ),
        (
            delete.clone(),
            "/admin/agents/{agent_id}/keys/{key_hash}",
            None,
            ADMINS(404),
        ),
        (get.clone(), "/admin/reviews", None, ADMINS(200)),
        (post, "/admin/reviews", Some(decision), ADMINS(404)),
        (
            get.clone(),
            "/admin/questions/{question_id}/responses",
            None,
            ADMINS(404),
        ),
        (get, "/admin/bans", None, ADMINS(200)),
        (delete, "/admin/bans/{fingerprint_hash}", None, ADMINS(404)),
    ]
}

/// The same for the parts of the pages that are not for everybody.
fn parts() -> Vec<(Method, &'static str, &'static str, Answers)> {
    let (get, post) = (Method::GET, Method::POST);
    vec![
        (get.clone(), "/page/agent/questions", "", AGENTS(200)),
        (
            post.clone(),
            "/page/agent/questions",
            "prompt=Would+you+cross+it",
            AGENTS(200),
        ),
        (get, "/page/admin/reviews", "", ADMINS(200)),
        (
            post.clone(),
            "/page/admin/reviews",
            "review=banned",
            ADMINS(422),
        ),
        (
            post,
            "/page/admin/bans",
            "fingerprint_hash=nobody",
            ADMINS(404),
        ),
    ]
}

async fn everybody(town: &Town) -> [(&'static str, Caller); 5] {
    [
        ("nobody", town.api.nobody()),
        ("a person", town.somebody().await.caller),
        ("an agent", town.agent.clone()),
        ("a member", town.api.in_group("Members")),
        ("an admin", town.api.admin()),
    ]
}

fn addressed(path: &str) -> String {
    let path = path
        .replace("{agent_id}", "agent-of-the-table")
        .replace("{key_hash}", "00000000")
        .replace("{fingerprint_hash}", "nobody");
    let missing = "01a1dfe5-1dcc-7003-9564-d9f0c3f5af45";
    let ids = ["{question_id}", "{subscription_id}"];
    let path = ids.iter().fold(path, |path, id| path.replace(id, missing));
    format!("~{path}")
}

#[tokio::test]
async fn everybody_may_do_what_the_table_says_and_nothing_else() {
    let town = Town::at(NOON).await;
    let everybody = everybody(&town).await;
    for (method, path, body, answers) in rows() {
        for ((who, caller), answer) in everybody.iter().zip(answers) {
            let target = addressed(path);
            let reply = caller
                .send(method.clone(), &target, body.clone(), &[])
                .await;
            assert_eq!(
                reply.status, answer,
                "{who}: {method} {path}: {}",
                reply.text
            );
        }
    }
    for (method, path, form, answers) in parts() {
        for ((who, caller), answer) in everybody.iter().zip(answers) {
            let kind = [("content-type", "application/x-www-form-urlencoded")];
            let (target, form) = (addressed(path), (!form.is_empty()).then_some(form));
            let reply = caller.send_text(method.clone(), &target, form, &kind).await;
            assert_eq!(
                reply.status, answer,
                "{who}: {method} {path}: {}",
                reply.text
            );
        }
    }
}

#[tokio::test]
async fn no_route_is_without_a_row() {
    let town = Town::at(NOON).await;
    let document = town.api.nobody().get("~/openapi.json").await;
    let document = document.expect(200).body;
    let described: BTreeSet<String> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, operations)| {
            let methods = operations.as_object().unwrap().keys();
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .filter(|route| {
            ["/agent", "/human", "/admin"]
                .iter()
                .any(|of| route.contains(of))
        })
        .collect();
    let rows = rows().into_iter();
    let rows: BTreeSet<String> = rows
        .map(|(method, path, ..)| format!("{method} {path}"))
        .collect();
    assert_eq!(described, rows);
}
