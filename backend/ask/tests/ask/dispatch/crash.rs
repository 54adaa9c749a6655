//! The program itself, killed while it tells people: nobody is told twice, and hardly anybody is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ask::model::Notice;
use tablewright_local::Engine;
use tablewright_testing::until;
use tokio::net::TcpListener;

use crate::support::{Ahead, Api};
use crate::town::Town;

const ROUNDS: usize = 6;

const PEOPLE: usize = 200;

/// How many notifications a dispatcher has in its hands: four questions at once, and as many in catching up, with four each.
const IN_HANDS: usize = (4 + 4) * 4;

/// A program that runs.
struct Follower(Child);

impl Follower {
    fn start(endpoint: &str, town: &Town) -> Self {
        let folder = town.credentials.parent().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_ask"))
            .arg("follow")
            .env("TABLEWRIGHT_ENDPOINT", endpoint)
            .env("TABLEWRIGHT_ISSUER_KEYS", folder)
            .env("TABLEWRIGHT_LOG", "error")
            .env("TABLEWRIGHT_STREAM_LEASE", "1s")
            .env("TABLEWRIGHT_SWEEP_EVERY", "100ms")
            .env("TABLEWRIGHT_FCM_CREDENTIALS", &town.credentials)
            .env("TABLEWRIGHT_FCM_ENDPOINT", &town.firebase.url)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Follower(child.unwrap())
    }
}

impl Drop for Follower {
    /// As a loss of power would.
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// C2-4: kill -9 of `ask follow` at random points.
#[tokio::test(flavor = "multi_thread")]
async fn killed_while_it_tells_people_it_tells_nobody_twice() {
    let engine = Engine::temporary().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let serving = tablewright_local::serve(engine.clone(), listener, std::future::pending());
    tokio::spawn(serving);
    let store = tablewright::Store::new(engine.dynamodb());
    let api = Api::with(engine, &store, &[]).await;
    let town = Town::of(api, Ahead::default()).await;
    // Once a day: whoever is told is not told again before this test is over.
    town.people(PEOPLE, 1440).await;

    let mut questions = Vec::new();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut kills = 0;
    let mut follower = Follower::start(&endpoint, &town);
    for _ in 0..ROUNDS {
        for _ in 0..3 {
            questions.push(town.asks_for(3).await);
        }
        let before = town.firebase.asked();
        until(|| town.firebase.asked() > before).await;
        // xorshift: random enough, and the same every time.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        tokio::time::sleep(Duration::from_millis(seed % 120)).await;
        // The next one is there already: it takes over when the lease of the one that died has ended.
        let next = Follower::start(&endpoint, &town);
        drop(std::mem::replace(&mut follower, next));
        kills += 1;
    }
    // What was asked is told of in the end, but for what was lost.
    let told_of_all = || async {
        for question in &questions {
            if town.notices(*question).await.len() < 9 {
                return false;
            }
        }
        true
    };
    let waited = tokio::time::timeout(Duration::from_secs(120), async {
        while !told_of_all().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    waited.await.expect("everything is told of");
    // All that was claimed by whoever is alive is sent, or lost with one that died.
    let sent = || town.firebase.taken().len();
    let mut last = sent();
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        if sent() == last {
            break;
        }
        last = sent();
    }
    drop(follower);

    let told = town.told();
    let devices: Vec<&String> = told.values().flatten().collect();
    let different: BTreeSet<&&String> = devices.iter().collect();
    assert_eq!(devices.len(), different.len(), "somebody was told twice");
    let notices = town.api.stored::<Notice>().await;
    let mut claimed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for notice in &notices {
        let of = claimed.entry(notice.question_id.to_string()).or_default();
        of.insert(notice.fingerprint_hash.clone());
    }
    for (question, devices) in &told {
        for device in devices {
            assert!(
                claimed[question].contains(device),
                "{device} was not claimed"
            );
        }
    }
    assert!(
        claimed.values().all(|people| people.len() == 9),
        "{claimed:?}"
    );
    let lost = notices.len() - devices.len();
    eprintln!(
        "{} questions, {} people told, {lost} lost in {kills} deaths",
        questions.len(),
        devices.len()
    );
    assert!(lost <= kills * IN_HANDS, "{lost} were lost");
}
