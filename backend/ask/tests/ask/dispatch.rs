//! Who is told of a question, when, and by whom: S2-8, S2-9, S2-18, S2-27 and what corrects them.

mod crash;
mod firebase;

use std::collections::BTreeSet;

use ask::model::{Question, QuestionKey, QuestionStatus};
use ask::rules::stats::{Given, with_answer};
use ask::{ABOUT, SETTINGS, Telling, consumers};
use tablewright::Uuid;
use tablewright_service::{Settings, Sources};
use tablewright_stream::Handler as _;
use tablewright_testing::{Mood, until};

use crate::town::Town;

/// S2-8, S2-9, S2-18, C2-1, C2-2: those who were never notified are as eligible as any, and who is not active is not.
#[tokio::test(flavor = "multi_thread")]
async fn three_people_are_told_for_each_answer_that_lacks() {
    let town = Town::new().await;
    town.people(40, 30).await;
    let gone = town.person("gone", 30).await;
    let dispatcher = town.dispatcher();
    town.firebase.plan("gone", [Mood::Unregistered; 9]);
    // Until chance has found who is gone.
    while town.subscription(gone).await.active {
        let question = town.asks_for(5).await;
        town.dispatch(&dispatcher, question).await;
        town.clock.by_seconds(1801);
    }
    let before = town.told();
    let question = town.asks_for(2).await;
    town.dispatch(&dispatcher, question).await;
    let told = town.told_of(question);
    assert_eq!(told.len(), 6, "{told:?}");
    assert_eq!(told.iter().collect::<BTreeSet<_>>().len(), 6);
    assert!(!told.contains(&String::from("gone")));
    assert_eq!(town.told().len(), before.len() + 1, "and of nothing else");
    let notices = town.notices(question).await;
    let people: BTreeSet<String> = notices
        .iter()
        .map(|notice| notice.fingerprint_hash.clone())
        .collect();
    assert_eq!(people.into_iter().collect::<Vec<_>>(), told);
    for notice in notices {
        assert_eq!(notice.round, 0);
        let device = town.subscription(notice.subscription_id).await;
        assert_eq!(device.last_notified_at, Some(notice.notified_at));
        assert_eq!(
            device.next_eligible_at.millis(),
            notice.notified_at.millis() + 30 * 60_000
        );
    }
    let message = town.firebase.taken().pop().unwrap();
    assert_eq!(
        message["webpush"]["fcm_options"]["link"],
        format!("https://ask.example.org/questions/{question}")
    );
    assert_eq!(
        message["notification"]["body"],
        "Would you cross this bridge on foot?"
    );
}

/// Who may not answer is not told, also on a device they brought after the ban, and takes nobody's place.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_banned_is_told_of_nothing() {
    let town = Town::new().await;
    let dispatcher = town.dispatcher();
    let before = town.asks_for(1).await;
    let key = QuestionKey::new(before);
    let question = town.api.ask.questions.items().read_strong(&key).await;
    let given = Given {
        length: 1,
        confidence: None,
        at: town.now(),
        response_time_ms: 1000,
        notified_at: None,
        zone: None,
    };
    let mut banned = with_answer("banned", None, &question.unwrap().unwrap(), &given);
    banned.banned_at = Some(town.now());
    let stats = town.api.ask.user_stats.items();
    stats.insert(banned).await.unwrap();
    for device in ["phone", "tablet", "laptop"] {
        town.device("banned", device, 30).await;
    }
    town.people(3, 30).await;
    let question = town.asks_for(1).await;
    town.dispatch(&dispatcher, question).await;
    assert_eq!(town.told_of(question), ["p0", "p1", "p2"]);
}

/// S2-27, C2-3: one threshold for all could not do this.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_told_within_the_interval_they_chose() {
    let town = Town::new().await;
    for (name, minutes) in [("often", 5), ("usual", 30), ("seldom", 1440)] {
        town.person(name, minutes).await;
    }
    let dispatcher = town.dispatcher();
    let all = vec!["often", "seldom", "usual"];
    for (seconds, told) in [
        (0, all.clone()),
        (4 * 60, vec![]),
        (60, vec!["often"]),
        (24 * 60, vec!["often"]),
        (60, vec!["usual"]),
        (24 * 60, vec!["often"]),
        (23 * 3600 + 6 * 60, all),
    ] {
        town.clock.by_seconds(seconds);
        let question = town.asks_for(1).await;
        town.dispatch(&dispatcher, question).await;
        assert_eq!(town.told_of(question), told, "after {seconds} seconds more");
    }
}

/// C2-20: who has answered is not told, and one device a person is enough.
#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_told_of_one_question_once_and_not_when_they_answered() {
    let town = Town::new().await;
    for device in ["phone", "tablet", "desk"] {
        town.device("many", device, 5).await;
    }
    town.people(2, 30).await;
    town.person("answered", 30).await;
    let dispatcher = town.dispatcher();
    let question = town.asks_for(5).await;
    town.answer(question, "answered").await;
    town.dispatch(&dispatcher, question).await;
    let told = town.told_of(question);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(!told.contains(&String::from("answered")));
    // The other devices of whoever was told stay silent about it, also when others are told again.
    town.clock.by_seconds(15 * 60);
    dispatcher.catch_up().await.unwrap();
    assert_eq!(town.told_of(question), told);
}

/// A record comes again when whoever had it died: the notices tell what was done.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_comes_again_tells_nobody_else() {
    let town = Town::new().await;
    town.people(30, 5).await;
    let question = town.asks_for(3).await;
    let records = town.records(&[question]).await;
    for _ in 0..3 {
        let dispatcher = town.dispatcher();
        for record in &records {
            dispatcher.handle(record.clone()).await.unwrap();
        }
        assert_eq!(town.told_of(question).len(), 9);
        // They could be told again by now, and are not.
        town.clock.by_seconds(301);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_told_of_what_is_over() {
    let town = Town::new().await;
    town.people(5, 5).await;
    let dispatcher = town.dispatcher();
    let closed = town.asks_for(1).await;
    town.change(closed, |question| {
        question.status = QuestionStatus::Closed;
        question.responses_needed = 0;
    })
    .await;
    town.dispatch(&dispatcher, closed).await;
    let expired = town.asks_for(1).await;
    town.clock.by_seconds(7200);
    town.dispatch(&dispatcher, expired).await;
    dispatcher.catch_up().await.unwrap();
    assert_eq!(town.firebase.asked(), 0);
}

/// After 15 minutes, and then every 30, for as long as answers lack; others each time.
#[tokio::test(flavor = "multi_thread")]
async fn others_are_told_of_what_still_lacks_answers() {
    let town = Town::new().await;
    town.people(20, 5).await;
    let (dispatcher, other) = (town.dispatcher(), town.dispatcher());
    let question = town.asks_for(2).await;
    town.dispatch(&dispatcher, question).await;
    let mut rounds = vec![town.told_of(question).len()];
    for seconds in [15 * 60 - 60, 70, 1740, 120, 1740, 120, 1740, 120] {
        town.clock.by_seconds(seconds);
        // Two at once, and again at once: one of them does it.
        let (one, two) = tokio::join!(dispatcher.catch_up(), other.catch_up());
        one.and(two).unwrap();
        other.catch_up().await.unwrap();
        rounds.push(town.told_of(question).len());
    }
    // Six each time, until everybody of the twenty was told.
    assert_eq!(rounds, [6, 6, 12, 12, 18, 18, 20, 20, 20]);
    let told = town.told_of(question);
    assert_eq!(told.iter().collect::<BTreeSet<_>>().len(), 20, "each once");
    let mut numbers: Vec<i64> = town
        .notices(question)
        .await
        .iter()
        .map(|notice| notice.round)
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers, [0, 1, 2, 3]);
}

/// Who has more devices than anybody looks at people is one person, and hides nobody.
#[tokio::test(flavor = "multi_thread")]
async fn many_devices_of_one_person_hide_nobody() {
    let town = Town::new().await;
    for number in 0..2100 {
        let device = format!("many-{number}");
        town.device("many", &device, 30).await;
    }
    town.clock.by_seconds(1);
    town.people(20, 30).await;
    let question = town.asks_for(5).await;
    town.dispatch(&town.dispatcher(), question).await;
    let told = town.told_of(question);
    assert_eq!(told.len(), 15, "{told:?}");
    let many = told.iter().filter(|device| device.starts_with("many"));
    assert!(many.count() <= 1, "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn as_answers_come_fewer_are_told() {
    let town = Town::new().await;
    town.people(40, 5).await;
    let dispatcher = town.dispatcher();
    let question = town.asks_for(5).await;
    town.dispatch(&dispatcher, question).await;
    assert_eq!(town.told_of(question).len(), 15);
    town.change(question, |question| {
        question.status = QuestionStatus::Partial;
        question.current_responses = 4;
        question.responses_needed = 1;
    })
    .await;
    town.clock.by_seconds(15 * 60);
    dispatcher.catch_up().await.unwrap();
    assert_eq!(town.told_of(question).len(), 18);
    town.change(question, |question| {
        question.status = QuestionStatus::Closed;
        question.responses_needed = 0;
    })
    .await;
    town.clock.by_seconds(30 * 60);
    dispatcher.catch_up().await.unwrap();
    assert_eq!(town.told_of(question).len(), 18);
}

/// C2-4: both get every record at the same time, which is worse than what leases allow.
#[tokio::test(flavor = "multi_thread")]
async fn two_dispatchers_at_once_tell_nobody_twice() {
    let town = Town::new().await;
    town.people(300, 30).await;
    let mut questions = Vec::new();
    for _ in 0..50 {
        questions.push(town.asks_for(5).await);
    }
    let one = town.follow("one", town.dispatcher());
    let two = town.follow("two", town.dispatcher());
    town.until_taken(150).await;
    // In the middle of it both end. Whatever was not begun yet, or was left, is done once more, by everybody.
    one.stop().await;
    two.stop().await;
    let (third, fourth) = (town.dispatcher(), town.dispatcher());
    for record in town.records(&questions).await {
        let (one, two) = tokio::join!(third.handle(record.clone()), fourth.handle(record));
        one.and(two).unwrap();
    }
    let told = town.told();
    let devices: Vec<&String> = told.values().flatten().collect();
    assert_eq!(devices.len(), 300, "nobody within their interval");
    assert_eq!(devices.iter().collect::<BTreeSet<_>>().len(), 300);
    for (question, devices) in &told {
        // Together they tell no more than are wanted.
        assert!(devices.len() <= 15, "{question}: {}", devices.len());
        let id: Uuid = question.parse().unwrap();
        assert_eq!(town.notices(id).await.len(), devices.len());
    }
}

/// C2-4: who loses a race for somebody goes on to somebody else; the places are what all of them share.
#[tokio::test(flavor = "multi_thread")]
async fn many_dispatchers_at_once_tell_no_more_than_are_wanted() {
    let town = Town::new().await;
    town.people(150, 30).await;
    for gone in ["p3", "p50", "p77", "p120"] {
        town.firebase.plan(gone, [Mood::Unregistered]);
    }
    let question = town.asks_for(4).await;
    let record = town.records(&[question]).await.remove(0);
    let told_by_all = async || {
        let each = (0..8).map(|_| {
            let (dispatcher, record) = (town.dispatcher(), record.clone());
            tokio::spawn(async move { dispatcher.handle(record).await })
        });
        let each: Vec<_> = each.collect();
        for one in each {
            one.await.unwrap().unwrap();
        }
    };
    told_by_all().await;
    assert_eq!(town.told_of(question).len(), 12);
    let places = async || {
        let found = town.api.ask.outreaches.outreach(question).await;
        found.unwrap().unwrap()
    };
    assert_eq!((places().await.wanted, places().await.told), (12, 12));
    // Answers came; the catch-up belongs to one, and the record that comes again meanwhile takes of the same places.
    town.change(question, |question| {
        question.status = QuestionStatus::Partial;
        question.current_responses = 2;
        question.responses_needed = 2;
    })
    .await;
    town.clock.by_seconds(15 * 60);
    let (one, two) = (town.dispatcher(), town.dispatcher());
    let (one, two, ()) = tokio::join!(one.catch_up(), two.catch_up(), told_by_all());
    one.and(two).unwrap();
    told_by_all().await;
    let told = town.told_of(question);
    assert_eq!(told.len(), 18);
    assert_eq!(told.iter().collect::<BTreeSet<_>>().len(), 18, "each once");
    let after = places().await;
    assert_eq!((after.round, after.wanted, after.told), (1, 18, 18));
}

/// As `ask` runs on somebody's own machine: everybody beside the server, and a folder instead of Firebase.
#[tokio::test(flavor = "multi_thread")]
async fn without_credentials_notifications_are_files() {
    let town = Town::new().await;
    town.people(5, 30).await;
    let folder = tempfile::tempdir().unwrap();
    let sources = Sources::none()
        .variable("TABLEWRIGHT_ENDPOINT", "temporary")
        .variable("TABLEWRIGHT_PUSH_FOLDER", folder.path().to_str().unwrap())
        .variable("TABLEWRIGHT_SWEEP_EVERY", "100ms");
    let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap();
    let telling = Telling::of(&settings).unwrap();
    let running = consumers(&town.api.app, &town.following(), telling);
    let question = town.asks_for(1).await;
    let files = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let whole = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
        whole.collect::<Vec<_>>()
    };
    until(|| files().len() == 3).await;
    // The catch-up and the sweeper run beside it.
    town.clock.by_seconds(15 * 60);
    until(|| files().len() == 5).await;
    town.clock.by_seconds(7200);
    let questions = &town.api.ask.questions;
    let waited = tokio::time::timeout(std::time::Duration::from_secs(60), async {
        let expired = |found: &Question| found.status == QuestionStatus::Expired;
        while !expired(&questions.question(question).await.unwrap().unwrap()) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    });
    waited.await.expect("it is marked");
    running.stop().await;
    let people = town.notices(question).await;
    let mut names: Vec<String> = people
        .iter()
        .map(|notice| format!("{question}.{}.json", notice.fingerprint_hash))
        .collect();
    names.sort();
    let mut kept: Vec<String> = files()
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    kept.sort();
    assert_eq!(kept, names);
}
