//! Who gets mail, and who does not. Mails are files here; `smtp.rs` has a server.

use std::path::Path;

use serde_json::{Value, json};
use tablewright_service::{Settings, Sources};
use tasks::model::{Assignment, MailRecordState};
use tasks::{ABOUT, SETTINGS, Telling};

use crate::support::{Api, Asks as _, person, until};
use crate::told::{events, everybody, mails};

/// To whom, about what.
fn told(folder: &Path) -> Vec<(String, String)> {
    let text = |mail: &Value, name: &str| mail[name].as_str().unwrap().to_owned();
    let mut told: Vec<(String, String)> = mails(folder)
        .iter()
        .map(|mail| (text(mail, "to"), text(mail, "subject")))
        .collect();
    told.sort();
    told
}

fn mail(user: &str, subject: &str) -> (String, String) {
    (format!("{user}@amalitech.com"), subject.to_owned())
}

/// S1-42, S1-43, S1-44, S1-45, S1-46, C1-21, C1-22: an assignment is told to its member; a status to everybody who works on the task and who made it, once each, and not to who set it;
/// who is not active gets none.
#[tokio::test(flavor = "multi_thread")]
async fn those_whom_it_concerns_get_one_mail_each() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start().await;
    let consumers = everybody(&api, folder.path()).await;
    let admin = api.admin("boss").await;
    let ada = api.member("ada").await;
    api.member("bob").await;
    api.member("eve").await;
    // The one who made it works on it too: they are told once.
    let task = admin.task("Fix bug").await;
    for user in ["ada", "bob", "eve", "boss"] {
        admin.assign(&task, user).await.expect(200);
    }
    let assigned = ["ada", "bob", "eve"].map(|user| mail(user, "Assigned to you: Fix bug"));
    until(|| told(folder.path()) == assigned).await;

    admin.user_status("eve", "DEACTIVATED").await.expect(200);
    ada.status(&task, "IN_PROGRESS").await.expect(200);
    let mut expected = assigned.to_vec();
    expected.extend(["bob", "boss"].map(|user| mail(user, "In progress: Fix bug")));
    expected.sort();
    until(|| told(folder.path()) == expected).await;

    admin.close(&task).await.expect(200);
    expected.extend(["ada", "bob"].map(|user| mail(user, "Closed: Fix bug")));
    expected.sort();
    until(|| told(folder.path()) == expected).await;
    consumers.stop().await;

    let one = mails(folder.path())
        .into_iter()
        .find(|mail| mail["to"] == "ada@amalitech.com");
    let text = one.unwrap()["text"].as_str().unwrap().to_owned();
    assert!(
        text.contains(&format!("https://tasks.example.org/tasks/{task}")),
        "{text}"
    );
}

/// C1-22: mails that come late say nothing that no longer holds: who does not work on a task any more is not told of it, and who began later is not told what was before.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_told_late_is_told_what_holds() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start().await;
    let admin = api.admin("boss").await;
    for member in ["ada", "bob", "cay", "eve"] {
        api.member(member).await;
    }
    let task = admin.task("Fix bug").await;
    for user in ["ada", "eve"] {
        admin.assign(&task, user).await.expect(200);
    }
    let path = format!("/tasks/{task}/assignments/ada");
    admin.delete(&path).await.expect(204);
    let assigned = async |user: &str, later: i64| {
        let assignment = Assignment {
            task_id: task.parse().unwrap(),
            user_id: user.to_owned(),
            assigned_by: String::from("boss"),
            assigned_at: jiff::Timestamp::now().as_second() + later,
            removed_by: None,
        };
        let inserted = api.tasks.assignments.items().insert(assignment).await;
        inserted.unwrap();
    };
    // By a server whose clock is ahead of DynamoDB's.
    assigned("cay", 30).await;
    admin.status(&task, "IN_PROGRESS").await.expect(200);
    // An hour later.
    assigned("bob", 3600).await;
    let consumers = everybody(&api, folder.path()).await;
    let expected = [
        mail("bob", "Assigned to you: Fix bug"),
        mail("cay", "Assigned to you: Fix bug"),
        mail("cay", "In progress: Fix bug"),
        mail("eve", "Assigned to you: Fix bug"),
        mail("eve", "In progress: Fix bug"),
    ];
    until(|| told(folder.path()).len() == expected.len()).await;
    consumers.stop().await;
    assert_eq!(told(folder.path()), expected);
}

/// C1-20: what comes again is not sent again. Another consumer gets every event anew, and all at once.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_comes_again_sends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start().await;
    let consumers = everybody(&api, folder.path()).await;
    let admin = api.admin("boss").await;
    api.member("ada").await;
    for number in 0..5 {
        let task = admin.task(&format!("Task {number}")).await;
        admin.assign(&task, "ada").await.expect(200);
    }
    until(|| told(folder.path()).len() == 5).await;
    consumers.stop().await;
    let again = tempfile::tempdir().unwrap();
    let sources = Sources::none()
        .variable("TABLEWRIGHT_ENDPOINT", "temporary")
        .variable("TABLEWRIGHT_MAIL_FOLDER", again.path().to_str().unwrap());
    let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap();
    let telling = Telling::of(&settings).await.unwrap();
    let mut consumers = tasks::Consumers::none();
    let notifier = tasks::Notifier::new(&api.tasks, telling.into_sending());
    consumers.follow("another", &api.app, &api.following(), notifier);
    let last = admin.task("The last").await;
    admin.assign(&last, "ada").await.expect(200);
    until(|| !mails_in(again.path()).is_empty()).await;
    consumers.stop().await;
    let subjects = mails_in(again.path());
    assert_eq!(subjects, ["Assigned to you: The last"]);
}

fn mails_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let files = entries.map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        // Until it is whole, a file has a name that begins so.
        .filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.'))
        .map(|path| {
            let mail: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            mail["subject"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// A person's address is that of their record, whatever the event says (S1-45), and hostile titles stay where they are.
#[tokio::test(flavor = "multi_thread")]
async fn titles_make_no_headers() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start().await;
    let consumers = everybody(&api, folder.path()).await;
    let admin = api.admin("boss").await;
    let member = person("ada", "Members");
    api.token(&member).get("/users/me").await.expect(200);
    let title = "Bcc: eve@example.org <script>alert(1)</script> \u{202e}";
    let task = admin.task(title).await;
    admin.assign(&task, "ada").await.expect(200);
    until(|| mails(folder.path()).len() == 1).await;
    consumers.stop().await;
    let entries = std::fs::read_dir(folder.path().join("mail")).unwrap();
    let eml = entries
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().unwrap() == "eml");
    let eml = std::fs::read_to_string(eml.unwrap()).unwrap();
    let head = eml.split("\r\n\r\n").next().unwrap();
    assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
    assert!(
        !mails(folder.path())[0]["html"]
            .as_str()
            .unwrap()
            .contains("<script>")
    );
}

/// A mail that came back is written down, once, by whoever has the token.
#[tokio::test(flavor = "multi_thread")]
async fn mails_that_come_back_are_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::with(&[("TABLEWRIGHT_BOUNCE_TOKEN", "sixteen letters or so")]).await;
    let consumers = everybody(&api, folder.path()).await;
    let admin = api.admin("boss").await;
    api.member("ada").await;
    let task = admin.task("Fix bug").await;
    admin.assign(&task, "ada").await.expect(200);
    // The mail and the event are told by two consumers, one of them first.
    let is_assigned = |event: &Value| event["detail-type"] == "TaskAssigned";
    until(|| mails(folder.path()).len() == 1).await;
    until(|| events(folder.path()).iter().any(is_assigned)).await;
    let event = events(folder.path());
    let event = event
        .iter()
        .find(|event| event["detail-type"] == "TaskAssigned")
        .unwrap();
    let event = event["id"].as_str().unwrap();
    let message_id = format!("<{event}.ada@localhost.localdomain>");
    let body = json!({ "messageId": message_id, "reason": "550 no such mailbox" });
    let path = "/mail/bounces";
    for stranger in [
        None,
        admin.token.clone(),
        Some(String::from("sixteen letters or s0")),
    ] {
        api.bearer(stranger)
            .post(path, body.clone())
            .await
            .problem(401, "unauthenticated");
    }
    // Whoever may not say it is told so, and not what is wrong with what they say.
    let stranger = api.bearer(None);
    stranger
        .post(path, json!({ "no": "body" }))
        .await
        .problem(401, "unauthenticated");
    stranger
        .post_nothing(path)
        .await
        .problem(401, "unauthenticated");
    let sender = api.bearer(Some(String::from("sixteen letters or so")));
    sender.post(path, body.clone()).await.expect(204);
    // The name of a scheme is written as one likes (RFC 9110).
    let small = [("authorization", "bearer sixteen letters or so")];
    let again = stranger.send(http::Method::POST, path, Some(body), &small);
    again.await.expect(204);
    let record = api
        .tasks
        .mail_records
        .mail_record(event, "ada")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(record.state, MailRecordState::Bounced);
    assert_eq!(record.error.as_deref(), Some("550 no such mailbox"));
    // An admin sees it, beside the others and on the page.
    let told = admin.get("/mail/undelivered").await.expect(200).body;
    assert_eq!(told["items"].as_array().unwrap().len(), 1, "{told}");
    let told = &told["items"][0];
    assert_eq!(told["eventId"], event);
    assert_eq!(
        (&told["userId"], &told["outcome"]),
        (&json!("ada"), &json!("BOUNCED"))
    );
    assert_eq!(told["reason"], "550 no such mailbox");
    let page = admin.get("~/page/people").await.expect(200).text;
    assert!(page.contains("550 no such mailbox"), "{page}");
    for unknown in [
        "<0100018e-ses@email.amazonses.com>",
        "",
        "<e1.TaskAssigned.ada@x>",
        "<a.b.=0=@x>",
    ] {
        let body = json!({ "messageId": unknown, "reason": "" });
        sender.post(path, body).await.problem(404, "not-found");
    }
    consumers.stop().await;
}
