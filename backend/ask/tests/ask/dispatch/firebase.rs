//! What Firebase answers, and what becomes of devices and people then.

use tablewright::{Change, Error};
use tablewright_stream::{Failure, Handler as _};
use tablewright_testing::Mood;

use ask::model::{RefreshToken, Subscription, SubscriptionKey};

use crate::town::Town;

/// Who cannot be reached any more is not asked again, and somebody else is told in their place.
#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_is_gone_is_deactivated_and_another_is_told() {
    let town = Town::new().await;
    for gone in ["x1", "x2", "x3"] {
        town.firebase.plan(gone, [Mood::Unregistered]);
    }
    town.firebase.plan("x4", [Mood::NoToken]);
    let mut gone = Vec::new();
    for name in ["x1", "x2", "x3", "x4"] {
        gone.push(town.person(name, 30).await);
    }
    town.people(3, 30).await;
    let dispatcher = town.dispatcher();
    // All seven are wanted, so all four are found out.
    let question = town.asks_for(3).await;
    town.dispatch(&dispatcher, question).await;
    assert_eq!(town.told_of(question), ["p0", "p1", "p2"]);
    for id in gone {
        let device = town.subscription(id).await;
        assert!(!device.active, "{}", device.fcm_token);
    }
    town.clock.by_seconds(1801);
    let asked = town.firebase.asked();
    let next = town.asks_for(3).await;
    town.dispatch(&dispatcher, next).await;
    assert_eq!(town.told_of(next), ["p0", "p1", "p2"]);
    assert_eq!(
        town.firebase.asked(),
        asked + 3,
        "who is gone is left alone"
    );
}

/// Credentials of another project are our mistake: nobody is deactivated for it, not many are claimed, and with the right ones people are told.
#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_project_deactivates_nobody() {
    let town = Town::new().await;
    town.people(40, 30).await;
    town.firebase.always(Some(Mood::Mismatch));
    let question = town.asks_for(14).await;
    town.dispatch(&town.dispatcher(), question).await;
    let devices = town.api.stored::<Subscription>().await;
    assert_eq!(devices.iter().filter(|device| device.active).count(), 40);
    let claimed = town.notices(question).await.len();
    // Ten in a row, and those that were on their way with the last of them; each was tried once.
    assert!((10..=13).contains(&claimed), "{claimed}");
    assert_eq!(town.firebase.asked(), claimed);
    town.firebase.always(None);
    town.clock.by_seconds(901);
    town.dispatcher().catch_up().await.unwrap();
    assert_eq!(town.told_of(question).len(), 40 - claimed);
}

/// Once something was taken the credentials are right: devices of another project are wrong by themselves. They end, and silence nobody.
#[tokio::test(flavor = "multi_thread")]
async fn devices_of_another_project_end_and_silence_nobody() {
    let town = Town::new().await;
    town.people(15, 30).await;
    let dispatcher = town.dispatcher();
    let first = town.asks_for(1).await;
    town.dispatch(&dispatcher, first).await;
    assert_eq!(town.told_of(first).len(), 3);
    let mut foreign = Vec::new();
    for number in 0..40 {
        let name = format!("x{number}");
        town.firebase.plan(&name, [Mood::Mismatch; 9]);
        foreign.push(town.person(&name, 30).await);
    }
    town.clock.by_seconds(1801);
    let question = town.asks_for(5).await;
    town.dispatch(&dispatcher, question).await;
    // Each round that meets ten of them in a row ends ten.
    for until_it_is_due in [901, 1801, 1801, 1801] {
        town.clock.by_seconds(until_it_is_due);
        dispatcher.catch_up().await.unwrap();
    }
    let mut everybody: Vec<String> = (0..15).map(|number| format!("p{number}")).collect();
    everybody.sort();
    assert_eq!(town.told_of(question), everybody);
    let (mut ended, taken) = (0, town.firebase.taken().len());
    for id in foreign {
        ended += usize::from(!town.subscription(id).await.active);
    }
    // Each that was met was asked once.
    assert_eq!(town.firebase.asked(), taken + ended);
}

/// Should Firebase say of everybody that they are gone, some are believed to be, and the others are left alone for now.
#[tokio::test(flavor = "multi_thread")]
async fn when_many_in_a_row_are_gone_nobody_else_is_claimed() {
    let town = Town::new().await;
    town.people(40, 30).await;
    town.firebase.always(Some(Mood::Unregistered));
    let question = town.asks_for(1).await;
    town.dispatch(&town.dispatcher(), question).await;
    let devices = town.api.stored::<Subscription>().await;
    let gone = devices.iter().filter(|device| !device.active).count();
    // Ten in a row, and those that were on their way with the last of them.
    assert!((10..=13).contains(&gone), "{gone} are gone");
}

/// C2-20: the token was another when it was sent to; the device is there with its new one.
#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_came_back_with_a_new_token_stays() {
    let town = Town::new().await;
    let id = town.person("old", 30).await;
    town.firebase
        .plan("old", [Mood::Quota(Some(5)), Mood::Unregistered]);
    let dispatcher = town.dispatcher();
    let question = town.asks_for(1).await;
    let record = town.records(&[question]).await.remove(0);
    let telling = tokio::spawn(async move { dispatcher.handle(record).await });
    tablewright_testing::until(|| town.firebase.asked() == 1).await;
    let now = town.now();
    let new = |_: &_| {
        Ok::<_, Error>(RefreshToken {
            fcm_token: Change::Set(String::from("new")),
            active: Change::Set(true),
            updated_at: Change::Set(now),
        })
    };
    let key = SubscriptionKey::new(id);
    let subscriptions = &town.api.ask.subscriptions;
    subscriptions.refresh_token(&key, "old", new).await.unwrap();
    telling.await.unwrap().unwrap();
    assert_eq!(town.firebase.asked(), 2);
    let device = town.subscription(id).await;
    assert!(device.active && device.fcm_token == "new");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_firebase_has_no_room_for_is_sent_again() {
    let town = Town::new().await;
    town.people(3, 30).await;
    town.firebase
        .plan("p0", [Mood::Quota(None), Mood::Unavailable]);
    town.firebase.plan("p1", [Mood::Quota(Some(1))]);
    let question = town.asks_for(1).await;
    town.dispatch(&town.dispatcher(), question).await;
    assert_eq!(town.told_of(question), ["p0", "p1", "p2"]);
    assert_eq!(town.firebase.asked(), 6);
}

/// Firebase has taken it, and its answer is lost: nobody is told a second time, nor somebody else in their place.
#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_come_is_not_sent_again() {
    let town = Town::new().await;
    town.people(9, 30).await;
    for person in ["p0", "p4", "p8"] {
        town.firebase.plan(person, [Mood::Silent]);
    }
    let question = town.asks_for(3).await;
    town.dispatch(&town.dispatcher(), question).await;
    let told = town.told_of(question);
    let everybody: Vec<String> = (0..9).map(|number| format!("p{number}")).collect();
    assert_eq!(told, everybody, "each once");
    assert_eq!(town.firebase.asked(), 9);
    // When nobody answers at all, hardly anybody loses their turn.
    town.clock.by_seconds(1801);
    town.firebase.always(Some(Mood::Silent));
    let silent = town.asks_for(3).await;
    town.dispatch(&town.dispatcher(), silent).await;
    let claimed = town.notices(silent).await.len();
    assert!((3..=2 + 4).contains(&claimed), "{claimed}");
}

/// While Firebase is away hardly anybody loses their turn, and afterwards the others are told.
#[tokio::test(flavor = "multi_thread")]
async fn while_firebase_is_away_nobody_else_is_claimed() {
    let town = Town::new().await;
    town.people(60, 30).await;
    let dispatcher = town.dispatcher();
    town.firebase.always(Some(Mood::Unavailable));
    let question = town.asks_for(10).await;
    town.dispatch(&dispatcher, question).await;
    assert!(town.told_of(question).is_empty());
    // Three in a row, and those who were on their way at the same time.
    let lost = town.notices(question).await.len();
    assert!((3..=2 + 4).contains(&lost), "{lost}");
    town.firebase.always(None);
    town.clock.by_seconds(15 * 60);
    dispatcher.catch_up().await.unwrap();
    assert_eq!(town.told_of(question).len(), 30);
    assert_eq!(town.notices(question).await.len(), 30 + lost);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_let_in_claims_nobody_and_tells_later() {
    let town = Town::new().await;
    town.people(5, 30).await;
    town.firebase.give_no_tokens(true);
    let dispatcher = town.dispatcher();
    let question = town.asks_for(1).await;
    let record = town.records(&[question]).await.remove(0);
    let told = dispatcher.handle(record.clone()).await;
    assert!(matches!(told, Err(Failure::World(_))), "{told:?}");
    town.clock.by_seconds(15 * 60);
    dispatcher.catch_up().await.unwrap();
    assert!(town.notices(question).await.is_empty());
    town.firebase.give_no_tokens(false);
    dispatcher.handle(record).await.unwrap();
    assert_eq!(town.told_of(question).len(), 3);
    // The catch-up was not used up either.
    dispatcher.catch_up().await.unwrap();
    assert_eq!(town.told_of(question).len(), 5);
}

/// A message nobody takes does not use up everybody.
#[tokio::test(flavor = "multi_thread")]
async fn a_notification_that_is_refused_is_not_tried_on_everybody() {
    let town = Town::new().await;
    town.people(30, 30).await;
    town.firebase.always(Some(Mood::Invalid));
    let question = town.asks_for(2).await;
    town.dispatch(&town.dispatcher(), question).await;
    assert_eq!(town.firebase.asked(), 6);
    assert_eq!(town.notices(question).await.len(), 6);
}
