//! Mails that wait, sent by a function that a schedule calls.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tablewright_local::Engine;
use tablewright_testing::{Function, served};
use tasks::model::{MailRecord, MailRecordState, WaitingMail, WaitingMailNews};

use super::program;
use crate::support::{Api, Asks as _};
use crate::told::mails;

/// How many tasks somebody waits to hear of.
const TASKS: usize = 10;

const HOUR: i64 = 3600;

fn called_by_a_schedule() -> Value {
    json!({ "source": "aws.events", "detail-type": "Scheduled Event", "detail": {} })
}

async fn sends_what_waits(endpoint: &str, folder: &Path) -> Function {
    let words = ["follow", "tasks-waiting-mails"];
    Function::start(program(&words, endpoint, folder)).await
}

/// A mail to ada that waits.
pub(crate) async fn waits(api: &Api, task: &str, event_id: &str, due_at: i64) {
    let waiting = WaitingMail {
        task_id: task.parse().unwrap(),
        user_id: String::from("ada"),
        sequence: format!("{:040}", 1),
        event_id: event_id.to_owned(),
        news: WaitingMailNews::Assigned,
        actor: Some(String::from("boss")),
        due_at,
        expires_at: due_at + 30 * 24 * HOUR,
    };
    api.tasks.waiting_mails.mail_waits(waiting).await.unwrap();
}

/// C1-20: nothing changes in the table, and what waits is sent all the same when it is due: each mail once, by two functions at the same time and however often they are called. What is not due waits.
#[tokio::test(flavor = "multi_thread")]
async fn a_schedule_sends_what_waits_when_it_is_due() {
    let (engine, folder) = (Engine::temporary().unwrap(), tempfile::tempdir().unwrap());
    let endpoint = served(&engine).await;
    let api = Api::on(engine, folder.path()).await;
    let (admin, _) = (api.admin("boss").await, api.member("ada").await);
    let now = jiff::Timestamp::now().as_second();
    for number in 0..TASKS {
        let task = admin.task("Fix bug").await;
        admin.assign(&task, "ada").await.expect(200);
        waits(&api, &task, &format!("e{number}.TaskAssigned"), now).await;
    }
    let later = admin.task("Later").await;
    admin.assign(&later, "ada").await.expect(200);
    waits(&api, &later, "later.TaskAssigned", now + HOUR).await;

    let mut first = sends_what_waits(&endpoint, folder.path()).await;
    let mut second = sends_what_waits(&endpoint, folder.path()).await;
    let event = called_by_a_schedule();
    for _ in 0..3 {
        let (one, other) = tokio::join!(first.invoke(&event), second.invoke(&event));
        assert_eq!([one, other], [Ok(json!({})), Ok(json!({}))]);
    }
    let mails = mails(folder.path());
    assert_eq!(mails.len(), TASKS, "{mails:#?}");
    let records = api.stored::<MailRecord>().await;
    assert_eq!(records.len(), TASKS);
    for record in records {
        let told = (record.state, record.attempts);
        assert_eq!(told, (MailRecordState::Sent, 1), "{record:?}");
    }
    let waiting = api.stored::<WaitingMail>().await;
    let waiting: Vec<&str> = waiting.iter().map(|mail| mail.event_id.as_str()).collect();
    assert_eq!(waiting, ["later.TaskAssigned"]);
}

/// A call that cannot send says why, so that somebody is told; the mail is due again soon, and a later call sends it.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_cannot_send_fails_and_a_later_one_sends() {
    let (engine, folder) = (Engine::temporary().unwrap(), tempfile::tempdir().unwrap());
    let endpoint = served(&engine).await;
    let api = Api::on(engine, folder.path()).await;
    let (admin, _) = (api.admin("boss").await, api.member("ada").await);
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "ada").await.expect(200);
    let now = jiff::Timestamp::now().as_second();
    waits(&api, &task, "e1.TaskAssigned", now).await;

    // Where mails are to be kept there is a file.
    let outbox = folder.path().join("mail");
    fs::write(&outbox, "").unwrap();
    let mut function = sends_what_waits(&endpoint, folder.path()).await;
    let event = called_by_a_schedule();
    let failed = function.invoke(&event).await.unwrap_err();
    assert!(failed["errorMessage"].as_str().is_some(), "{failed}");
    assert_eq!(api.stored::<WaitingMail>().await.len(), 1);

    fs::remove_file(&outbox).unwrap();
    // It is put off for a few seconds.
    while mails(folder.path()).is_empty() {
        assert_eq!(function.invoke(&event).await, Ok(json!({})));
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert!(api.stored::<WaitingMail>().await.is_empty());
}
