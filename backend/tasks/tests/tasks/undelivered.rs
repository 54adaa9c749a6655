//! Mails that were given up, and are sent all the same.

use std::time::Duration;

use http::Method;
use tablewright_mail::{Folder, Mailer};
use tasks::model::{
    MailRecord, MailRecordState, UndeliveredMail, UndeliveredMailNews, UndeliveredMailOutcome,
    WaitingMail, WaitingMailNews,
};
use tasks::{Consumers, Notifier, Sending};

use crate::support::{Api, Asks as _, until};
use crate::told::{everybody, mails};

const EVENT: &str = "e1.TaskAssigned";

/// How long records are kept, in seconds.
const KEPT: i64 = 30 * 24 * 3600;

/// A mail to ada about a task that was given up, as a notifier leaves it.
async fn given_up(api: &Api, task: &str) {
    let now = jiff::Timestamp::now().as_second();
    let record = MailRecord {
        event_id: EVENT.to_owned(),
        user_id: String::from("ada"),
        state: MailRecordState::Unsent,
        attempts: 6,
        signs: 0,
        refusals: 6,
        claimed_at: now,
        sent_at: None,
        error: Some(String::from("452 mailbox full")),
        expires_at: now + KEPT,
    };
    api.tasks.mail_records.claim_mail(record).await.unwrap();
    let undelivered = UndeliveredMail {
        event_id: EVENT.to_owned(),
        user_id: String::from("ada"),
        outcome: UndeliveredMailOutcome::Unsent,
        reason: String::from("452 mailbox full"),
        at: now,
        task_id: Some(task.parse().unwrap()),
        sequence: Some(format!("{:040}", 1)),
        news: Some(UndeliveredMailNews::Assigned),
        actor: Some(String::from("boss")),
        expires_at: now + KEPT,
    };
    let noted = api.tasks.undelivered_mails.mail_undelivered(undelivered);
    noted.await.unwrap();
}

/// C1-20: what kept failing can be tried again: an admin sends a mail that was given up, by the API or from the page. It is sent once, and what was sent is not sent again.
#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_was_given_up_is_sent_again() {
    let api = Api::start().await;
    let (admin, member) = (api.admin("boss").await, api.member("ada").await);
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "ada").await.expect(200);
    given_up(&api, &task).await;
    let path = format!("/mail/undelivered/{EVENT}/ada/send");
    member.post_nothing(&path).await.problem(403, "forbidden");
    let page = admin.get("~/page/people").await.expect(200).text;
    let button = format!("hx-post=\"/page/mail/{EVENT}/ada/send\"");
    assert!(page.contains(&button), "{page}");

    let key = [("idempotency-key", "once")];
    let sent = admin.send(Method::POST, &path, None, &key).await;
    sent.expect(204);
    let listed = admin.get("/mail/undelivered").await.expect(200).body;
    assert_eq!(listed["items"].as_array().unwrap().len(), 0, "{listed}");
    // The same request gets the same answer, and another is told how it is.
    let again = admin.send(Method::POST, &path, None, &key).await;
    again.expect(204);
    let other = admin.post_nothing(&path).await;
    assert!(other.text.contains("it is being sent"), "{}", other.text);
    other.problem(409, "refused");

    let folder = tempfile::tempdir().unwrap();
    let consumers = everybody(&api, folder.path()).await;
    // That of the assignment itself, and the one that was given up.
    until(|| mails(folder.path()).len() == 2).await;
    let record = || api.tasks.mail_records.mail_record(EVENT, "ada");
    while record().await.unwrap().unwrap().state != MailRecordState::Sent {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    consumers.stop().await;
    assert_eq!(mails(folder.path()).len(), 2);
    let other = admin.post_nothing(&path).await;
    assert!(other.text.contains("it was sent"), "{}", other.text);
    other.problem(409, "refused");
    for unknown in ["e2.TaskAssigned/ada", "e1.TaskAssigned/bob"] {
        let path = format!("/mail/undelivered/{unknown}/send");
        admin.post_nothing(&path).await.problem(404, "not-found");
    }
}

/// C1-20: what nobody would be sent is not promised: the answer says why, and the mail stays in the list until it can be sent.
#[tokio::test(flavor = "multi_thread")]
async fn a_mail_to_nobody_who_is_told_is_not_sent_again() {
    let api = Api::start().await;
    let (admin, _) = (api.admin("boss").await, api.member("ada").await);
    let task = admin.task("Fix bug").await;
    given_up(&api, &task).await;
    let path = format!("/mail/undelivered/{EVENT}/ada/send");
    let refused = async |why: &str| {
        let answer = admin.post_nothing(&path).await;
        assert!(answer.text.contains(why), "{}", answer.text);
        answer.problem(409, "refused");
        let listed = admin.get("/mail/undelivered").await.expect(200).body;
        assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
    };
    refused("does not work on the task").await;
    admin.assign(&task, "ada").await.expect(200);
    admin.user_status("ada", "DEACTIVATED").await.expect(200);
    refused("is not active").await;
    admin.user_status("ada", "ACTIVE").await.expect(200);
    admin.post_nothing(&path).await.expect(204);
    assert_eq!(api.stored::<WaitingMail>().await.len(), 1);

    let other = Api::start().await;
    let admin = other.admin("boss").await;
    other.member("ada").await;
    let task = admin.task("Fix bug").await;
    given_up(&other, &task).await;
    admin.delete(&format!("/tasks/{task}")).await.expect(204);
    let answer = admin.post_nothing(&path).await;
    assert!(answer.text.contains("task is gone"), "{}", answer.text);
}

/// Whoever gave a mail up was frozen before it took it from its line: an admin sends it again meanwhile, and what the other does when it wakes up takes nothing away.
#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_is_sent_again_is_not_taken_away_by_who_gave_it_up() {
    let api = Api::start().await;
    let (admin, _) = (api.admin("boss").await, api.member("ada").await);
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "ada").await.expect(200);
    given_up(&api, &task).await;
    let now = jiff::Timestamp::now().as_second();
    let left = WaitingMail {
        task_id: task.parse().unwrap(),
        user_id: String::from("ada"),
        sequence: format!("{:040}", 1),
        event_id: EVENT.to_owned(),
        news: WaitingMailNews::Assigned,
        actor: Some(String::from("boss")),
        due_at: now,
        expires_at: now + KEPT,
    };
    let key = tablewright::Entity::key(&left);
    api.tasks.waiting_mails.mail_waits(left).await.unwrap();
    let path = format!("/mail/undelivered/{EVENT}/ada/send");
    admin.post_nothing(&path).await.expect(204);
    let woken_up = api.tasks.waiting_mails.mail_waits_no_more(&key);
    woken_up.await.unwrap();

    let folder = tempfile::tempdir().unwrap();
    let consumers = everybody(&api, folder.path()).await;
    until(|| mails(folder.path()).len() == 2).await;
    while !api.stored::<WaitingMail>().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    consumers.stop().await;
    let record = api.tasks.mail_records.mail_record(EVENT, "ada").await;
    assert_eq!(record.unwrap().unwrap().state, MailRecordState::Sent);
}

/// A mail to ada that waits, and whose sender died over it, as so many before.
async fn claimed(api: &Api, task: &str, event: &str, deaths: i64) {
    let now = jiff::Timestamp::now().as_second();
    let record = MailRecord {
        event_id: event.to_owned(),
        user_id: String::from("ada"),
        state: MailRecordState::Claimed,
        attempts: deaths + 1,
        signs: 0,
        refusals: deaths,
        claimed_at: now,
        sent_at: None,
        error: None,
        expires_at: now + KEPT,
    };
    api.tasks.mail_records.claim_mail(record).await.unwrap();
    let waiting = WaitingMail {
        task_id: task.parse().unwrap(),
        user_id: String::from("ada"),
        sequence: format!("{deaths:040}"),
        event_id: event.to_owned(),
        news: WaitingMailNews::Assigned,
        actor: Some(String::from("boss")),
        due_at: now,
        expires_at: now + KEPT,
    };
    api.tasks.waiting_mails.mail_waits(waiting).await.unwrap();
}

/// C1-20: whoever sends a mail dies before the server has answered, each time: that is an attempt too, and after the last one the mail comes to an end. One with attempts left is sent.
#[tokio::test(flavor = "multi_thread")]
async fn a_mail_whose_senders_all_die_is_given_up() {
    let (api, folder) = (Api::start().await, tempfile::tempdir().unwrap());
    let (admin, _) = (api.admin("boss").await, api.member("ada").await);
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "ada").await.expect(200);
    claimed(&api, &task, "e1.TaskAssigned", 1).await;
    claimed(&api, &task, "e2.TaskAssigned", 2).await;
    let sending = Sending {
        mailer: Mailer::Folder(Folder::new(folder.path())),
        from: "Tasks <noreply@amalitech.com>".parse().unwrap(),
        page: None,
        stale: Duration::from_secs(2),
        again: vec![Duration::ZERO; 2],
    };
    let mut consumers = Consumers::none();
    let notifier = Notifier::new(&api.tasks, sending);
    consumers.notify("tasks-notifier", &api.app, &api.following(), notifier);
    while !api.stored::<WaitingMail>().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    consumers.stop().await;
    let mut ends = Vec::new();
    for event in ["e1.TaskAssigned", "e2.TaskAssigned"] {
        let record = api.tasks.mail_records.mail_record(event, "ada").await;
        let record = record.unwrap().unwrap();
        ends.push((record.state, record.refusals));
    }
    assert_eq!(
        ends,
        [(MailRecordState::Sent, 2), (MailRecordState::Unsent, 3)]
    );
    let listed = admin.get("/mail/undelivered").await.expect(200).body;
    let reason = listed["items"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("ended before"), "{listed}");
}

/// One that came back was sent; the page does not offer to send it again, and the API says why not.
#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_came_back_is_not_sent_again() {
    let api = Api::start().await;
    let admin = api.admin("boss").await;
    let now = jiff::Timestamp::now().as_second();
    let undelivered = UndeliveredMail {
        event_id: EVENT.to_owned(),
        user_id: String::from("ada"),
        outcome: UndeliveredMailOutcome::Bounced,
        reason: String::from("550 no such mailbox"),
        at: now,
        task_id: None,
        sequence: None,
        news: None,
        actor: None,
        expires_at: now + KEPT,
    };
    let noted = api.tasks.undelivered_mails.mail_undelivered(undelivered);
    noted.await.unwrap();
    let page = admin.get("~/page/people").await.expect(200).text;
    assert!(page.contains("550 no such mailbox") && !page.contains("Send again"));
    let path = format!("/mail/undelivered/{EVENT}/ada/send");
    let refused = admin.post_nothing(&path).await;
    assert!(refused.text.contains("it came back"), "{}", refused.text);
    refused.problem(409, "refused");
}
