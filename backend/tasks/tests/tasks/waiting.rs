//! Mails that wait: admins see them, numbers tell of them, and none is gone without a word.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tablewright_local::Engine;
use tablewright_mail::{Folder, Mailer};
use tablewright_testing::{Program, served};
use tasks::model::{MailRecord, MailRecordState, WaitingMail, WaitingMailNews};
use tasks::{Consumers, Notifier, Sending};

use crate::support::{Api, Asks as _, until};
use crate::told::mails;

const DAY: i64 = 24 * 3600;

/// How long mails that wait and records are kept, in seconds.
const KEPT: i64 = 30 * DAY;

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// A mail to ada that waits since then.
async fn waits(api: &Api, task: &str, event_id: &str, since: i64, due_at: i64) {
    let waiting = WaitingMail {
        task_id: task.parse().unwrap(),
        user_id: String::from("ada"),
        sequence: format!("{:0>40}", event_id.get(1..2).unwrap()),
        event_id: event_id.to_owned(),
        news: WaitingMailNews::Assigned,
        actor: Some(String::from("boss")),
        due_at,
        expires_at: since + KEPT,
    };
    api.tasks.waiting_mails.mail_waits(waiting).await.unwrap();
}

/// The record of a mail to ada that a server did not take.
async fn not_taken(api: &Api, event_id: &str, since: i64) {
    let record = MailRecord {
        event_id: event_id.to_owned(),
        user_id: String::from("ada"),
        state: MailRecordState::Failed,
        attempts: 3,
        signs: 0,
        refusals: 0,
        claimed_at: since,
        sent_at: None,
        error: Some(String::from("454 4.7.0 not now")),
        expires_at: since + KEPT,
    };
    api.tasks.mail_records.claim_mail(record).await.unwrap();
}

fn notifier(api: &Api, folder: &Path) -> Consumers {
    let sending = Sending {
        mailer: Mailer::Folder(Folder::new(folder.join("mail"))),
        from: "Tasks <noreply@amalitech.com>".parse().unwrap(),
        page: None,
        stale: Duration::from_secs(20),
        again: vec![Duration::ZERO; 2],
    };
    let mut consumers = Consumers::none();
    let notifier = Notifier::new(&api.tasks, sending);
    consumers.notify("tasks-notifier", &api.app, &api.following(), notifier);
    consumers
}

/// C1-20: admins see, page by page, to whom a mail waits, of which task, since when, when it is tried again and what the server said; also on their page.
#[tokio::test(flavor = "multi_thread")]
async fn admins_see_what_waits() {
    let api = Api::start().await;
    let (admin, _) = (api.admin("boss").await, api.member("ada").await);
    let empty = admin.get("/mail/waiting").await.expect(200).body;
    assert_eq!(empty, json!({ "items": [], "nextCursor": null }));
    let task = admin.task("Fix bug").await;
    let now = now();
    waits(&api, &task, "e1.TaskAssigned", now - 600, now + 330).await;
    waits(&api, &task, "e2.TaskAssigned", now - 60, now + 390).await;
    not_taken(&api, "e1.TaskAssigned", now - 600).await;

    let first = admin.get("/mail/waiting?limit=1").await.expect(200).body;
    let expected = json!({
        "eventId": "e1.TaskAssigned", "userId": "ada", "taskId": task, "since": now - 600, "nextTry": now + 330,
        "lastAnswer": "454 4.7.0 not now"
    });
    assert_eq!(first["items"], json!([expected]));
    let cursor = first["nextCursor"].as_str().unwrap();
    let path = format!("/mail/waiting?limit=1&cursor={cursor}");
    let second = admin.get(&path).await.expect(200).body;
    let behind = json!({
        "eventId": "e2.TaskAssigned", "userId": "ada", "taskId": task, "since": now - 60, "nextTry": now + 390,
        "lastAnswer": null
    });
    assert_eq!(second["items"], json!([behind]));
    let page = admin.get("~/page/people").await.expect(200).text;
    assert!(page.contains("Mails that wait") && page.contains("454 4.7.0 not now"));
    assert!(page.contains("ada@amalitech.com, since"), "{page}");
    let bad = admin.get("/mail/waiting?cursor=x").await;
    bad.problem(400, "bad-cursor");
}

/// C1-20: what nobody took for four weeks, and what waited behind it as long, is given up before it is forgotten: it is in the list of what did not arrive, with the reason. Who sends it again then gets it sent.
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_took_for_four_weeks_is_given_up_and_not_forgotten() {
    let (api, folder) = (Api::start().await, tempfile::tempdir().unwrap());
    let (admin, _) = (api.admin("boss").await, api.member("ada").await);
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "ada").await.expect(200);
    let (now, four_weeks_ago) = (now(), now() - 28 * DAY - 60);
    waits(&api, &task, "e1.TaskAssigned", four_weeks_ago, now).await;
    not_taken(&api, "e1.TaskAssigned", four_weeks_ago).await;
    waits(&api, &task, "e2.TaskAssigned", four_weeks_ago, now + 60).await;
    // Its time is not over.
    waits(&api, &task, "e3.TaskAssigned", now - 27 * DAY, now + 60).await;

    let consumers = notifier(&api, folder.path());
    while !api.stored::<WaitingMail>().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    until(|| mails(folder.path()).len() == 2).await;
    let listed = admin.get("/mail/undelivered").await.expect(200).body;
    let listed = listed["items"].as_array().unwrap();
    let mut events = Vec::new();
    for mail in listed {
        assert_eq!(mail["reason"], "nobody took it for four weeks", "{mail}");
        events.push(mail["eventId"].as_str().unwrap());
    }
    events.sort_unstable();
    assert_eq!(events, ["e1.TaskAssigned", "e2.TaskAssigned"]);
    for event in events {
        let record = api.tasks.mail_records.mail_record(event, "ada").await;
        let expires_at = record.unwrap().unwrap().expires_at;
        assert!(expires_at >= now + KEPT, "as long as it is in the list");
        let path = format!("/mail/undelivered/{event}/ada/send");
        admin.post_nothing(&path).await.expect(204);
    }
    until(|| mails(folder.path()).len() == 4).await;
    consumers.stop().await;
}

/// How many mails wait, and for how long the one that waits the longest, is among the numbers of the process that sends them.
#[tokio::test(flavor = "multi_thread")]
async fn the_numbers_say_what_waits() {
    let (engine, folder) = (Engine::temporary().unwrap(), tempfile::tempdir().unwrap());
    let endpoint = served(&engine).await;
    let api = Api::on(engine, folder.path()).await;
    let (admin, _) = (api.admin("boss").await, api.member("ada").await);
    let task = admin.task("Fix bug").await;
    for event in ["e1.TaskAssigned", "e2.TaskAssigned"] {
        waits(&api, &task, event, now() - DAY, now() + DAY).await;
    }
    let mut command = Program::command(env!("CARGO_BIN_EXE_tasks"), folder.path());
    command
        .arg("follow")
        .env("TABLEWRIGHT_ENDPOINT", endpoint)
        .env("TABLEWRIGHT_METRICS_ADDRESS", "127.0.0.1:0");
    let program = Program::start(command);
    let caller = program.caller(folder.path(), "boss");
    let number = async |name: &str| {
        let text = caller.get("~/metrics").await.expect(200).text;
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.map(|value| value.trim().parse::<f64>().unwrap())
    };
    while number("tasks_mails_waiting ").await != Some(2.0) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let waited = number("tasks_mails_waiting_seconds ").await.unwrap();
    assert!(waited >= DAY as f64, "{waited}");
    let counted = number("tasks_mails_total{outcome=\"waiting\"}").await;
    assert_eq!(counted, Some(0.0), "none was tried");
    program.kill();
}
