//! Many at once.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join_all;
use http::Method;
use serde_json::json;

use crate::support::{Api, Asks as _};

/// S0-38, C0-15: a hundred identical requests with one key make one task and get one answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_identical_requests_make_one_task() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let replies = join_all((0..100).map(|_| {
        let ada = ada.clone();
        tokio::spawn(async move {
            ada.send(
                Method::POST,
                "/tasks",
                Some(json!({ "title": "once" })),
                &[("idempotency-key", "one")],
            )
            .await
        })
    }))
    .await;
    let mut told = BTreeSet::new();
    let mut done = 0;
    for reply in replies {
        let reply = reply.unwrap().expect(201);
        done += usize::from(reply.header("idempotency-replayed").is_none());
        told.insert((
            reply.text.clone(),
            reply.etag().to_owned(),
            reply.header("location").unwrap().to_owned(),
        ));
    }
    assert_eq!((told.len(), done), (1, 1));
    assert_eq!(ada.titles("/tasks").await, ["once"]);
    api.agrees().await;
}

/// S0-44, S0-46: two hundred people change one task at the same time, each by what they have read. None of it is lost.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_hundred_edits_none_is_lost() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let path = format!(
        "/tasks/{}",
        ada.task(json!({ "title": "x", "description": "" })).await
    );
    let edits = (0..200_u64).map(|number| {
        let (ada, path) = (ada.clone(), path.clone());
        tokio::spawn(async move {
            let mut attempt = 0_u64;
            loop {
                let seen = ada.get(&path).await.expect(200);
                let said = seen.body["description"].as_str().unwrap_or_default();
                let body = json!({ "description": format!("{said}{number:03},") });
                let reply = ada
                    .send(
                        Method::PATCH,
                        &path,
                        Some(body),
                        &[("if-match", seen.etag())],
                    )
                    .await;
                match reply.status {
                    200 => return,
                    409 | 412 => {
                        // As people do: each waits a little before the next look.
                        attempt += 1;
                        tokio::time::sleep(std::time::Duration::from_millis(
                            number * 7 * attempt % 400,
                        ))
                        .await;
                    }
                    _ => panic!("{}", reply.text),
                }
            }
        })
    });
    for edit in join_all(edits).await {
        edit.unwrap();
    }
    let task = ada.get(&path).await.expect(200);
    let marks: BTreeSet<&str> = task.body["description"]
        .as_str()
        .unwrap()
        .split_terminator(',')
        .collect();
    assert_eq!(marks.len(), 200);
    api.agrees().await;
}

/// S0-46: without a version every edit that was acknowledged happened: each made a version of its own, and the last is what is there.
#[tokio::test(flavor = "multi_thread")]
async fn edits_that_were_acknowledged_happened() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let mut ids = Vec::new();
    for _ in 0..10 {
        ids.push(ada.task(json!({ "title": "x" })).await);
    }
    let mut acknowledged = vec![BTreeMap::new(); 10];
    let edits = (0..200_usize).map(|number| {
        let (ada, path) = (ada.clone(), format!("/tasks/{}", ids[number % 10]));
        let status = ["pending", "in_progress", "completed", "cancelled"][number / 10 % 4];
        tokio::spawn(async move {
            ada.patch(
                &path,
                json!({ "status": status, "title": format!("{number}") }),
            )
            .await
        })
    });
    for (number, edit) in join_all(edits).await.into_iter().enumerate() {
        let reply = edit.unwrap();
        assert!([200, 409].contains(&reply.status), "{}", reply.text);
        if reply.status == 200 {
            assert_eq!(reply.text_of("title"), number.to_string());
            let one = &mut acknowledged[number % 10];
            let twice = one.insert(reply.etag().to_owned(), reply.body);
            assert_eq!(twice, None, "two edits made one version");
        }
    }
    for (id, acknowledged) in ids.iter().zip(&acknowledged) {
        let task = api.todo.tasks.task("ada", id.parse().unwrap()).await;
        let task = task.unwrap().unwrap();
        // The first version is the task as it was made.
        assert_eq!(task.revision - 1, acknowledged.len() as i64);
        let seen = ada.get(&format!("/tasks/{id}")).await.expect(200);
        assert_eq!(acknowledged.get(seen.etag()), Some(&seen.body));
    }
    api.agrees().await;
}

/// S0-10, C0-21: of fifty people who want one address one gets it.
#[tokio::test(flavor = "multi_thread")]
async fn one_address_goes_to_one_of_many() {
    let api = Api::start().await;
    let wishes = (0..50).map(|number| {
        let somebody = api.person(&format!("person-{number}"));
        tokio::spawn(async move {
            somebody
                .put("/users/me", json!({ "email": "wanted@example.org" }))
                .await
                .status
        })
    });
    let answers: Vec<u16> = join_all(wishes)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(
        answers.iter().filter(|status| **status == 201).count(),
        1,
        "{answers:?}"
    );
    assert_eq!(
        answers.iter().filter(|status| **status == 409).count(),
        49,
        "{answers:?}"
    );
    api.agrees().await;
}
