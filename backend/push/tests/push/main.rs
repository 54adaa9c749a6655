//! Notifications by Firebase, against a stand-in that speaks HTTP v1 and the grant of RFC 7523.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::collections::BTreeMap;
use std::time::Duration;

use tablewright_push::{BadAccount, Fcm, NotSent, Push, Pusher, ServiceAccount};
use tablewright_testing::{Firebase, Mood};

fn pusher(firebase: &Firebase) -> Pusher {
    let account = ServiceAccount::of_json(&firebase.credentials()).unwrap();
    // A slash too many does no harm.
    Pusher::Fcm(Fcm::new(account, &format!("{}/", firebase.url)))
}

fn push(device: &str) -> Push {
    Push {
        id: format!("q1.{device}"),
        token: device.to_owned(),
        title: String::from("A question for you"),
        body: String::from("Would you cross this bridge?"),
        tag: String::from("q1"),
        link: Some(String::from("https://ask.example.org/questions/q1")),
        data: BTreeMap::from([(String::from("question_id"), String::from("q1"))]),
        good_for: Duration::from_secs(900),
    }
}

/// The assertion is looked at by the stand-in: its signature, who it is of, for whom, for what and for how long.
#[tokio::test]
async fn what_is_sent_is_taken_with_one_token_for_all() {
    let firebase = Firebase::start().await;
    let pusher = pusher(&firebase);
    for device in ["one", "two", "three"] {
        pusher.send(&push(device)).await.unwrap();
    }
    assert_eq!(firebase.tokens_given(), 1);
    let taken = firebase.taken();
    assert_eq!(taken.len(), 3);
    assert_eq!(taken[0]["token"], "one");
    assert_eq!(taken[0]["notification"]["title"], "A question for you");
    assert_eq!(taken[0]["data"]["question_id"], "q1");
    let webpush = &taken[0]["webpush"];
    assert_eq!(webpush["headers"]["TTL"], "900");
    assert_eq!(
        webpush["fcm_options"]["link"],
        "https://ask.example.org/questions/q1"
    );
}

#[tokio::test]
async fn who_is_ready_has_the_token_for_what_is_sent() {
    let firebase = Firebase::start().await;
    let pusher = pusher(&firebase);
    firebase.give_no_tokens(true);
    let ready = pusher.ready().await;
    assert!(matches!(ready, Err(NotSent::Later { .. })), "{ready:?}");
    firebase.give_no_tokens(false);
    pusher.ready().await.unwrap();
    pusher.send(&push("one")).await.unwrap();
    assert_eq!(firebase.tokens_given(), 1);
}

#[tokio::test]
async fn many_at_once_share_the_first_token() {
    let firebase = Firebase::start().await;
    let pusher = std::sync::Arc::new(pusher(&firebase));
    let mut sending = tokio::task::JoinSet::new();
    for device in 0..20 {
        let pusher = std::sync::Arc::clone(&pusher);
        sending.spawn(async move { pusher.send(&push(&device.to_string())).await });
    }
    for sent in sending.join_all().await {
        sent.unwrap();
    }
    assert_eq!((firebase.tokens_given(), firebase.taken().len()), (1, 20));
}

#[tokio::test]
async fn a_token_that_ended_before_its_time_is_exchanged_once() {
    let firebase = Firebase::start().await;
    let pusher = pusher(&firebase);
    pusher.send(&push("one")).await.unwrap();
    firebase.end_tokens();
    pusher.send(&push("two")).await.unwrap();
    assert_eq!(firebase.tokens_given(), 2);
    assert_eq!(firebase.asked(), 3, "401 once, and then taken");
    pusher.send(&push("three")).await.unwrap();
    assert_eq!(firebase.tokens_given(), 2, "the new one stays");
}

#[tokio::test]
async fn a_token_is_not_used_to_its_last_second() {
    let firebase = Firebase::start().await;
    firebase.tokens_live_for(30);
    let pusher = pusher(&firebase);
    for device in ["one", "two"] {
        pusher.send(&push(device)).await.unwrap();
    }
    assert_eq!(firebase.tokens_given(), 2);
    assert_eq!(firebase.asked(), 2, "none of them was refused");
}

#[tokio::test]
async fn a_device_that_is_gone_is_told_apart_from_a_service_that_is_away() {
    let firebase = Firebase::start().await;
    let pusher = pusher(&firebase);
    firebase.plan("gone", [Mood::Unregistered]);
    firebase.plan("none", [Mood::NoToken]);
    for device in ["gone", "none"] {
        let sent = pusher.send(&push(device)).await;
        assert!(matches!(sent, Err(NotSent::Unregistered(_))), "{sent:?}");
    }
    firebase.plan("busy", [Mood::Quota(Some(17))]);
    let Err(NotSent::Later { why, after }) = pusher.send(&push("busy")).await else {
        panic!("it may be sent later");
    };
    assert!(why.contains("QUOTA_EXCEEDED"), "{why}");
    assert_eq!(after, Some(Duration::from_secs(17)));
    firebase.plan("away", [Mood::Unavailable]);
    let away = pusher.send(&push("away")).await;
    assert!(
        matches!(away, Err(NotSent::Later { after: None, .. })),
        "{away:?}"
    );
    firebase.plan("big", [Mood::Invalid]);
    let big = pusher.send(&push("big")).await;
    assert!(matches!(big, Err(NotSent::Refused(_))), "{big:?}");
    assert!(firebase.taken().is_empty());
}

/// Whatever is wrong with us, no device is thought gone for it.
#[tokio::test]
async fn who_is_not_let_in_may_be_later() {
    let (ours, other) = (Firebase::start().await, Firebase::start().await);
    // The key of another account: the assertion is not believed.
    let mut forged: serde_json::Value = serde_json::from_str(&other.credentials()).unwrap();
    forged["token_uri"] = format!("{}/token", ours.url).into();
    let account = ServiceAccount::of_json(&forged.to_string()).unwrap();
    let forged = Pusher::Fcm(Fcm::new(account, &ours.url));
    let sent = forged.send(&push("one")).await;
    assert!(matches!(sent, Err(NotSent::Later { .. })), "{sent:?}");
    // A token of another issuer, and an endpoint that is none.
    let mut foreign: serde_json::Value = serde_json::from_str(&ours.credentials()).unwrap();
    for (project, endpoint) in [("ask-a-human", &other.url), ("another", &ours.url)] {
        foreign["project_id"] = project.into();
        let account = ServiceAccount::of_json(&foreign.to_string()).unwrap();
        let foreign = Pusher::Fcm(Fcm::new(account, endpoint));
        let sent = foreign.send(&push("one")).await;
        assert!(matches!(sent, Err(NotSent::Later { .. })), "{sent:?}");
    }
    assert_eq!(
        other.asked(),
        2,
        "once more with another token, and no more"
    );
    // Nobody there at all.
    let mut nobody: serde_json::Value = serde_json::from_str(&ours.credentials()).unwrap();
    nobody["token_uri"] = "http://127.0.0.1:9/token".into();
    let account = ServiceAccount::of_json(&nobody.to_string()).unwrap();
    let sent = Pusher::Fcm(Fcm::new(account, &ours.url))
        .send(&push("one"))
        .await;
    assert!(matches!(sent, Err(NotSent::Later { .. })), "{sent:?}");
}

#[tokio::test]
async fn what_is_no_account_is_told_without_showing_it() {
    let firebase = Firebase::start().await;
    let good: serde_json::Value = serde_json::from_str(&firebase.credentials()).unwrap();
    let with = |name: &str, value: serde_json::Value| {
        let mut changed = good.clone();
        changed[name] = value;
        ServiceAccount::of_json(&changed.to_string()).unwrap_err()
    };
    let told = with(
        "private_key",
        "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----".into(),
    );
    assert_eq!(told, BadAccount::NoKey);
    assert_eq!(with("private_key", "s3cret".into()), BadAccount::NoKey);
    let told = with("token_uri", "http://oauth2.example.org/token".into());
    assert_eq!(told, BadAccount::NoAddress("token_uri"));
    assert_eq!(
        with("project_id", "../x".into()),
        BadAccount::NoAddress("project_id")
    );
    let lacking = ServiceAccount::of_json("{\"project_id\": \"p\"}").unwrap_err();
    assert_eq!(
        lacking.to_string(),
        "no key file of a service account: it lacks `private_key`"
    );
    for text in [
        "",
        "s3cret",
        "{\"project_id\": 3, \"private_key\": \"s3cret\"}",
    ] {
        let told = ServiceAccount::of_json(text).unwrap_err();
        assert!(!format!("{told} {told:?}").contains("s3cret"), "{told}");
    }
    let account = ServiceAccount::of_json(&firebase.credentials()).unwrap();
    let fcm = Pusher::Fcm(Fcm::new(account, &firebase.url));
    fcm.send(&push("one")).await.unwrap();
    let shown = format!("{fcm:?}");
    assert!(
        !shown.contains("PRIVATE") && !shown.contains("ya29"),
        "{shown}"
    );
}
