//! The programs themselves, killed and frozen under load: what was committed has its event, every event its mails, and no mail comes twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use super::compare::{InHands, compare};
use super::ground::Ground;
use crate::support::{Caller, until};

const ROUNDS: usize = 50;

/// The mails of one task: of its assignment, and of each status.
const MAILS: usize = 3;

/// How many mails may be behind: a load at every moment, and no long wait in the end.
const BEHIND: usize = 60;

/// People who work, whoever is there to answer.
struct Work {
    ground: Arc<Ground>,
    admin: Caller,
    member: Caller,
    over: AtomicBool,
    /// Tasks that were made, assigned and completed.
    done: AtomicUsize,
}

impl Work {
    fn new(ground: &Arc<Ground>, admin: Caller, member: Caller) -> Arc<Self> {
        Arc::new(Work {
            ground: Arc::clone(ground),
            admin,
            member,
            over: AtomicBool::new(false),
            done: AtomicUsize::new(0),
        })
    }

    fn done(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }

    async fn goes_on(&self, worker: usize) {
        let mut number = 0;
        while !self.over.load(Ordering::SeqCst) {
            let received = self.ground.server.received().len();
            number += 1;
            let is_behind = self.done() * MAILS > received + BEHIND;
            if is_behind || self.one(&format!("{worker}-{number}")).await.is_none() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// A task from its making to its end, as far as somebody answers.
    async fn one(&self, title: &str) -> Option<()> {
        let made = self.admin.try_post("/tasks", json!({ "title": title }));
        let id = made.await?.body["taskId"].as_str()?.to_owned();
        let assign = json!({ "userId": "member" });
        self.admin
            .try_post(&format!("/tasks/{id}/assign"), assign)
            .await?;
        for status in ["IN_PROGRESS", "COMPLETED"] {
            let status = json!({ "status": status });
            self.member
                .try_put(&format!("/tasks/{id}/status"), status)
                .await?;
        }
        self.done.fetch_add(1, Ordering::SeqCst);
        Some(())
    }
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// How much has been told.
fn told(ground: &Ground) -> u64 {
    let files = std::fs::read_dir(ground.folder().join("events"));
    let files = files.into_iter().flatten().flatten();
    files.map(|file| file.metadata().unwrap().len()).sum()
}

/// C1-3, C1-20: kill -9 of the service and of the consumer, at random points under load.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn killed_under_load_nothing_is_lost_and_nothing_comes_twice() {
    let ground = Arc::new(Ground::new().await);
    let port = free_port();
    let (admin, member) = ground.api.at(port);
    ground.api.admin("admin").await;
    ground.api.member("member").await;
    let work = Work::new(&ground, admin, member);
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let work = Arc::clone(&work);
            tokio::spawn(async move { work.goes_on(worker).await })
        })
        .collect();
    let mut service = Some(ground.program("serve", port));
    let mut consumer = Some(ground.program("follow", 0));
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut in_hands = InHands::default();
    for round in 0..ROUNDS {
        // xorshift: random enough, and the same every time.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        // Where both are killed, both had work to break off, however slow the machine is; the other rounds come whenever they come.
        let (kills_service, kills_consumer) = (round % 3 != 1, round % 3 != 0);
        if kills_service && kills_consumer {
            let (made, before) = (work.done(), told(&ground));
            until(|| work.done() > made && told(&ground) > before).await;
        }
        // Some are not taken at first: who is killed then has mails that wait.
        if round % 5 == 0 {
            ground.server.tell("later 2");
        }
        tokio::time::sleep(Duration::from_millis(50 + seed % 700)).await;
        if kills_consumer && let Some(killed) = consumer.take() {
            killed.kill();
            in_hands.note(&ground).await;
            consumer = Some(ground.program("follow", 0));
        }
        if kills_service && let Some(killed) = service.take() {
            killed.kill();
            service = Some(ground.program("serve", port));
        }
    }
    work.over.store(true, Ordering::SeqCst);
    for worker in workers {
        worker.await.unwrap();
    }
    compare(&ground, &in_hands).await;
}

/// Two consumers, one of them frozen while it holds mails in its hands, and resumed: nothing is done twice.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_consumer_that_was_frozen_does_nothing_twice() {
    let ground = Arc::new(Ground::new().await);
    let (admin, member) = (
        ground.api.admin("admin").await,
        ground.api.member("member").await,
    );
    let first = ground.program("follow", 0);
    let work = Work::new(&ground, admin, member);
    let working = tokio::spawn({
        let work = Arc::clone(&work);
        async move { work.goes_on(0).await }
    });
    let server = &ground.server;
    until(|| server.received().len() > 5).await;
    let second = ground.program("follow", 0);
    let mut in_hands = InHands::default();
    for frozen in [&first, &second].repeat(3) {
        frozen.signal("STOP");
        in_hands.note(&ground).await;
        // Longer than a lease, and longer than a claim: the other has taken over.
        tokio::time::sleep(Duration::from_millis(4500)).await;
        let before = server.received().len();
        until(|| server.received().len() > before + 3).await;
        frozen.signal("CONT");
    }
    work.over.store(true, Ordering::SeqCst);
    working.await.unwrap();
    compare(&ground, &in_hands).await;
}
