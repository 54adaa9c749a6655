//! The pages without a browser: cookies, forms, and what is told when something is wrong.

use std::collections::BTreeSet;

use ask::model::{Question, QuestionAudience, Response, Subscription};
use http::Method;
use serde_json::json;
use tablewright::{Store, Timestamp, Uuid};
use tablewright_local::Engine;
use tablewright_testing::{Fault, Wire};
use tokio::task::JoinSet;

use crate::person::{Town, words};
use crate::support::{Api, Asks as _, Caller, Reply, WEB_APP, question};

/// Sends a form, as a browser does.
async fn sends(who: &Caller, path: &str, form: &str, headers: &[(&str, &str)]) -> Reply {
    let mut all = vec![("content-type", "application/x-www-form-urlencoded")];
    all.extend_from_slice(headers);
    who.send_text(Method::POST, path, Some(form), &all).await
}

/// The value of a hidden field.
fn hidden<'p>(page: &'p str, name: &str) -> &'p str {
    let begin = format!("name=\"{name}\" value=\"");
    page.split(&begin)
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
}

fn cookie(reply: &Reply) -> String {
    let set = reply.header("set-cookie").expect("a cookie is given");
    set.split(';').next().unwrap().to_owned()
}

/// S2-26: who opens a question is known from then on, by a cookie that scripts and other sites cannot use.
#[tokio::test]
async fn a_cookie_stays_the_same_and_is_kept_from_scripts() {
    let api = Api::start().await;
    let id = api.agent("ada").await.asks(question()).await;
    let nobody = api.nobody();
    let feed = nobody.get("~/").await.expect(200);
    assert!(
        feed.header("set-cookie").is_none(),
        "who only looks is nobody"
    );
    let path = format!("~/questions/{id}");
    let first = nobody.get(&path).await.expect(200);
    let set = first.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(set.contains(part), "{set}");
    }
    let known = cookie(&first);
    let again = nobody
        .send(Method::GET, &path, None, &[("cookie", &known)])
        .await;
    let set = again.expect(200).header("set-cookie").unwrap().to_owned();
    assert!(set.starts_with(&format!("{known};")), "the same: {set}");
    let forged = nobody
        .send(
            Method::GET,
            &path,
            None,
            &[("cookie", "aah_person=aahp_AAAA")],
        )
        .await;
    assert!(
        forged.expect(200).header("set-cookie").is_some(),
        "a made-up cookie is none"
    );
}

/// A browser forgets a cookie 400 days after it was set: who comes now and then is given theirs again, with every page, and nobody else's.
#[tokio::test]
async fn who_comes_again_is_not_forgotten() {
    let api = Api::start().await;
    let id = api.agent("ada").await.asks(question()).await;
    let nobody = api.nobody();
    let first = nobody.get(&format!("~/questions/{id}")).await.expect(200);
    let known = cookie(&first);
    let cookies = format!("other=1; {known}; aah_person=aahp_AAAA");
    for path in ["~/", "~/me", "~/leaderboard", "~/settings"] {
        let headers = [("cookie", cookies.as_str())];
        let page = nobody.send(Method::GET, path, None, &headers).await;
        let page = page.expect(200);
        assert_eq!(cookie(&page), known, "{path}");
        let set = page.header("set-cookie").unwrap();
        assert!(set.contains("Max-Age=34560000"), "{set}");
        assert!(
            set.contains("HttpOnly") && set.contains("SameSite=Lax"),
            "{set}"
        );
    }
    let part = [("cookie", cookies.as_str()), ("x-part", "1")];
    let part = nobody.send(Method::GET, "~/", None, &part).await;
    assert!(part.expect(200).header("set-cookie").is_none());
}

/// A form of ours says where it comes from: pages let browsers say so, and nobody else is told.
#[tokio::test]
async fn pages_let_a_browser_say_where_a_form_comes_from() {
    let api = Api::start().await;
    let id = api.agent("ada").await.asks(question()).await;
    let nobody = api.nobody();
    for path in [
        "~/",
        "~/settings",
        &format!("~/questions/{id}"),
        "~/nowhere",
    ] {
        let page = nobody.get(path).await;
        let expected = if path == "~/nowhere" {
            "no-referrer"
        } else {
            "same-origin"
        };
        assert_eq!(page.header("referrer-policy"), Some(expected), "{path}");
    }
}

#[tokio::test]
async fn a_form_answers_once_and_loading_again_sends_nothing() {
    let api = Api::start().await;
    let id = api.agent("ada").await.asks(question()).await;
    let nobody = api.nobody();
    let path = format!("~/questions/{id}");
    let page = nobody.get(&path).await.expect(200);
    let known = cookie(&page);
    let form = format!(
        "opened={}&answer=Yes%2C+I+would&time_zone=Mars",
        hidden(&page.text, "opened")
    );
    // A page of somebody else makes the browser send it.
    for headers in [
        [("cookie", known.as_str()), ("sec-fetch-site", "cross-site")],
        [
            ("cookie", known.as_str()),
            ("origin", "https://evil.example"),
        ],
    ] {
        let refused = sends(&nobody, &path, &form, &headers).await;
        assert_eq!(refused.status, 403);
        assert!(
            refused.text.starts_with("<!doctype html>"),
            "{}",
            refused.text
        );
    }
    assert!(api.stored::<Response>().await.is_empty());
    let own = [
        ("cookie", known.as_str()),
        ("sec-fetch-site", "same-origin"),
    ];
    let sent = sends(&nobody, &path, &form, &own).await.expect(303);
    let thanks = format!("~{}", sent.header("location").unwrap());
    for _ in 0..2 {
        let thanks = nobody
            .send(Method::GET, &thanks, None, &[("cookie", &known)])
            .await;
        assert!(thanks.expect(200).text.contains("First Steps"));
    }
    let again = sends(&nobody, &path, &form, &own).await;
    assert_eq!(again.status, 409);
    assert!(again.text.contains("<h1>"), "{}", again.text);
    assert_eq!(api.stored::<Response>().await.len(), 1);
    nobody.get("~/thanks?of=made-up").await.expect(404);
}

/// Nothing that was written is lost: neither with a cookie that is gone, nor when something is not allowed.
#[tokio::test]
async fn what_was_written_stays_in_the_form() {
    let api = Api::start().await;
    let id = api.agent("ada").await.asks(question()).await;
    let nobody = api.nobody();
    let path = format!("~/questions/{id}");
    let page = nobody.get(&path).await.expect(200);
    let form = format!(
        "opened={}&answer=A+long+thought",
        hidden(&page.text, "opened")
    );
    let lost = sends(&nobody, &path, &form, &[]).await.expect(200);
    assert!(lost.text.contains("A long thought</textarea>") && lost.text.contains("somebody new"));
    let known = cookie(&lost);
    let form = format!(
        "opened={}&answer=A+long+thought&confidence=9",
        hidden(&lost.text, "opened")
    );
    let wrong = sends(&nobody, &path, &form, &[("cookie", &known)])
        .await
        .expect(422);
    assert!(wrong.text.contains("A long thought</textarea>") && wrong.text.contains("confidence"));
    assert!(api.stored::<Response>().await.is_empty());
    let form = form.replace("&confidence=9", "");
    sends(&nobody, &path, &form, &[("cookie", &known)])
        .await
        .expect(303);
}

#[tokio::test]
async fn people_are_told_by_pages_what_is_wrong() {
    let api = Api::start().await;
    let nobody = api.nobody();
    for path in [
        "~/questions/x",
        "~/questions/00000000-0000-7000-8000-000000000000",
    ] {
        let page = nobody.get(path).await.expect(404);
        assert!(
            page.text.contains("There is no such thing"),
            "{}",
            page.text
        );
    }
    nobody
        .get("~/?cursor=nonsense&order=x&audience=y")
        .await
        .expect(200);
    let device = "~/settings/devices/00000000-0000-7000-8000-000000000000";
    let page = sends(&nobody, device, "min_interval_minutes=60", &[])
        .await
        .expect(401);
    assert!(page.text.contains("<h1>"));
    let known = cookie(&nobody.get("~/settings").await.expect(200));
    let page = sends(
        &nobody,
        device,
        "min_interval_minutes=x",
        &[("cookie", &known)],
    )
    .await;
    assert!(page.expect(422).text.contains("role=\"alert\""));
}

/// What an agent, or an admin, sees on their pages is theirs only.
#[tokio::test]
async fn parts_of_pages_are_for_whom_they_are() {
    let api = Api::start().await;
    let ada = api.agent("ada").await;
    ada.asks(json!({ "prompt": "Only <b>ada</b> sees this" }))
        .await;
    let bob = api.agent("bob").await;
    let own = ada.get("~/page/agent/questions").await.expect(200);
    assert!(
        own.text
            .contains("Only &#60;b&#62;ada&#60;/b&#62; sees this"),
        "{}",
        own.text
    );
    assert!(
        !bob.get("~/page/agent/questions")
            .await
            .expect(200)
            .text
            .contains("ada")
    );
    // Unchanged, it is not sent again.
    let again = own
        .text
        .split("hx-get=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    ada.get(&format!("~{again}")).await.expect(204);
    ada.asks(question()).await;
    ada.get(&format!("~{again}")).await.expect(200);
    api.nobody()
        .get("~/page/agent/questions")
        .await
        .problem(401, "unauthenticated");
    api.nobody()
        .get("~/page/admin/reviews")
        .await
        .problem(401, "unauthenticated");
    ada.get("~/page/admin/reviews")
        .await
        .problem(401, "unauthenticated");
    api.in_group("Members")
        .get("~/page/admin/reviews")
        .await
        .problem(403, "forbidden");
    api.admin().get("~/page/admin/reviews").await.expect(200);
}

/// A browser registers where the app is known; else the page takes a token, or says where notifications are.
#[tokio::test]
async fn a_browser_can_register_where_the_app_is_known() {
    const BUTTON: &str = "Notify me on this device";
    const OUTBOX: &str = "notifications are files in the outbox";
    let at = async |variables: &[(&str, &str)]| {
        let engine = Engine::temporary().unwrap();
        let store = Store::new(engine.dynamodb());
        let api = Api::with(engine, &store, variables).await;
        let page = api.nobody().get("~/settings").await.expect(200);
        let policy = page.header("content-security-policy").unwrap().to_owned();
        let feed = api.nobody().get("~/").await.expect(200);
        let feed = feed.header("content-security-policy").unwrap();
        assert!(feed.contains("connect-src 'self';") || feed.ends_with("connect-src 'self'"));
        (page.text, policy)
    };
    let (page, policy) = at(&WEB_APP).await;
    for part in [
        BUTTON,
        "/page/notify.js",
        "data-project=\"ask-a-human\"",
        "data-registrations=\"https://fcmregistrations.googleapis.com\"",
        "name=\"fcm_token\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains(OUTBOX));
    assert!(
        policy.ends_with("connect-src 'self' https://firebaseinstallations.googleapis.com https://fcmregistrations.googleapis.com"),
        "{policy}"
    );
    let (page, policy) = at(&WEB_APP[..1]).await;
    assert!(!page.contains(BUTTON) && page.contains("name=\"fcm_token\""));
    assert!(policy.ends_with("connect-src 'self'"), "{policy}");
    let (page, policy) = at(&[]).await;
    assert!(!page.contains(BUTTON) && !page.contains("notify.js"));
    assert!(page.contains(OUTBOX) && !page.contains("fcm_token"));
    assert!(policy.ends_with("connect-src 'self'"), "{policy}");
}

/// Who follows old links is nobody: an address has so many new people an hour, and none is used up by what is not there, or over.
#[tokio::test]
async fn only_who_can_answer_becomes_somebody() {
    let town = Town::at("2026-11-18T12:00:00.000Z").await;
    let over = town.asks_for(1).await;
    let ada = town.somebody().await;
    ada.answers(&over, words(1)).await.expect(201);
    let nobody = town.api.nobody();
    let opens = async |id: &str| {
        let from = [("x-forwarded-for", "192.0.2.8")];
        let path = format!("~/questions/{id}");
        nobody.send(Method::GET, &path, None, &from).await
    };
    for _ in 0..15 {
        let missing = opens("01a1dfe5-1dcc-7003-9564-d9f0c3f5af45").await;
        assert_eq!(missing.status, 404);
        let closed = opens(&over).await;
        assert_eq!(closed.status, 410);
        assert!(closed.header("set-cookie").is_none());
    }
    let open = town.asks_for(1).await;
    let opened = opens(&open).await.expect(200);
    assert!(opened.header("set-cookie").is_some());
}

/// What was written is there again whatever went wrong: in the form, or at least to be read.
#[tokio::test]
async fn what_was_written_stays_when_the_service_fails() {
    let wire = Wire::new();
    let town = Town::on(
        wire.engine.clone(),
        wire.client(),
        "2026-11-18T12:00:00.000Z",
    )
    .await;
    let id = town.asks_for(9).await;
    let ada = town.somebody().await;
    let opened = ada.opens(&id).await;
    let form = format!("opened={opened}&answer=Porridge+%3Cb%3Ewith%3C%2Fb%3E+raisins");
    let path = format!("/questions/{id}");
    // The write does not come through; the question can still be read.
    wire.plan("TransactWriteItems", (0..60).map(|_| Fault::Deny));
    let told = ada.sends(&path, &form).await;
    wire.forget_faults();
    assert!(told.status >= 500, "{}", told.status);
    assert!(told.text.contains("id=\"answer-form\""), "{}", told.text);
    assert!(
        told.text
            .contains("Porridge &#60;b&#62;with&#60;/b&#62; raisins")
    );
    // Nothing can be read.
    wire.plan("GetItem", (0..60).map(|_| Fault::Deny));
    let told = ada.sends(&path, &form).await;
    wire.forget_faults();
    assert!(told.status >= 500, "{}", told.status);
    assert!(told.text.contains("What you wrote"), "{}", told.text);
    assert!(
        told.text
            .contains("Porridge &#60;b&#62;with&#60;/b&#62; raisins")
    );
    ada.sends(&path, &form).await.expect(303);
}

/// A card has the beginning of a prompt, and its question all of it.
#[tokio::test]
async fn a_card_has_the_beginning_of_a_long_prompt() {
    let api = Api::start().await;
    let prompt = format!("{}the end", "🌉 ".repeat(990));
    let id = api
        .agent("ada")
        .await
        .asks(json!({ "prompt": prompt }))
        .await;
    let feed = api.nobody().get("~/").await.expect(200);
    assert!(feed.text.contains('🌉') && !feed.text.contains("the end"));
    assert!(feed.text.len() < 8000, "{}", feed.text.len());
    let page = api.nobody().get(&format!("~/questions/{id}")).await;
    assert!(page.expect(200).text.contains("the end"));
}

/// Who skips one after the other sees all of them, and then the first again.
#[tokio::test]
async fn skipping_goes_through_all_there_is() {
    let town = Town::at("2026-11-18T12:00:00.000Z").await;
    for _ in 0..115 {
        town.asks_for(1).await;
        town.clock.forward(1);
    }
    let ada = town.somebody().await;
    for order in ["newest", "neediest"] {
        let mut seen = Vec::new();
        let mut next = format!("/skip?order={order}&audience=");
        while seen.len() < 117 {
            let there = ada.follows(&next).await;
            let (id, way) = there.split_once('?').unwrap();
            let id = id.strip_prefix("/questions/").unwrap();
            next = format!("/skip?after={id}&{way}");
            seen.push(id.to_owned());
        }
        let different: BTreeSet<&String> = seen.iter().collect();
        assert_eq!(different.len(), 115, "{order}");
        assert_eq!(seen[..2], seen[115..], "{order}");
    }
    // A made-up place is the beginning.
    let there = ada.follows("/skip?order=newest&at=1.made-up").await;
    assert!(there.starts_with("/questions/"), "{there}");
}

/// Who has skipped some and answers one goes on from there, in either order, and does not meet again what they skipped; after the last of all comes the first.
#[tokio::test]
async fn after_an_answer_one_goes_on_from_there() {
    let town = Town::at("2026-11-18T12:00:00.000Z").await;
    for number in 0..30 {
        // Some close with one answer, and are gone from the feed.
        town.asks_for(1 + number % 3).await;
        town.clock.forward(1);
    }
    for order in ["newest", "neediest"] {
        let ada = town.somebody().await;
        let mut all = Vec::new();
        let mut there = ada.follows(&format!("/skip?order={order}&audience=")).await;
        loop {
            let (id, way) = there.split_once('?').unwrap();
            let id = id.strip_prefix("/questions/").unwrap().to_owned();
            if all.contains(&id) {
                break;
            }
            there = ada.follows(&format!("/skip?after={id}&{way}")).await;
            all.push(id);
        }
        assert_eq!(all.len(), 30 - usize::from(order == "neediest"), "{order}");
        let mut there = format!("/questions/{}?order={order}&audience=", all[0]);
        let mut answered = Vec::new();
        for (place, expected) in all.iter().enumerate() {
            let (path, way) = there.split_once('?').unwrap();
            let id = path.strip_prefix("/questions/").unwrap();
            assert_eq!(id, expected, "{order}, {place}");
            there = if place % 10 == 5 {
                let opened = ada.opens(id).await;
                let form = format!("opened={opened}&answer=Porridge+number+{place}");
                let sent = ada.sends(&there, &form).await.expect(303);
                answered.push(id.to_owned());
                town.clock.forward(60);
                let thanks = ada.sees(sent.header("location").unwrap()).await;
                let link = thanks.split("href=\"/questions/").nth(1).unwrap();
                let link = link.split('"').next().unwrap().replace("&#38;", "&");
                format!("/questions/{link}")
            } else {
                ada.follows(&format!("/skip?after={id}&{way}")).await
            };
        }
        assert_eq!(answered.len(), 3);
        assert!(there.contains(&all[0]), "from the beginning: {there}");
    }
}

/// Few are for an audience among very many: skipping does not end before them.
#[tokio::test(flavor = "multi_thread")]
async fn skipping_by_a_rare_audience_reaches_what_is_far() {
    let town = Town::at("2026-11-18T12:00:00.000Z").await;
    let rare =
        json!({ "prompt": "The one far away", "audience": ["ethics"], "timeout_seconds": 86400 });
    let far = town.asks(rare.clone()).await;
    let stored = town.api.stored::<Question>().await.remove(0).data;
    // So many others in between that one request does not look at all of them.
    let mut others = JoinSet::new();
    for number in 1..2300 {
        let other = Question {
            question_id: Uuid::now_v7(),
            audience: vec![QuestionAudience::General],
            place: None,
            created_at: Timestamp::from_millis(stored.created_at.millis() + number).unwrap(),
            ..stored.clone()
        };
        let questions = town.api.ask.questions.clone();
        others.spawn(async move { questions.items().insert(other).await.map(drop).unwrap() });
    }
    others.join_all().await;
    town.clock.forward(60);
    let near = town.asks(rare).await;
    let ada = town.somebody().await;
    let way = "order=newest&audience=ethics";
    let mut there = ada.follows(&format!("/skip?after={near}&{way}")).await;
    let mut pages = 0;
    while !there.contains(&far) {
        assert!(
            there.starts_with("/?") && there.contains("cursor="),
            "{there}"
        );
        let page = ada.sees(&there).await;
        let links = page
            .split("href=\"")
            .map(|rest| rest.split('"').next().unwrap());
        let links: Vec<String> = links.map(|link| link.replace("&#38;", "&")).collect();
        let next = links.iter().find(|link| link.contains(&far));
        let next = next.or_else(|| links.iter().find(|link| link.contains("cursor=")));
        there = next
            .unwrap_or_else(|| panic!("the list ends: {page}"))
            .clone();
        pages += 1;
        assert!(pages < 30);
    }
    assert!(ada.sees(&there).await.contains("The one far away"));
}

/// Where nobody sends, a browser is one device however often it wants to be notified.
#[tokio::test]
async fn a_browser_is_one_device() {
    let town = Town::at("2026-11-18T12:00:00.000Z").await;
    let ada = town.somebody().await;
    for minutes in [30, 60] {
        let form = format!("min_interval_minutes={minutes}");
        ada.sends("/settings/devices", &form).await.expect(303);
    }
    let devices = town.api.stored::<Subscription>().await;
    assert_eq!(devices.len(), 1);
    assert_eq!(devices[0].min_interval_minutes, 60);
}
