//! A server that is silent about mails to some: nobody else waits for them, and what was on the wire is not sent twice.

use std::collections::BTreeSet;
use std::time::Duration;

use tasks::model::{MailRecord, MailRecordState, WaitingMail};

use super::server::MailServer;
use super::{Consumers, Notifier, follow_as, sending, until, until_all};
use crate::support::{Api, Asks as _, Caller};

/// More than there are lanes for records, and places for what waited.
const TASKS: usize = 12;

/// A notifier with as many lanes as the service has.
fn notifier(api: &Api, server: &MailServer) -> Consumers {
    let stale = Duration::from_secs(20);
    let sending = sending(server.port, stale, vec![Duration::from_secs(1); 100]);
    let notifier = Notifier::new(&api.tasks, sending);
    follow_as("tasks-notifier", api, notifier, |options| {
        options.lanes = 4;
    })
}

async fn assigned(admin: &Caller, users: &[&str]) -> String {
    let task = admin.task("Fix bug").await;
    for user in users {
        admin.assign(&task, user).await.expect(200);
    }
    task
}

async fn until_so_many_wait(api: &Api, many: usize) {
    while api.stored::<WaitingMail>().await.len() != many {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// C1-20: a server is silent after it got a mail to one person, who has many tasks, and one more with somebody else. One of the mails is on the wire and the rest waits without a lane: others get theirs, those of the task
/// they share among them, and so does one whose mail waited. All are silent still when these have come; then each comes once, those of a task in their order.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_server_that_is_silent_about_mails_to_one_person_holds_up_nobody() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let consumers = notifier(&api, &server);
    let admin = api.admin("boss").await;
    for user in ["ada", "bob", "slow"] {
        api.member(user).await;
    }
    server.tell("silent slow@amalitech.com");
    server.tell("full bob@amalitech.com");
    let shared = assigned(&admin, &["slow", "ada"]).await;
    for _ in 1..TASKS {
        assigned(&admin, &["slow"]).await;
    }
    until(|| server.taken("ada") == 1 && server.silent("slow") == 1).await;
    admin.status(&shared, "IN_PROGRESS").await.expect(200);
    admin.status(&shared, "COMPLETED").await.expect(200);
    until(|| server.taken("ada") == 3).await;
    // All of theirs are due, and so is one for whom there is room again.
    assigned(&admin, &["bob"]).await;
    until_so_many_wait(&api, TASKS + 2 + 1).await;
    server.tell("room bob@amalitech.com");
    until(|| server.taken("bob") == 1).await;
    assigned(&admin, &["ada"]).await;
    until(|| server.taken("ada") == 4).await;
    assert_eq!((server.silent("slow"), server.taken("slow")), (1, 0));

    server.tell("ok");
    until_all(TASKS + 2, || server.taken("slow")).await;
    until_so_many_wait(&api, 0).await;
    consumers.stop().await;
    let received = server.received();
    let unlike: BTreeSet<&str> = received.iter().map(|mail| mail.id.as_str()).collect();
    assert_eq!(unlike.len(), received.len(), "none twice");
    let of_shared = received
        .iter()
        .filter(|mail| mail.to.starts_with("slow") && mail.references.contains(&shared));
    let subjects = of_shared.map(|mail| mail.subject.split(':').next().unwrap());
    let subjects: Vec<&str> = subjects.collect();
    assert_eq!(subjects, ["Assigned to you", "In progress", "Completed"]);
    let records = api.stored::<MailRecord>().await;
    for record in records.iter().filter(|record| record.user_id == "slow") {
        let told = (record.state, record.attempts);
        assert_eq!(told, (MailRecordState::Sent, 1), "{record:?}");
    }
}

/// The same where it is silent when it hears of the recipient, and with more people than there are lanes.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: cargo xtask tasks"]
async fn a_server_that_is_silent_about_several_people_holds_up_nobody() {
    let api = Api::start().await;
    let server = MailServer::start(0);
    let consumers = notifier(&api, &server);
    let admin = api.admin("boss").await;
    let silent = ["mute1", "mute2", "mute3", "silent1", "silent2", "silent3"];
    for user in silent.iter().chain(&["ada"]) {
        api.member(user).await;
    }
    for user in silent {
        let how = user.trim_end_matches(char::is_numeric);
        server.tell(&format!("{how} {user}@amalitech.com"));
    }
    for _ in 0..3 {
        for user in silent {
            assigned(&admin, &[user]).await;
        }
    }
    until(|| silent.iter().all(|user| server.silent(user) > 0)).await;
    for many in 1..=3 {
        assigned(&admin, &["ada"]).await;
        until(|| server.taken("ada") == many).await;
    }
    assert!(silent.iter().all(|user| server.taken(user) == 0));

    server.tell("ok");
    let taken = || silent.iter().map(|user| server.taken(user)).sum();
    until_all(3 * silent.len(), taken).await;
    until_so_many_wait(&api, 0).await;
    consumers.stop().await;
    assert_eq!(server.received().len(), 3 * (silent.len() + 1));
}
