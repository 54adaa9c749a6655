//! The programs themselves, killed and frozen under load: what was committed has its event, every event its mails, and no mail comes twice.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tasks::model::{Assignment, HistoryEntry, MailRecord, MailRecordState, Task};

use super::ground::Ground;
use crate::support::{Caller, until};
use crate::told::events;

const ROUNDS: usize = 50;

/// How many mails a notifier sends at once.
const AT_ONCE: usize = 4;

/// How long nothing may arrive while something is missing.
const PATIENCE: Duration = Duration::from_secs(60);

const STEP: Duration = Duration::from_millis(100);

/// Makes tasks, assigns and moves them, whoever is there to answer.
async fn work(
    admin: Caller,
    member: Caller,
    worker: usize,
    over: Arc<AtomicBool>,
    done: Arc<AtomicUsize>,
) {
    let mut number = 0;
    while !over.load(Ordering::SeqCst) {
        number += 1;
        let title = format!("{worker}-{number}");
        let made = admin
            .try_post("/tasks", serde_json::json!({ "title": title }))
            .await;
        let Some(id) = made.and_then(|made| made.body["taskId"].as_str().map(str::to_owned)) else {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let assign = serde_json::json!({ "userId": "member" });
        if admin
            .try_post(&format!("/tasks/{id}/assign"), assign)
            .await
            .is_none()
        {
            continue;
        }
        for status in ["IN_PROGRESS", "COMPLETED"] {
            let status = serde_json::json!({ "status": status });
            if member
                .try_put(&format!("/tasks/{id}/status"), status)
                .await
                .is_none()
            {
                break;
            }
        }
        done.fetch_add(1, Ordering::SeqCst);
        // More than the notifiers can send would only be waited for.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Compares, record by record, what is stored with what was told. Says how often a mail came to the server that had come before.
async fn compare(ground: &Ground) -> usize {
    let tasks = ground.api.stored::<Task>().await;
    let assignments = ground.api.stored::<Assignment>().await;
    // Every event there must be, by task: created, assigned, and one for each status it came through.
    let mut expected: BTreeSet<(String, &str, String)> = BTreeSet::new();
    for task in &tasks {
        let id = task.task_id.to_string();
        expected.insert((id.clone(), "TaskCreated", String::new()));
        let came_through: &[&str] = match task.status.as_str() {
            "IN_PROGRESS" => &["IN_PROGRESS"],
            "COMPLETED" => &["IN_PROGRESS", "COMPLETED"],
            _ => &[],
        };
        for status in came_through {
            expected.insert((id.clone(), "TaskStatusUpdated", (*status).to_owned()));
        }
    }
    for assignment in &assignments {
        expected.insert((
            assignment.task_id.to_string(),
            "TaskAssigned",
            String::new(),
        ));
    }
    let seen = || -> BTreeMap<(String, String, String), String> {
        let each = events(ground.folder()).into_iter();
        let of_tasks = each.filter(|event| event["detail"]["TaskId"].is_string());
        of_tasks
            .map(|event| {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let (id, detail) = (text(&event["id"]), &event["detail"]);
                let of = (
                    text(&detail["TaskId"]),
                    text(&event["detail-type"]),
                    text(&detail["NewStatus"]),
                );
                (of, id)
            })
            .collect()
    };
    let expected: BTreeSet<(String, String, String)> = expected
        .into_iter()
        .map(|(task, name, status)| (task, name.to_owned(), status))
        .collect();
    arrives(ground, &expected, || seen().into_keys().collect()).await;

    // Every event has its mail: an assignment to the member, a status to the admin, who made the task.
    let mut mails = BTreeSet::new();
    for ((_, name, _), id) in seen() {
        match name.as_str() {
            "TaskAssigned" => mails.insert(format!("<{id}.member@amalitech.com>")),
            "TaskStatusUpdated" => mails.insert(format!("<{id}.admin@amalitech.com>")),
            _ => false,
        };
    }
    let received = || {
        let each = ground.server.received().into_iter();
        each.map(|mail| mail.id).collect()
    };
    arrives(ground, &mails, received).await;
    until_settled(ground, mails.len()).await;
    // A mailbox has each once, by its name.
    let received = ground.server.received();
    let again = received.iter().filter(|mail| mail.again).count();
    // And whatever came again was claimed anew: nobody sends what is recorded as sent, or what another sends.
    let records = ground.api.stored::<MailRecord>().await;
    for mail in received.iter().filter(|mail| mail.again) {
        let is_its = |record: &&MailRecord| {
            mail.id == format!("<{}.{}@amalitech.com>", record.event_id, record.user_id)
        };
        let record = records.iter().find(is_its).unwrap();
        assert!(record.attempts > 1, "{mail:?}: {record:?}");
    }
    history_is_whole(ground, &seen().into_values().collect()).await;
    eprintln!(
        "{} tasks, {} events, {} mails, {again} of them sent again",
        tasks.len(),
        expected.len(),
        mails.len()
    );
    again
}

/// Every event of a task is in its history, once.
async fn history_is_whole(ground: &Ground, events: &BTreeSet<String>) {
    let mut still = Duration::ZERO;
    loop {
        let entries = ground.api.stored::<HistoryEntry>().await;
        let there: BTreeSet<String> = entries.iter().map(|one| one.event_id.clone()).collect();
        assert_eq!(there.len(), entries.len(), "none twice");
        if there == *events {
            return;
        }
        assert!(
            still < PATIENCE,
            "history has {} of {}",
            there.len(),
            events.len()
        );
        tokio::time::sleep(STEP).await;
        still += STEP;
    }
}

/// Waits until all is there that must be, for as long as more of it comes; there is never anything else.
async fn arrives<T: Ord + Debug>(
    ground: &Ground,
    expected: &BTreeSet<T>,
    mut there: impl FnMut() -> BTreeSet<T>,
) {
    let mut still = Duration::ZERO;
    let mut before = 0;
    loop {
        let found = there();
        let foreign: Vec<&T> = found.difference(expected).collect();
        assert!(foreign.is_empty(), "nobody knows of {foreign:?}");
        if found.len() == expected.len() {
            return;
        }
        if found.len() > before {
            (before, still) = (found.len(), Duration::ZERO);
        }
        if still >= PATIENCE {
            let missing: Vec<&T> = expected.difference(&found).collect();
            let leases = ground.leases().await;
            panic!(
                "of {} there are missing {missing:?}\n{leases}",
                expected.len()
            );
        }
        tokio::time::sleep(STEP).await;
        still += STEP;
    }
}

/// Waits until every record of a mail says that it was sent, for as long as more of them do.
async fn until_settled(ground: &Ground, many: usize) {
    let (mut still, mut before) = (Duration::ZERO, 0);
    loop {
        let mails = ground.api.stored::<MailRecord>().await;
        let is_sent = |mail: &&MailRecord| mail.state == MailRecordState::Sent;
        let sent = mails.iter().filter(is_sent).count();
        if mails.len() == many && sent == many {
            return;
        }
        if sent > before {
            (before, still) = (sent, Duration::ZERO);
        }
        assert!(
            still < PATIENCE,
            "of {many} mails {sent} are recorded as sent: {mails:?}"
        );
        tokio::time::sleep(STEP).await;
        still += STEP;
    }
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
    let ground = Ground::new().await;
    let port = free_port();
    let (admin, member) = ground.api.at(port);
    let (over, done) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    ground.api.admin("admin").await;
    ground.api.member("member").await;
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let (over, done) = (Arc::clone(&over), Arc::clone(&done));
            tokio::spawn(work(admin.clone(), member.clone(), worker, over, done))
        })
        .collect();
    let mut service = Some(ground.program("serve", port));
    let mut consumer = Some(ground.program("follow", 0));
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut killed_consumers = 0;
    for round in 0..ROUNDS {
        // xorshift: random enough, and the same every time.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        // Every other round there has been work to break off, however slow the machine is; the rest come whenever they come.
        let (kills_service, kills_consumer) = (round % 3 != 1, round % 3 != 0);
        if round % 2 == 0 {
            let (made, before) = (done.load(Ordering::SeqCst), told(&ground));
            until(|| !kills_service || done.load(Ordering::SeqCst) > made).await;
            until(|| !kills_consumer || told(&ground) > before).await;
        }
        tokio::time::sleep(Duration::from_millis(100 + seed % 900)).await;
        if kills_consumer && let Some(killed) = consumer.replace(ground.program("follow", 0)) {
            killed.kill();
            killed_consumers += 1;
        }
        if kills_service && let Some(killed) = service.take() {
            killed.kill();
            service = Some(ground.program("serve", port));
        }
    }
    over.store(true, Ordering::SeqCst);
    for worker in workers {
        worker.await.unwrap();
    }
    let again = compare(&ground).await;
    // Sent again is only what a notifier had on the wire when it was killed.
    assert!(
        again <= killed_consumers * AT_ONCE,
        "{again} of {killed_consumers}"
    );
}

/// Two consumers, one of them frozen while it holds mails in its hands, and resumed: nothing is done twice.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_consumer_that_was_frozen_does_nothing_twice() {
    let ground = Ground::new().await;
    let (over, done) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let (admin, member) = (
        ground.api.admin("admin").await,
        ground.api.member("member").await,
    );
    let first = ground.program("follow", 0);
    let working = tokio::spawn(work(admin, member, 0, Arc::clone(&over), done));
    let server = &ground.server;
    until(|| server.received().len() > 5).await;
    let second = ground.program("follow", 0);
    for _ in 0..3 {
        first.signal("STOP");
        // Longer than a lease, and longer than a claim: the other has taken over.
        tokio::time::sleep(Duration::from_millis(4500)).await;
        let before = server.received().len();
        until(|| server.received().len() > before + 3).await;
        first.signal("CONT");
        second.signal("STOP");
        tokio::time::sleep(Duration::from_millis(4500)).await;
        let before = server.received().len();
        until(|| server.received().len() > before + 3).await;
        second.signal("CONT");
    }
    over.store(true, Ordering::SeqCst);
    working.await.unwrap();
    let again = compare(&ground).await;
    // No fence reaches to a mail that is on the wire: it is sent again as the same mail. There are no more of them than a notifier has in its hands.
    assert!(again <= 6 * AT_ONCE, "{again}");
}
