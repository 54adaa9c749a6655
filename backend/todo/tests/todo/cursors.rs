//! A cursor is good for the query and the caller it was given to, and for nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

use crate::support::{Api, Asks as _};

const LISTS: [&str; 8] = [
    "/tasks?limit=2",
    "/tasks?limit=2&overdue=false&sort=due_date",
    "/tasks?limit=2&status=pending",
    "/tasks?limit=2&status=pending&priority=high",
    "/tasks?limit=2&sort=due_date",
    "/tasks?limit=2&due_from=2020-01-01",
    "/tasks?limit=2&sort=status&order=desc",
    "/tasks/search?limit=2&q=task",
];

/// C0-26
#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_is_good_for_one_query_of_one_caller() {
    let api = Api::start().await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    for person in [&ada, &bob] {
        for number in 0..6 {
            person.task(json!({ "title": format!("task {number}"), "priority": "high", "due_date": "2030-01-01" })).await;
        }
    }
    let (ids, foreign) = (
        ada.each("/tasks", 6, "task_id").await.join(","),
        bob.each("/tasks", 6, "task_id").await.join(","),
    );
    let named = [
        format!("/tasks?limit=2&ids={ids}"),
        format!("/tasks?limit=2&ids={ids},{foreign}"),
        format!("/tasks?limit=2&ids={ids}&sort=priority"),
        format!("/tasks?limit=2&ids={ids}&sort=priority&status=pending"),
    ];
    let lists: Vec<&str> = LISTS
        .into_iter()
        .chain(named.iter().map(String::as_str))
        .collect();
    let mut cursors = Vec::new();
    for list in &lists {
        let page = ada.get(list).await.expect(200);
        cursors.push(page.body["next_cursor"].as_str().unwrap().to_owned());
    }
    let secrets = ["TASK#", "USER#", "task_id", "PENDING"];
    let secrets: Vec<&str> = secrets.into_iter().chain(ids.split(',')).collect();
    for (list, cursor) in lists.iter().zip(&cursors) {
        ada.get(&format!("{list}&cursor={cursor}"))
            .await
            .expect(200);
        bob.get(&format!("{list}&cursor={cursor}"))
            .await
            .problem(400, "bad-cursor")
            .about("cursor");
        for other in cursors.iter().filter(|other| *other != cursor) {
            ada.get(&format!("{list}&cursor={other}"))
                .await
                .problem(400, "bad-cursor")
                .about("cursor");
        }
        // It says nothing, and cannot be changed.
        let sealed = URL_SAFE_NO_PAD.decode(cursor).unwrap();
        for secret in &secrets {
            let hidden = sealed
                .windows(secret.len())
                .all(|part| !part.eq_ignore_ascii_case(secret.as_bytes()));
            assert!(hidden, "{secret}");
        }
        for place in (0..cursor.len()).step_by(7) {
            let mut bytes = cursor.clone().into_bytes();
            bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            ada.get(&format!("{list}&cursor={changed}"))
                .await
                .problem(400, "bad-cursor")
                .about("cursor");
        }
        for nonsense in [
            "",
            "x",
            "%00",
            "null",
            &cursor[1..],
            &cursor[..cursor.len() - 1],
            &cursor.repeat(2),
        ] {
            ada.get(&format!("{list}&cursor={nonsense}"))
                .await
                .problem(400, "bad-cursor")
                .about("cursor");
        }
    }
}

/// S0-42: what is shown of a task is not what a list is of: the next page may show more, or less.
#[tokio::test(flavor = "multi_thread")]
async fn the_next_page_may_show_other_fields() {
    let api = Api::start().await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    for number in 0..6 {
        ada.task(json!({ "title": format!("task {number}"), "category": "home" }))
            .await;
    }
    let shown = [
        "",
        "&fields=title",
        "&fields=title,category",
        "&fields=category",
    ];
    for first in shown {
        for second in shown {
            let begun = ada
                .get(&format!("/tasks?limit=2&order=asc{first}"))
                .await
                .expect(200);
            let cursor = begun.text_of("next_cursor").to_owned();
            let path = format!("/tasks?limit=2&order=asc{second}&cursor={cursor}");
            let next = ada.get(&path).await.expect(200).body;
            let plain = ada
                .get(&format!("/tasks?order=asc{second}"))
                .await
                .expect(200)
                .body;
            assert_eq!(
                next["items"],
                json!(plain["items"].as_array().unwrap()[2..4]),
                "{first} {second}"
            );
            let on = next["next_cursor"].as_str().unwrap();
            let path = format!("/tasks?limit=2&order=asc{first}&cursor={on}");
            assert_eq!(
                ada.get(&path).await.expect(200).body["items"]
                    .as_array()
                    .unwrap()
                    .len(),
                2
            );
            bob.get(&path).await.problem(400, "bad-cursor");
        }
    }
}
