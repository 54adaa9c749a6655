//! Forms that do not come through: a page says so, and what was written is not lost where anybody has it.

use ask::model::{QuestionAudience, Response};
use serde_json::json;
use tablewright::Store;
use tablewright_testing::{Fault, Wire};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::person::{Hands, Person};
use crate::support::{Api, Asks as _, question};

const NOON: &str = "2026-11-18T12:00:00.000Z";

async fn started(wire: &Wire, settings: &[(&str, &str)]) -> (Api, String) {
    let store = Store::builder(wire.client()).clock(Hands::at(NOON)).build();
    let mut all = vec![("TABLEWRIGHT_FORWARDED_HOPS", "1")];
    all.extend_from_slice(settings);
    let api = Api::with(wire.engine.clone(), &store, &all).await;
    let id = api.agent("ada").await.asks(question()).await;
    (api, id)
}

fn is_page(text: &str, title: &str) {
    let heading = format!("<h1>{title}");
    assert!(
        text.contains(&heading) && text.contains("</html>"),
        "{text}"
    );
}

#[tokio::test]
async fn a_form_that_is_too_long_is_answered_with_a_page() {
    let (api, id) = started(&Wire::new(), &[("TABLEWRIGHT_BODY_LIMIT", "20000")]).await;
    let ada = Person::new(&api.nobody()).await;
    let form = format!("answer={}", "x".repeat(20_001));
    for path in [
        format!("/questions/{id}"),
        String::from("/settings/devices"),
    ] {
        let told = ada.sends(&path, &form).await.expect(413);
        assert_eq!(
            told.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        is_page(&told.text, "");
        assert!(told.text.contains("at most 20000 bytes"), "{}", told.text);
    }
    assert!(api.stored::<Response>().await.is_empty());
}

#[tokio::test]
async fn a_form_that_stalls_is_answered_with_a_page() {
    let (api, id) = started(&Wire::new(), &[("TABLEWRIGHT_BODY_TIMEOUT", "1s")]).await;
    let address = api.address.strip_prefix("http://").unwrap();
    let mut line = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /questions/{id} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 100\r\nconnection: close\r\n\r\nanswer=Por"
    );
    line.write_all(head.as_bytes()).await.unwrap();
    let mut told = String::new();
    line.read_to_string(&mut told).await.unwrap();
    assert!(told.starts_with("HTTP/1.1 408 "), "{told}");
    is_page(&told, "");
}

/// The tables take longer than a request may: the page has what was written, and does not say that nothing was done.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_form_that_takes_too_long_gives_back_what_was_written() {
    let wire = Wire::new();
    let slowly = [
        ("TABLEWRIGHT_REQUEST_TIMEOUT", "60s"),
        ("TABLEWRIGHT_BODY_TIMEOUT", "58s"),
    ];
    let (api, id) = started(&wire, &slowly).await;
    let ada = Person::new(&api.nobody()).await;
    let opened = ada.opens(&id).await;
    wire.plan("TransactWriteItems", (0..5000).map(|_| Fault::Throttle));
    let form = format!("opened={opened}&answer=Porridge+%26+raisins");
    let told = ada
        .sends(&format!("/questions/{id}"), &form)
        .await
        .expect(503);
    is_page(&told.text, "");
    assert!(
        told.text.contains("Porridge &#38; raisins"),
        "{}",
        told.text
    );
    assert!(
        told.text.contains("It is not known whether it was done"),
        "{}",
        told.text
    );
}

/// An agent chooses on its page for whom a question is and how long it takes answers, and looks through all it has asked.
#[tokio::test]
async fn an_agent_chooses_audience_and_deadline_and_turns_pages() {
    let (api, _) = started(&Wire::new(), &[]).await;
    let bob = api.agent("bob").await;
    let sends = async |form: &str| {
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        let path = "~/page/agent/questions";
        bob.send_text(http::Method::POST, path, Some(form), &headers)
            .await
    };
    let shell = api.nobody().get("~/agent").await.expect(200).text;
    assert!(shell.contains("name=\"for_creative\"") && shell.contains("value=\"14400\""));
    let form = "prompt=Which+colour+is+this%3F&for_creative=on&for_ethics=on&timeout_seconds=14400&min_responses=2";
    sends(form).await.expect(200);
    let asked = api.stored::<ask::model::Question>().await;
    let asked = asked
        .iter()
        .find(|question| question.agent_id == "bob")
        .unwrap();
    assert_eq!(
        asked.audience,
        [QuestionAudience::Ethics, QuestionAudience::Creative]
    );
    assert_eq!(asked.expires_at - asked.created_at.seconds(), 14_400);
    for wrong in [
        "timeout_seconds=soon",
        "timeout_seconds=5",
        "timeout_seconds=86401",
    ] {
        let told = sends(&format!("prompt=Which+colour+is+this%3F&{wrong}"))
            .await
            .problem(422, "invalid");
        assert!(told.text.contains("timeout_seconds"), "{}", told.text);
    }
    sends("prompt=Is+it+for+everybody%3F").await.expect(200);
    for number in 0..21 {
        bob.asks(json!({ "prompt": format!("Is {number} a nice number?") }))
            .await;
    }

    let mut path = String::from("/page/agent/questions");
    let (mut pages, mut prompts) = (0, Vec::new());
    loop {
        let page = bob.get(&format!("~{path}")).await.expect(200).text;
        let shown = page.split("<p class=\"prompt\">").skip(1);
        prompts.extend(shown.map(|rest| rest.split('<').next().unwrap().to_owned()));
        assert_eq!(page.contains("The newest"), pages > 0);
        pages += 1;
        // What is shown is looked at again where one is.
        let again = page
            .split("hx-get=\"")
            .find(|rest| rest.contains("?seen="))
            .unwrap();
        let again = again.split('"').next().unwrap().replace("&amp;", "&");
        bob.get(&format!("~{again}")).await.expect(204);
        let older = page
            .split("hx-get=\"")
            .find(|rest| rest.contains(">Older<"));
        match older {
            Some(rest) => path = rest.split('"').next().unwrap().to_owned(),
            None => break,
        }
    }
    assert_eq!((pages, prompts.len()), (3, 23));
    assert_eq!(prompts.last().unwrap(), "Which colour is this?");
    let strange = bob.get("~/page/agent/questions?cursor=1.made-up").await;
    assert!(strange.expect(200).text.contains("Is 20 a nice number?"));
}
