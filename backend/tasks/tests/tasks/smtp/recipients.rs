//! A server that takes mails, and not those of some: the others get theirs, and nobody waits for ever.

use std::time::Duration;

use tablewright_mail::{Mail, Mailer, NotSent, Smtp};
use tasks::model::{MailRecord, MailRecordState, WaitingMail};

use super::server::MailServer;
use super::{
    Consumers, Notifier, follow_as, notifier_named, notifier_with, sending, until, until_all,
};
use crate::support::{Api, Asks as _, person};

const STALE: Duration = Duration::from_secs(20);

fn mail(user: &str) -> Mail {
    Mail {
        id: format!("e1.TaskAssigned.{user}"),
        name: None,
        address: format!("{user}@amalitech.com"),
        subject: String::from("Fix bug"),
        text: String::from("Hello"),
        html: String::from("<p>Hello</p>"),
        thread: None,
    }
}

/// The record of the only mail to a user.
async fn record(api: &Api, user: &str) -> Option<MailRecord> {
    let mails = api.stored::<MailRecord>().await;
    mails.into_iter().find(|mail| mail.user_id == user)
}

/// Waits until the only mail to a user has come to its end.
async fn ended(api: &Api, user: &str) -> MailRecord {
    loop {
        let ended = record(api, user).await.filter(|record| {
            matches!(
                record.state,
                MailRecordState::Sent | MailRecordState::Unsent
            )
        });
        if let Some(ended) = ended {
            return ended;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// C1-20: whoever gives up a mail in the middle leaves its late answer to no other: what is refused then would be taken for sent.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_mail_that_was_given_up_says_nothing_of_the_next() {
    let server = MailServer::start(0);
    let smtp = Smtp::new(&format!("smtp://127.0.0.1:{}", server.port)).unwrap();
    let (mailer, from) = (Mailer::Smtp(smtp), "noreply@amalitech.com".parse().unwrap());
    mailer.send(&from, &mail("ada")).await.unwrap();
    server.tell("unwanted bob@amalitech.com");
    for _ in 0..3 {
        server.tell("slow-once 1");
        let ada = mail("ada");
        let given_up = mailer.send(&from, &ada);
        let given_up = tokio::time::timeout(Duration::from_millis(300), given_up).await;
        assert!(given_up.is_err(), "the server is slow");
        tokio::time::sleep(Duration::from_secs(1)).await;
        let refused = mailer.send(&from, &mail("bob")).await;
        assert!(matches!(refused, Err(NotSent::Later(_))), "{refused:?}");
    }
    // What was refused in order leaves the connection as it was.
    mailer.send(&from, &mail("carl")).await.unwrap();
    let to_bob = |mail: &super::Received| mail.to.starts_with("bob");
    assert!(!server.received().iter().any(to_bob));
}

/// S1-44, C1-20: one whose mailbox is full, one whose address the server does not understand: mails of other tasks come, and so do those of the same event to others.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn one_recipient_holds_up_no_mail_of_another_task() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    // Nobody lives to see the second attempt.
    let again = vec![Duration::from_secs(36_000)];
    let consumers = notifier_with(&api, server.port, STALE, again);
    let admin = api.admin("boss").await;
    let bob = api.member("bob").await;
    api.member("full").await;
    let mut foreign = person("foreign", "Members");
    foreign.email = Some(String::from("jürgen@amalitech.com"));
    api.token(&foreign).get("/users/me").await.expect(200);
    server.tell("full full@amalitech.com");

    let task = admin.task("Shared").await;
    admin.assign(&task, "full").await.expect(200);
    until(|| server.refused("full") == 1).await;
    let other = admin.task("Foreign").await;
    admin.assign(&other, "foreign").await.expect(200);
    for number in 0..20 {
        let task = admin.task(&format!("Other {number}")).await;
        admin.assign(&task, "bob").await.expect(200);
        bob.status(&task, "IN_PROGRESS").await.expect(200);
    }
    until_all(40, || server.received().len()).await;
    let foreign = ended(&api, "foreign").await;
    assert_eq!(foreign.state, MailRecordState::Unsent);
    assert!(foreign.error.unwrap().contains("ASCII"));
    consumers.stop().await;
    let full = record(&api, "full").await.unwrap();
    assert_eq!(
        (full.state, full.refusals, server.refused("full")),
        (MailRecordState::Failed, 1, 1),
        "it waits for its time"
    );
}

/// A notifier that tries nothing a second time while anybody lives: what holds a place among the records holds it for good.
fn notifier_that_waits_for_ever(api: &Api, port: u16, ahead: usize) -> Consumers {
    let long = Duration::from_secs(36_000);
    let notifier = Notifier::new(&api.tasks, sending(port, STALE, vec![long]));
    follow_as("tasks-notifier", api, notifier, |options| {
        (options.first_wait, options.longest_wait) = (long, long);
        (options.lanes, options.ahead) = (4, ahead);
    })
}

/// S1-44, C1-20: a hundred tasks are assigned to one whose mailbox is full. All of that waits, and holds up nobody else's mail.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_hundred_tasks_of_a_full_mailbox_hold_up_nobody() {
    a_hundred_tasks_hold_up_nobody("full").await;
}

/// The same where the server says that the trouble is its own, and where it hangs up: it is so with this recipient only.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_hundred_tasks_of_a_recipient_with_whom_the_server_has_trouble_hold_up_nobody() {
    a_hundred_tasks_hold_up_nobody("trouble").await;
    a_hundred_tasks_hold_up_nobody("hangup").await;
}

/// The server does this when it hears of one recipient.
async fn a_hundred_tasks_hold_up_nobody(order: &str) {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let consumers = notifier_that_waits_for_ever(&api, server.port, 1000);
    let admin = api.admin("boss").await;
    for user in ["ada", "full"] {
        api.member(user).await;
    }
    server.tell(&format!("{order} full@amalitech.com"));
    for number in 0..100 {
        let task = admin.task(&format!("Full {number}")).await;
        admin.assign(&task, "full").await.expect(200);
    }
    until_all(100, || server.refused("full")).await;
    for number in 1..=3 {
        let task = admin.task(&format!("Other {number}")).await;
        admin.assign(&task, "ada").await.expect(200);
        until(|| server.received().len() == number).await;
    }
    consumers.stop().await;
    assert_eq!(server.refused("full"), 100, "each was asked about once");
    assert_eq!(api.stored::<WaitingMail>().await.len(), 100);
}

/// S1-44, C1-20: one task changes more often than records are read ahead, and somebody who is told of it has a full mailbox: the others of the task get their mails, and so do those of other tasks.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_busy_task_with_a_full_mailbox_holds_up_nobody() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let consumers = notifier_that_waits_for_ever(&api, server.port, 20);
    let admin = api.admin("boss").await;
    let bob = api.member("bob").await;
    for user in ["ada", "full"] {
        api.member(user).await;
    }
    server.tell("full full@amalitech.com");
    let busy = admin.task("Busy").await;
    admin.assign(&busy, "full").await.expect(200);
    until(|| server.refused("full") == 1).await;
    admin.assign(&busy, "bob").await.expect(200);
    for _ in 0..25 {
        bob.status(&busy, "IN_PROGRESS").await.expect(200);
        bob.status(&busy, "OPEN").await.expect(200);
    }
    let task = admin.task("Other").await;
    admin.assign(&task, "ada").await.expect(200);
    until_all(50, || server.taken("boss")).await;
    until_all(1, || server.taken("ada")).await;
    consumers.stop().await;
    assert_eq!(server.refused("full"), 1, "those behind it are not tried");
    assert_eq!(api.stored::<WaitingMail>().await.len(), 51);
}

/// C1-20: four mails wait whose recipient the server hangs up at, and each place is theirs in turn; one that waits behind them for another recipient comes, and they come to their end, since others pass.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn what_waits_for_one_recipient_holds_up_nothing_else_that_waits() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let again = vec![Duration::from_secs(1); 3];
    let consumers = notifier_with(&api, server.port, STALE, again);
    let (admin, ada) = (api.admin("boss").await, api.member("ada").await);
    api.member("bad").await;
    for user in ["ada", "bad"] {
        server.tell(&format!("full {user}@amalitech.com"));
    }
    for user in ["bad", "bad", "bad", "bad", "ada"] {
        let task = admin.task("Fix bug").await;
        admin.assign(&task, user).await.expect(200);
    }
    while api.stored::<WaitingMail>().await.len() < 5 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.tell("ok");
    server.tell("hangup bad@amalitech.com");
    until(|| server.received().len() == 1).await;
    assert!(server.received()[0].to.starts_with("ada"));
    // Whoever works makes mails that pass.
    let unsent = |mail: &MailRecord| mail.state == MailRecordState::Unsent;
    while api
        .stored::<MailRecord>()
        .await
        .iter()
        .filter(|mail| unsent(mail))
        .count()
        < 4
    {
        let task = admin.task("Other").await;
        admin.assign(&task, "ada").await.expect(200);
        ada.status(&task, "IN_PROGRESS").await.expect(200);
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    consumers.stop().await;
    let listed = admin.get("/mail/undelivered").await.expect(200).body;
    assert_eq!(listed["items"].as_array().unwrap().len(), 4, "{listed}");
}

/// The mailbox has room again: what waited comes, once, in the order in which it happened.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn what_waited_comes_in_order() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let again = vec![Duration::from_secs(1); 1000];
    let consumers = notifier_with(&api, server.port, STALE, again);
    let admin = api.admin("boss").await;
    api.member("full").await;
    server.tell("full full@amalitech.com");
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "full").await.expect(200);
    for status in ["IN_PROGRESS", "OPEN", "COMPLETED"] {
        admin.status(&task, status).await.expect(200);
    }
    admin.close(&task).await.expect(200);
    // The first was tried again, and all of them are in the line.
    until(|| server.refused("full") >= 2).await;
    while api.stored::<WaitingMail>().await.len() < 5 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.tell("ok");
    until(|| server.received().len() == 5).await;
    while !api.stored::<WaitingMail>().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    consumers.stop().await;
    let received = server.received();
    let subjects = received.iter().map(|mail| mail.subject.split(':').next());
    let subjects: Vec<&str> = subjects.map(Option::unwrap).collect();
    let expected = [
        "Assigned to you",
        "In progress",
        "Open",
        "Completed",
        "Closed",
    ];
    assert_eq!(subjects, expected);
    let mails = api.stored::<MailRecord>().await;
    assert!(mails.iter().all(|mail| mail.state == MailRecordState::Sent));
}

/// C1-20: attempts are bounded for each recipient, one that is refused for good has one, and then the task goes on.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_recipient_has_so_many_attempts_and_then_an_end() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let again = vec![Duration::from_secs(1); 2];
    let consumers = notifier_with(&api, server.port, STALE, again);
    let admin = api.admin("boss").await;
    for user in ["ada", "full", "gone"] {
        api.member(user).await;
    }
    let task = admin.task("Fix bug").await;
    // So that one event has all of them.
    for user in ["ada", "full", "gone"] {
        admin.assign(&task, user).await.expect(200);
    }
    until(|| server.received().len() == 3).await;
    server.tell("full full@amalitech.com");
    server.tell("never gone@amalitech.com");
    admin.status(&task, "IN_PROGRESS").await.expect(200);
    admin.close(&task).await.expect(200);
    let to_ada = || {
        let received = server.received();
        received
            .iter()
            .filter(|mail| mail.to.starts_with("ada"))
            .count()
    };
    until(|| to_ada() == 3).await;
    until(|| server.refused("full") == 6).await;
    consumers.stop().await;
    assert_eq!(server.refused("full"), 6, "two mails, three attempts each");
    assert_eq!(server.refused("gone"), 2, "two mails, one attempt each");
    let mails = api.stored::<MailRecord>().await;
    let unsent = mails
        .iter()
        .filter(|mail| mail.state == MailRecordState::Unsent);
    assert_eq!(unsent.count(), 4);
}

/// A server that is slow is waited for, far longer than one who sends may be silent: it has the mail once.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_slow_server_gets_a_mail_once() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let stale = Duration::from_secs(6);
    let consumers = notifier_with(&api, server.port, stale, Vec::new());
    // Another looks on, and would take over.
    let onlooker = notifier_named("onlooker", &api, server.port, stale, Vec::new());
    let admin = api.admin("boss").await;
    api.member("ada").await;
    server.tell("slow 18");
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "ada").await.expect(200);
    let sent = ended(&api, "ada").await;
    consumers.stop().await;
    onlooker.stop().await;
    assert_eq!((sent.state, sent.attempts), (MailRecordState::Sent, 1));
    assert!(sent.signs > 0, "{sent:?}");
    assert_eq!(server.received().len(), 1);
}

/// A server that never says whether it took a mail: it gets it a few times, always under the same name, and then nobody goes on.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_mail_goes_on_the_wire_so_often_and_no_more() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let consumers = notifier_with(&api, server.port, STALE, vec![Duration::ZERO; 2]);
    let admin = api.admin("boss").await;
    api.member("ada").await;
    server.tell("deaf 1000");
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "ada").await.expect(200);
    let ended = ended(&api, "ada").await;
    consumers.stop().await;
    assert_eq!((ended.state, ended.refusals), (MailRecordState::Unsent, 3));
    let received = server.received();
    assert_eq!(received.len(), 3);
    assert!(received.iter().all(|mail| mail.id == received[0].id));
}

/// C1-20: a server that takes nothing from us for now, though it says "never", gets every mail once it does: none is given up, however often it was asked.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_sender_who_is_not_welcome_loses_no_mail() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let consumers = notifier_with(&api, server.port, STALE, vec![Duration::ZERO; 2]);
    let admin = api.admin("boss").await;
    api.member("ada").await;
    // More than a mail has attempts, for each.
    server.tell("unwelcome 12");
    for title in ["One", "Two"] {
        let task = admin.task(title).await;
        admin.assign(&task, "ada").await.expect(200);
    }
    until(|| server.received().len() == 2).await;
    consumers.stop().await;
    assert_eq!(server.refused("ada"), 12);
    let mails = api.stored::<MailRecord>().await;
    assert!(mails.iter().all(|mail| mail.state == MailRecordState::Sent));
}

/// C1-20: while others pass, a mail that is not welcome has so many attempts as any other, and then an end; who asked for it to be sent again gets it once it is.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_mail_that_is_not_welcome_ends_while_others_pass() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let consumers = notifier_with(&api, server.port, STALE, vec![Duration::ZERO; 2]);
    let admin = api.admin("boss").await;
    for user in ["ada", "spam"] {
        api.member(user).await;
    }
    server.tell("spam spam@amalitech.com");
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "spam").await.expect(200);
    until(|| server.refused("spam") > 3).await;
    let waits = record(&api, "spam").await.unwrap();
    assert_eq!(waits.refusals, 0, "nobody knows yet whose fault it is");
    // Others pass between its attempts, as they do where people work.
    let unsent = loop {
        let waits = record(&api, "spam").await.unwrap();
        if waits.state == MailRecordState::Unsent {
            break waits;
        }
        let other = admin.task("Other").await;
        admin.assign(&other, "ada").await.expect(200);
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(unsent.refusals, 3);
    server.tell("ok");
    let path = format!("/mail/undelivered/{}/spam/send", unsent.event_id);
    admin.post_nothing(&path).await.expect(204);
    let to_spam = |mail: &super::Received| mail.to.starts_with("spam");
    until(|| server.received().iter().any(to_spam)).await;
    consumers.stop().await;
    assert_eq!(
        record(&api, "spam").await.unwrap().state,
        MailRecordState::Sent
    );
}

/// The same where one process sends what changes, and another what waits, as under AWS Lambda: who looks after what waits knows that others pass.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_mail_that_is_not_welcome_ends_while_those_of_another_process_pass() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let notifier = || {
        Notifier::new(
            &api.tasks,
            sending(server.port, STALE, vec![Duration::ZERO]),
        )
    };
    let mut consumers = Consumers::none();
    let mut following = api.following();
    following.options.order = tablewright_stream::Order::Partition;
    consumers.follow("tasks-notifier", &api.app, &following, notifier());
    let admin = api.admin("boss").await;
    for user in ["ada", "spam"] {
        api.member(user).await;
    }
    server.tell("spam spam@amalitech.com");
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "spam").await.expect(200);
    until(|| server.refused("spam") == 1).await;
    let waiting = notifier();
    // Nothing passes: nobody knows whose fault it is.
    for _ in 0..3 {
        waiting.send_what_is_due(None).await.unwrap();
    }
    assert_eq!(record(&api, "spam").await.unwrap().refusals, 0);
    let unsent = loop {
        let waits = record(&api, "spam").await.unwrap();
        if waits.state == MailRecordState::Unsent {
            break waits;
        }
        let other = admin.task("Other").await;
        admin.assign(&other, "ada").await.expect(200);
        waiting.send_what_is_due(None).await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
    };
    consumers.stop().await;
    assert_eq!(unsent.refusals, 2);
    assert_eq!(server.taken("spam"), 0);
}
