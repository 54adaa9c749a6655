//! What is stored against what was told, record by record.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::Duration;

use serde_json::Value;
use tasks::model::{Assignment, HistoryEntry, MailRecord, MailRecordState, Task};

use super::ground::Ground;
use crate::told::events;

/// How long nothing may arrive while something is missing.
const PATIENCE: Duration = Duration::from_secs(120);

const STEP: Duration = Duration::from_millis(100);

/// The mails that were in the hands of a notifier when it was killed or frozen, and how often each was. No claim reaches to what is on the wire: these alone may come again.
#[derive(Debug, Default)]
pub(super) struct InHands(BTreeMap<String, usize>);

impl InHands {
    /// Notes what is claimed and not settled. Whoever had it does nothing any more.
    pub(super) async fn note(&mut self, ground: &Ground) {
        let records = ground.api.stored::<MailRecord>().await;
        let claimed = records
            .iter()
            .filter(|one| one.state == MailRecordState::Claimed);
        for record in claimed {
            *self
                .0
                .entry(message_id(&record.event_id, &record.user_id))
                .or_default() += 1;
        }
    }
}

fn message_id(event_id: &str, user_id: &str) -> String {
    format!("<{event_id}.{user_id}@amalitech.com>")
}

/// Compares, record by record: every change has its event, which is told once and is once in the history; every event has its mails, and none came again but from the hands of one who was
/// killed or frozen over it.
pub(super) async fn compare(ground: &Ground, in_hands: &InHands) {
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
            "TaskAssigned" => mails.insert(message_id(&id, "member")),
            "TaskStatusUpdated" => mails.insert(message_id(&id, "admin")),
            _ => false,
        };
    }
    let received = || {
        let each = ground.server.received().into_iter();
        each.map(|mail| mail.id).collect()
    };
    arrives(ground, &mails, received).await;
    until_settled(ground, mails.len()).await;
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for mail in ground.server.received() {
        *times.entry(mail.id).or_default() += 1;
    }
    let again: usize = times.values().map(|times| times - 1).sum();
    for (mail, times) in times {
        let lost = in_hands.0.get(&mail).copied().unwrap_or_default();
        assert!(
            times <= 1 + lost,
            "{mail} came {times} times, and was in the hands of {lost} that were killed or frozen"
        );
    }
    let lines = events(ground.folder()).into_iter();
    let ids: Vec<String> = lines.map(|event| event["id"].to_string()).collect();
    let unlike: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(unlike.len(), ids.len(), "an event is in the log twice");
    history_is_whole(ground, &seen().into_values().collect()).await;
    eprintln!(
        "{} tasks, {} events, {} mails, {again} of them sent again",
        tasks.len(),
        expected.len(),
        mails.len()
    );
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
