//! Subscriptions of people's devices (S2-8, S2-27, C2-2, C2-20).

use ask::model::Subscription;
use http::Method;
use serde_json::{Value, json};
use tablewright::{Timestamp, Uuid};

use crate::person::Town;

const ALL: &str = "/push/subscriptions";
const NOON: &str = "2026-11-18T12:00:00.000Z";

fn device(token: &str) -> Value {
    json!({ "fcm_token": token })
}

#[tokio::test]
async fn a_device_subscribes_once_and_belongs_to_one_person() {
    let town = Town::at(NOON).await;
    let (ada, bob) = (town.somebody().await, town.somebody().await);
    let made = ada.post(ALL, device("phone")).await.expect(201);
    assert_eq!(made.body["min_interval_minutes"], 30);
    let id = made.text_of("subscription_id").to_owned();
    let stored = town.api.stored::<Subscription>().await.remove(0);
    assert_eq!(
        stored.next_eligible_at, stored.created_at,
        "C2-2: from the beginning"
    );
    // Whoever presents the token holds the device: it is theirs, and nobody else's any more.
    let taken = bob.post(ALL, device("phone")).await.expect(201);
    assert_eq!(taken.text_of("subscription_id"), id);
    assert_eq!(ada.get(ALL).await.expect(200).body["items"], json!([]));
    let one = format!("{ALL}/{id}");
    ada.send(Method::DELETE, &one, None)
        .await
        .problem(404, "not-found");
    assert_eq!(town.api.stored::<Subscription>().await.len(), 1);
    ada.post(ALL, device("phone")).await.expect(201);
    // The same again is the same, as it was said last.
    let again = json!({ "fcm_token": "phone", "min_interval_minutes": 60 });
    let again = ada.post(ALL, again).await.expect(201);
    assert_eq!(
        (
            again.text_of("subscription_id"),
            &again.body["min_interval_minutes"]
        ),
        (id.as_str(), &json!(60))
    );
    assert_eq!(
        again.header("location"),
        Some(format!("/human{ALL}/{id}").as_str())
    );
    let second = ada.post(ALL, device("tablet")).await.expect(201);
    let listed = ada.get(ALL).await.expect(200).body;
    assert_eq!(listed["items"].as_array().unwrap().len(), 2);
    assert!(
        !listed.to_string().contains("phone"),
        "a token is not shown"
    );
    assert_eq!(bob.get(ALL).await.expect(200).body["items"], json!([]));

    let put = async |who: &crate::person::Person, body: Value| {
        who.send(Method::PUT, &one, Some(body)).await
    };
    put(&bob, json!({ "min_interval_minutes": 5 }))
        .await
        .problem(404, "not-found");
    put(&bob, device("bobs")).await.problem(404, "not-found");
    bob.send(Method::DELETE, &one, None)
        .await
        .problem(404, "not-found");
    put(&ada, device("tablet"))
        .await
        .problem(409, "taken")
        .about("fcm_token");
    put(&ada, device("new phone")).await.expect(200);
    bob.post(ALL, device("phone")).await.expect(201);
    ada.send(Method::DELETE, &one, None).await.expect(204);
    ada.send(Method::DELETE, &one, None)
        .await
        .problem(404, "not-found");
    put(&ada, device("x")).await.problem(404, "not-found");
    bob.post(ALL, device("new phone")).await.expect(201);
    let left = ada.get(ALL).await.expect(200).body;
    assert_eq!(
        left["items"][0]["subscription_id"],
        second.body["subscription_id"]
    );
}

/// However many addresses somebody has, they subscribe ten devices a day.
#[tokio::test]
async fn a_person_subscribes_few_devices_a_day() {
    let town = Town::at("2026-11-18T12:00:00.000Z").await;
    let ada = town.somebody().await;
    let subscribes = async |number: usize| {
        let there = ada.from(&format!("10.200.0.{number}"));
        let token = device(&format!("token-{number}"));
        there.post("/push/subscriptions", token).await
    };
    for number in 0..10 {
        let told = subscribes(number).await.expect(201);
        // From the first on it is told where they stand: each address has more left than they have.
        let left = (9 - number).to_string();
        assert_eq!(told.header("x-ratelimit-remaining"), Some(left.as_str()));
    }
    let refused = subscribes(10).await.problem(429, "rate-limited");
    assert_eq!(refused.header("retry-after"), Some("43200"));
    assert_eq!(
        refused.body["detail"],
        "10 new devices a day are the most for one person: again in 12 hours"
    );
    let why = "the new devices of this person are too many: 10 a day";
    assert_eq!(
        refused.body["errors"],
        json!([{ "field": "Authorization", "reason": why }])
    );
    // Also where something else is wrong, and on the page, in words and without what is for programs.
    let there = ada.from("10.200.1.1");
    let wrong = there.post("/push/subscriptions", device("")).await;
    let wrong = wrong.problem(422, "invalid");
    assert_eq!(wrong.header("x-ratelimit-remaining"), Some("0"));
    let page = there.sends("/settings/devices", "min_interval_minutes=30");
    let page = page.await.expect(429);
    assert!(page.text.contains("again in 12 hours"), "{}", page.text);
    assert!(!page.text.contains("Authorization"), "{}", page.text);
    assert_eq!(town.api.stored::<Subscription>().await.len(), 10);
    let bob = town.somebody().await;
    let another = bob.post("/push/subscriptions", device("token-10"));
    another.await.expect(201);
    town.clock.forward(43_200);
    subscribes(11).await.expect(201);
}

/// Somebody lost their cookie, and has their device: it is notified again, and no sooner than it would have been.
#[tokio::test]
async fn a_device_that_changes_hands_keeps_its_interval() {
    let town = Town::at(NOON).await;
    let (lost, new) = (town.somebody().await, town.somebody().await);
    let made = lost.post(ALL, device("phone")).await.expect(201);
    let id: Uuid = made.text_of("subscription_id").parse().unwrap();
    let items = town.api.ask.subscriptions.items();
    let key = ask::model::SubscriptionKey::new(id);
    let told: Timestamp = "2026-11-18T11:50:00.000Z".parse().unwrap();
    items
        .update(&key, |device| {
            device.last_notified_at = Some(told);
            device.active = false;
        })
        .await
        .unwrap();
    let said = json!({ "fcm_token": "phone", "min_interval_minutes": 60 });
    let taken = new.post(ALL, said).await.expect(201).body;
    assert_eq!(
        (&taken["active"], &taken["min_interval_minutes"]),
        (&json!(true), &json!(60))
    );
    let stored = items.read_strong(&key).await.unwrap().unwrap();
    let next: Timestamp = "2026-11-18T12:50:00.000Z".parse().unwrap();
    assert_eq!(stored.next_eligible_at, next);
    let listed = new.get(ALL).await.expect(200).body;
    assert_eq!(listed["items"][0]["subscription_id"], id.to_string());
}

/// S2-27, C2-3: the interval counts from the last notification.
#[tokio::test]
async fn another_interval_counts_from_the_last_notification() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await;
    let made = ada.post(ALL, device("phone")).await.expect(201);
    let id: Uuid = made.text_of("subscription_id").parse().unwrap();
    let one = format!("{ALL}/{id}");
    let items = town.api.ask.subscriptions.items();
    let key = ask::model::SubscriptionKey::new(id);
    let told: Timestamp = "2026-11-18T11:50:00.000Z".parse().unwrap();
    items
        .update(&key, |device| device.last_notified_at = Some(told))
        .await
        .unwrap();
    for (minutes, next) in [
        (5, "2026-11-18T11:55:00.000Z"),
        (1440, "2026-11-19T11:50:00.000Z"),
    ] {
        let body = json!({ "min_interval_minutes": minutes });
        let changed = ada.send(Method::PUT, &one, Some(body)).await.expect(200);
        assert_eq!(changed.body["min_interval_minutes"], minutes);
        let stored = items.read_strong(&key).await.unwrap().unwrap();
        assert_eq!(stored.next_eligible_at, next.parse().unwrap());
    }
    // A device Firebase no longer knew is told again once it has a new token.
    items
        .update(&key, |device| device.active = false)
        .await
        .unwrap();
    assert_eq!(
        ada.get(ALL).await.expect(200).body["items"][0]["active"],
        false
    );
    let changed = ada
        .send(Method::PUT, &one, Some(device("another")))
        .await
        .expect(200);
    assert_eq!(changed.body["active"], true);
}

#[tokio::test]
async fn what_is_not_allowed_subscribes_nobody() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await;
    for (body, field) in [
        (json!({}), "fcm_token"),
        (device(""), "fcm_token"),
        (device(&"x".repeat(501)), "fcm_token"),
        (device("two\nlines"), "fcm_token"),
        (
            json!({ "fcm_token": "x", "min_interval_minutes": 4 }),
            "min_interval_minutes",
        ),
        (
            json!({ "fcm_token": "x", "min_interval_minutes": 1441 }),
            "min_interval_minutes",
        ),
        (json!({ "fcm_token": "x", "active": false }), "active"),
    ] {
        ada.post(ALL, body)
            .await
            .problem(422, "invalid")
            .about(field);
    }
    assert_eq!(town.api.stored::<Subscription>().await, []);
}
