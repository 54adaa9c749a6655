//! Requests that are sent again.

use serde_json::json;
use tablewright::Entity as _;

use crate::client::{Ask, Reply};
use crate::model::{Idempotency, IdempotencyKey, Notes};
use crate::started::Started;

const NOTES: &str = "/api/v1/notes";

fn post(app: &Started, token: &str, key: &str, text: &str) -> Ask {
    let ask = app
        .ask("POST", NOTES)
        .token(token)
        .json(&json!({ "text": text }));
    ask.header("Idempotency-Key", key)
}

fn is_replayed(reply: &Reply) -> bool {
    reply.header("idempotency-replayed") == Some("true")
}

/// S0-38
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_at_once_have_one_effect_and_one_answer() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    let asking = (0..100).map(|_| post(&app, &ada, "k-1", "once").send_owned());
    let replies = futures_util::future::join_all(asking).await;
    assert_eq!(
        replies.iter().filter(|reply| !is_replayed(reply)).count(),
        1
    );
    for reply in &replies {
        app.description.check("POST", NOTES, reply);
        assert_eq!(reply.status, 201, "{reply:?}");
        assert_eq!(reply.body, replies[0].body);
        assert_eq!(reply.header("location"), replies[0].header("location"));
    }
    assert_eq!(app.count(&ada).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_of_one_request_of_one_caller() {
    let app = Started::usual().await;
    let (ada, bob) = (app.token("ada"), app.token("bob"));
    let first = app.send(post(&app, &ada, "k", "one")).await;
    // Another body is another request.
    let other = app.send(post(&app, &ada, "k", "two")).await;
    assert_eq!(other.fault(422, "key-reused").0, "Idempotency-Key");
    // Another caller's keys are their own, and nothing of the first's is told.
    let bobs = app.send(post(&app, &bob, "k", "one")).await;
    assert!(!is_replayed(&bobs));
    assert_ne!(bobs.header("location"), first.header("location"));
    // Another route has its own; on the same route another address is another request.
    let note = first.header("location").unwrap();
    let (second, _) = app.note(&ada, "other").await;
    let change = |path: &str| {
        let ask = app
            .ask("PATCH", path)
            .token(&ada)
            .json(&json!({ "stars": 1 }));
        ask.header("Idempotency-Key", "k")
    };
    assert!(!is_replayed(&app.send(change(note)).await));
    assert!(is_replayed(&app.send(change(note)).await));
    app.send(change(&second)).await.problem(422, "key-reused");
    // Without a key nothing is remembered.
    app.note(&ada, "same").await;
    app.note(&ada, "same").await;
    assert_eq!(app.count(&ada).await, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repetition_is_answered_also_where_it_would_be_refused() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    let (note, written) = app.note(&ada, "short-lived").await;
    let tag = written.header("etag").unwrap();
    let change = || {
        let ask = app
            .ask("PATCH", &note)
            .token(&ada)
            .json(&json!({ "stars": 5 }));
        ask.header("If-Match", tag)
            .header("Idempotency-Key", "change")
    };
    let changed = app.send(change()).await;
    assert_eq!(changed.status, 200);
    // By now the tag is another, and the note is sealed.
    let again = app.send(change()).await;
    assert_eq!((again.status, is_replayed(&again)), (200, true));
    assert_eq!(again.body, changed.body);

    let delete = || {
        app.ask("DELETE", &note)
            .token(&ada)
            .header("Idempotency-Key", "delete")
    };
    assert_eq!(app.send(delete()).await.status, 204);
    let again = app.send(delete()).await;
    assert_eq!((again.status, is_replayed(&again)), (204, true));
    assert_eq!(again.body.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_refused_is_not_remembered() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    app.send(post(&app, &ada, "k", ""))
        .await
        .problem(422, "invalid");
    let good = app.send(post(&app, &ada, "k", "better")).await;
    assert_eq!((good.status, is_replayed(&good)), (201, false));
}

/// S0-40
#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_good_for_a_day_and_not_longer() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    let first = app.send(post(&app, &ada, "k", "one")).await;
    let notes = Notes::new(&app.store);
    let route = format!("POST {NOTES}");
    let key = IdempotencyKey::new("ada", &route, "k");
    let record = notes.idempotencies.items().read_strong(&key).await.unwrap();
    let record: Idempotency = record.unwrap();
    assert_eq!(record.ttl, record.created_at + 86_400);
    // A day later, though TTL has not removed it yet.
    let past = |record: &mut Idempotency| record.ttl = record.created_at - 1;
    notes
        .idempotencies
        .items()
        .update(&record.key(), past)
        .await
        .unwrap();
    let second = app.send(post(&app, &ada, "k", "another")).await;
    assert_eq!((second.status, is_replayed(&second)), (201, false));
    assert_ne!(second.header("location"), first.header("location"));
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_are_none_are_refused() {
    let app = Started::usual().await;
    let ada = app.token("ada");
    for key in ["", "two words", &"k".repeat(256), "é"] {
        let reply = app.send(post(&app, &ada, key, "a")).await;
        assert_eq!(reply.fault(400, "malformed").0, "Idempotency-Key", "{key}");
    }
    let twice = post(&app, &ada, "a", "a").header("Idempotency-Key", "b");
    app.send(twice).await.problem(400, "malformed");
    assert_eq!(app.count(&ada).await, 0);
    // Delimiters of our tables mean nothing in a key.
    for key in ["a#METADATA", "%23", "~", &"k".repeat(255), "ada#POST"] {
        assert_eq!(
            app.send(post(&app, &ada, key, "a")).await.status,
            201,
            "{key}"
        );
        assert!(
            is_replayed(&app.send(post(&app, &ada, key, "a")).await),
            "{key}"
        );
    }
    assert_eq!(app.count(&ada).await, 5);
}
