//! Mail by a real server, which refuses, delays, drops and goes away. `cargo xtask tasks` installs it, and runs these.

mod compare;
mod crash;
mod ground;
mod recipients;
mod server;
mod slow;

use std::collections::BTreeMap;
use std::time::Duration;

use tablewright::Store;
use tablewright_mail::{Mailer, Smtp};
use tablewright_testing::Fault;
use tasks::model::{MailRecord, MailRecordState, Tasks};
use tasks::{Consumers, Notifier, Sending};

use crate::support::{Api, Asks as _, Wire, until};
use server::{MailServer, Received};

/// The notifier alone, which does not wait at all where a mail is not taken.
fn notifier(api: &Api, port: u16) -> Consumers {
    notifier_with(api, port, Duration::from_secs(20), vec![Duration::ZERO; 5])
}

/// The notifier alone.
fn notifier_with(api: &Api, port: u16, stale: Duration, again: Vec<Duration>) -> Consumers {
    notifier_named("tasks-notifier", api, port, stale, again)
}

/// One of another name is told everything as well.
fn notifier_named(
    name: &'static str,
    api: &Api,
    port: u16,
    stale: Duration,
    again: Vec<Duration>,
) -> Consumers {
    let notifier = Notifier::new(&api.tasks, sending(port, stale, again));
    follow(name, api, notifier)
}

fn sending(port: u16, stale: Duration, again: Vec<Duration>) -> Sending {
    Sending {
        mailer: Mailer::Smtp(Smtp::new(&format!("smtp://127.0.0.1:{port}")).unwrap()),
        from: "Tasks <noreply@amalitech.com>".parse().unwrap(),
        page: None,
        stale,
        again,
    }
}

fn follow(name: &'static str, api: &Api, notifier: Notifier) -> Consumers {
    follow_as(name, api, notifier, |options| {
        options.longest_wait = Duration::from_millis(300);
    })
}

fn follow_as(
    name: &'static str,
    api: &Api,
    notifier: Notifier,
    set: impl FnOnce(&mut tablewright_stream::Options),
) -> Consumers {
    let mut following = api.following();
    following.options.order = tablewright_stream::Order::Partition;
    set(&mut following.options);
    let mut consumers = Consumers::none();
    consumers.notify(name, &api.app, &following, notifier);
    consumers
}

/// Waits until there are so many, for as long as more of them come: a machine that is busy is slow with many.
async fn until_all(many: usize, count: impl Fn() -> usize) {
    let mut there = 0;
    while there < many {
        until(|| count() > there).await;
        there = count();
    }
}

/// How often each mail was taken by the server.
fn counts(received: &[Received]) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for mail in received {
        *counts
            .entry((mail.to.clone(), mail.subject.clone()))
            .or_default() += 1;
    }
    counts
}

/// C1-20: what a server refuses for now, drops or is slow with arrives, once; what it refuses for good is written down and holds up nobody.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_server_that_refuses_delays_and_drops_gets_every_mail_once() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let consumers = notifier(&api, server.port);
    let admin = api.admin("boss").await;
    for user in ["ada", "bob", "gone"] {
        api.member(user).await;
    }
    server.tell("never gone@amalitech.com");
    for (order, title) in [
        ("later 3", "Later"),
        ("drop 3", "Dropped"),
        ("slow 0.5", "Slow"),
    ] {
        server.tell(order);
        let task = admin.task(title).await;
        for user in ["gone", "ada", "bob"] {
            admin.assign(&task, user).await.expect(200);
        }
        until(|| {
            server
                .received()
                .iter()
                .filter(|mail| mail.subject.ends_with(title))
                .count()
                == 2
        })
        .await;
    }
    consumers.stop().await;
    let counts = counts(&server.received());
    assert_eq!(counts.len(), 6, "{counts:?}");
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    assert!(
        server
            .received()
            .iter()
            .all(|mail| mail.sender == "noreply@amalitech.com")
    );
    let mails = api.stored::<tasks::model::MailRecord>().await;
    let failed: Vec<_> = mails.iter().filter(|mail| mail.user_id == "gone").collect();
    assert_eq!(failed.len(), 3);
    for mail in failed {
        assert_eq!(mail.state, MailRecordState::Unsent);
        assert!(
            mail.error.as_deref().unwrap().contains("no such mailbox"),
            "{mail:?}"
        );
    }
    let undelivered = api.stored::<tasks::model::UndeliveredMail>().await;
    assert_eq!(undelivered.len(), 3);
    for mail in undelivered {
        assert_eq!(mail.user_id, "gone");
        assert!(mail.reason.contains("no such mailbox"), "{mail:?}");
    }
    let others = mails.iter().filter(|mail| mail.user_id != "gone");
    assert!(
        others
            .clone()
            .all(|mail| mail.state == MailRecordState::Sent && mail.sent_at.is_some())
    );
}

/// A server that takes a mail and dies before it says so gets it again: the same mail, by its `Message-ID`, which a mailbox shows once.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_mail_that_may_have_been_taken_is_the_same_mail_when_it_is_sent_again() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let consumers = notifier(&api, server.port);
    let admin = api.admin("boss").await;
    api.member("ada").await;
    server.tell("deaf 1");
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "ada").await.expect(200);
    until(|| server.received().len() == 2).await;
    consumers.stop().await;
    let received = server.received();
    assert_eq!(received[0].id, received[1].id);
    assert!(!received[0].again && received[1].again);
}

/// Whoever sends cannot write its signs of life for longer than others wait for one, and nobody takes the mail: it is not broken off on the wire, and comes once.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_mail_whose_signs_of_life_are_lost_is_not_sent_again() {
    let (wire, keys) = (Wire::new(), tempfile::tempdir().unwrap());
    let api = Api::on(wire.engine.clone(), keys.path()).await;
    let server = MailServer::start(0);
    let stale = Duration::from_millis(300);
    let watched = Tasks::new(&Store::new(wire.client()));
    let notifier = Notifier::new(&watched, sending(server.port, stale, Vec::new()));
    let consumers = follow("tasks-notifier", &api, notifier);
    let admin = api.admin("boss").await;
    api.member("ada").await;
    // Every tenth of a second one: others would have taken it long before these are over.
    wire.plan("UpdateItem", (0..10).map(|_| Fault::Deny));
    server.tell("slow-once 3");
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "ada").await.expect(200);
    until(|| !server.received().is_empty()).await;
    let is_sent = || async {
        let mails = api.stored::<MailRecord>().await;
        mails.iter().all(|mail| mail.state == MailRecordState::Sent)
    };
    while !is_sent().await {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    consumers.stop().await;
    assert_eq!(server.received().len(), 1);
    let mails = api.stored::<MailRecord>().await;
    assert_eq!((mails.len(), mails[0].attempts), (1, 1));
    assert!(mails[0].signs > 0);
}

/// The server took the mail, and for a while nobody can write that down: it is written down all the same, before anybody takes the mail for one whose sender died.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_mail_of_which_nobody_could_note_that_it_was_sent_is_not_sent_again() {
    let (wire, keys) = (Wire::new(), tempfile::tempdir().unwrap());
    let api = Api::on(wire.engine.clone(), keys.path()).await;
    let server = MailServer::start(0);
    let stale = Duration::from_millis(500);
    let watched = Tasks::new(&Store::new(wire.client()));
    let again = vec![Duration::ZERO; 5];
    let notifier = Notifier::new(&watched, sending(server.port, stale, again));
    let consumers = follow("tasks-notifier", &api, notifier);
    let admin = api.admin("boss").await;
    api.member("ada").await;
    // More than one write is tried, so that it fails several times.
    wire.plan("UpdateItem", (0..40).map(|_| Fault::Throttle));
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "ada").await.expect(200);
    let is_settled = || async {
        let mails = api.stored::<MailRecord>().await;
        let ends = [MailRecordState::Sent, MailRecordState::Unsent];
        !mails.is_empty() && mails.iter().all(|mail| ends.contains(&mail.state))
    };
    while !is_settled().await {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    consumers.stop().await;
    assert_eq!(server.received().len(), 1);
    let mails = api.stored::<MailRecord>().await;
    assert_eq!((mails.len(), mails[0].attempts), (1, 1));
    assert_eq!(mails[0].state, MailRecordState::Sent);
}

/// The server is away the whole time: the API does not notice, and when it is back every mail comes, those of a task in the order in which things happened.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_server_that_was_away_gets_all_of_it_in_order() {
    let api = Api::start().await;
    let port = MailServer::start(0).port;
    let consumers = notifier(&api, port);
    let admin = api.admin("boss").await;
    let member = api.member("ada").await;
    let mut tasks = Vec::new();
    for number in 0..8 {
        let task = admin.task(&format!("Task {number}")).await;
        admin.assign(&task, "ada").await.expect(200);
        member.status(&task, "IN_PROGRESS").await.expect(200);
        admin.status(&task, "OPEN").await.expect(200);
        member.status(&task, "COMPLETED").await.expect(200);
        admin.close(&task).await.expect(200);
        tasks.push(task);
    }
    let server = MailServer::start(port);
    until_all(8 * 5, || server.received().len()).await;
    consumers.stop().await;
    assert_eq!(server.received().len(), 8 * 5, "none twice");
    for task in tasks {
        let of_task = |mail: &&Received| mail.references.contains(&task);
        let subjects: Vec<String> = server
            .received()
            .iter()
            .filter(of_task)
            .map(|mail| {
                let about = mail.subject.split(':').next().unwrap();
                format!("{} {about}", mail.to.split('@').next().unwrap())
            })
            .collect();
        assert_eq!(
            subjects,
            [
                "ada Assigned to you",
                "boss In progress",
                "ada Open",
                "boss Completed",
                "ada Closed"
            ]
        );
    }
}
