//! Transactions that meet, as they do on DynamoDB: one that is about an item of another under way is cancelled, and sent again.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde_json::json;
use tablewright_testing::Fault;
use tasks::model::{Assignment, Task};

use crate::support::{Api, Asks as _, Reply, Wire};

const CROWD: usize = 60;

/// How often each was answered.
fn counted(replies: Vec<Reply>) -> BTreeMap<u16, usize> {
    let mut counted = BTreeMap::new();
    for reply in replies {
        *counted.entry(reply.status).or_default() += 1;
    }
    counted
}

/// S1-30, S1-32: of a crowd one assigns, and the rest are told that it is so already, or that they met others; nobody that DynamoDB is away.
#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_whose_transactions_meet_has_one_winner_and_conflicts() {
    let api = Api::watched(&Wire::where_transactions_meet()).await;
    let admin = api.admin("boss").await;
    api.member("ada").await;
    let task = admin.task("Fix bug").await;
    let answers = counted(join_all((0..CROWD).map(|_| admin.assign(&task, "ada"))).await);
    assert_eq!(answers, BTreeMap::from([(200, 1), (409, CROWD - 1)]));
    assert_eq!(api.stored::<Assignment>().await.len(), 1);
}

/// Whatever one admin writes at once meets at their own profile: each is done, or is a conflict and was not.
#[tokio::test(flavor = "multi_thread")]
async fn writes_of_one_admin_that_meet_are_done_or_told() {
    let api = Api::watched(&Wire::where_transactions_meet()).await;
    let admin = api.admin("boss").await;
    let titles = (0..50).map(|number| json!({ "title": number.to_string() }));
    let creates = titles.map(|task| admin.post("/tasks", task));
    let answers = counted(join_all(creates).await);
    assert!(
        answers.keys().all(|status| [201, 409].contains(status)),
        "{answers:?}"
    );
    assert_eq!(api.stored::<Task>().await.len(), answers[&201]);
}

/// Twenty tasks that one admin writes down at once meet at the admin's profile, and are all there then.
#[tokio::test(flavor = "multi_thread")]
async fn twenty_tasks_of_one_admin_at_once_are_all_written_down() {
    let api = Api::watched(&Wire::where_transactions_meet()).await;
    let admin = api.admin("boss").await;
    let titles = (0..20).map(|number| json!({ "title": number.to_string() }));
    let creates = titles.map(|task| admin.post("/tasks", task));
    let answers = counted(join_all(creates).await);
    assert_eq!(answers, BTreeMap::from([(201, 20)]));
    assert_eq!(api.stored::<Task>().await.len(), 20);
}

/// A write that meets others is tried more often than one that fails; in the end it is a conflict, which says when to come again.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_meets_others_is_patient() {
    let wire = Wire::new();
    let api = Api::watched(&wire).await;
    let admin = api.admin("boss").await;
    wire.plan("TransactWriteItems", (0..10).map(|_| Fault::Meet));
    admin.task("Patient").await;
    wire.plan("TransactWriteItems", (0..16).map(|_| Fault::Meet));
    let reply = admin.post("/tasks", json!({ "title": "In vain" })).await;
    assert!(reply.headers.contains_key("retry-after"), "{}", reply.text);
    reply.problem(409, "conflict");
    assert_eq!(api.stored::<Task>().await.len(), 1);
}
