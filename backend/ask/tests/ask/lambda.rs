//! The program under AWS Lambda: its service, and each of those who work beside it.

use std::process::Command;
use std::sync::{Arc, Mutex};

use ask::add_agent;
use ask::model::{Question, QuestionStatus};
use serde_json::{Value, json};
use tablewright::{Entity as _, Store};
use tablewright_local::Engine;
use tablewright_stream::{Failure, Record};
use tablewright_testing::{Ahead, Function, Gateway, Issuer, served, stream_event, until};

use crate::support::Api;
use crate::town::Town;
use crate::webhook::{Receiver, at};

const SECRET: &str = "a secret of thirty-two characters, or more";

fn program(words: &[&str], endpoint: &str, town: &Town) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ask"));
    command
        .args(words)
        .env("TABLEWRIGHT_ENDPOINT", endpoint)
        .env("TABLEWRIGHT_PEOPLE_SECRET", SECRET)
        .env("TABLEWRIGHT_FCM_CREDENTIALS", &town.credentials)
        .env("TABLEWRIGHT_FCM_ENDPOINT", &town.firebase.url)
        .current_dir(town.credentials.parent().unwrap());
    command
}

async fn town() -> (Town, String) {
    let engine = Engine::temporary().unwrap();
    let endpoint = served(&engine).await;
    let store = Store::new(engine.dynamodb());
    let api = Api::with(engine, &store, &[]).await;
    (Town::of(api, Ahead::default()).await, endpoint)
}

/// The event of everything that has happened to questions, of which there are so many.
async fn changes(town: &Town, many: usize) -> Value {
    let records: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = Arc::clone(&records);
    let name = format!("watching-{many}").leak();
    let consumers = town.follow(name, move |record: Arc<Record>| {
        seen.lock().unwrap().push(record.to_json());
        std::future::ready(Ok::<(), Failure>(()))
    });
    until(|| records.lock().unwrap().len() >= many).await;
    consumers.stop().await;
    let table = &Question::descriptor().table.name;
    stream_event(table, &records.lock().unwrap())
}

/// Agents come with their keys, people with a cookie, admins with a token.
#[tokio::test(flavor = "multi_thread")]
async fn the_service_answers_a_gateway() {
    let (town, endpoint) = town().await;
    let issuer = Issuer::start().await;
    let mut command = program(&[], &endpoint, &town);
    issuer.trusted_by(&mut command);
    let mut ask = Function::start(command).await;
    let key = ask::add_key(&town.api.ask, "a", "test").await.unwrap().key;
    let (path, question) = (
        "/agent/questions",
        json!({ "prompt": "Would you cross it?" }),
    );
    for request in [
        Gateway::post(path, &question),
        Gateway::post_in_base64(path, &question),
    ] {
        let asked = ask.asked(request.bearing(&key)).await;
        assert_eq!(asked.status, 201, "{asked:?}");
        let id = asked.json["question_id"].as_str().unwrap();
        let read = ask
            .asked(Gateway::get(&format!("{path}/{id}")).bearing(&key))
            .await;
        assert_eq!((read.status, &read.json["status"]), (200, &json!("OPEN")));
    }
    let unknown = ask.asked(Gateway::post(path, &question)).await;
    assert_eq!(unknown.status, 401);

    assert_eq!(ask.asked(Gateway::get("/")).await.status, 200);
    let person = ask.asked(Gateway::post("/human/people", &json!({}))).await;
    assert_eq!(person.status, 201, "{person:?}");
    let cookie = format!("aah_person={}", person.json["token"].as_str().unwrap());
    let feed = |cookies: &[&str]| {
        let asked = Gateway::with_cookies("/human/stats", cookies);
        asked.header("sec-fetch-site", "same-origin")
    };
    assert_eq!(ask.asked(feed(&["theme=dark"])).await.status, 401);
    let known = ask.asked(feed(&["theme=dark", &cookie])).await;
    assert_eq!(known.status, 200, "{known:?}");

    let agents = "/admin/agents/a";
    let admin = issuer.token("grace", &["Admins"]);
    assert_eq!(ask.asked(Gateway::looked_at(agents)).await.status, 401);
    assert_eq!(
        ask.asked(Gateway::looked_at(agents).bearing(&admin))
            .await
            .status,
        200
    );
    let lost = ask.asked(Gateway::bad_path().bearing(&admin)).await;
    assert!([400, 404].contains(&lost.status), "{lost:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stream_calls_who_tells_people_and_agents() {
    let (town, endpoint) = town().await;
    let receiver = Receiver::start().await;
    add_agent(&town.api.ask, "a", &at(&receiver.url))
        .await
        .unwrap();
    town.people(3, 1440).await;
    let question = town.asks_for(1).await;
    let close = |question: &mut Question| question.status = QuestionStatus::Closed;

    let mut dispatcher =
        Function::start(program(&["follow", "ask-dispatcher"], &endpoint, &town)).await;
    let event = changes(&town, 1).await;
    for _ in 0..2 {
        let handled = dispatcher.invoke(&event).await.unwrap();
        assert_eq!(handled, json!({ "batchItemFailures": [] }));
        assert_eq!(town.told_of(question), ["p0", "p1", "p2"]);
    }
    assert!(dispatcher.invoke(&json!({})).await.is_err());

    town.change(question, close).await;
    let mut webhooks =
        Function::start(program(&["follow", "ask-webhooks"], &endpoint, &town)).await;
    let handled = webhooks.invoke(&changes(&town, 2).await).await.unwrap();
    assert_eq!(handled, json!({ "batchItemFailures": [] }));
    let told = receiver.events();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["detail"]["question_id"], question.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schedule_calls_who_looks_after_what_time_brings() {
    let (town, endpoint) = town().await;
    town.people(3, 1440).await;
    let (late, over) = (town.asks_for(1).await, town.asks_for(1).await);
    let past = town.now().seconds() - 60;
    town.change(late, move |question| question.catch_up_at = past)
        .await;
    town.change(over, move |question| question.expires_at = past)
        .await;
    let event = json!({ "source": "aws.events", "detail-type": "Scheduled Event", "detail": {} });

    let mut sweeper = Function::start(program(&["follow", "ask-sweeper"], &endpoint, &town)).await;
    assert_eq!(sweeper.invoke(&event).await, Ok(json!({})));
    let stored = town
        .api
        .ask
        .questions
        .question(over)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.status, QuestionStatus::Expired);

    let mut catch_up =
        Function::start(program(&["follow", "ask-catch-up"], &endpoint, &town)).await;
    assert_eq!(catch_up.invoke(&event).await, Ok(json!({})));
    assert_eq!(town.told_of(late), ["p0", "p1", "p2"]);
    assert!(town.told_of(over).is_empty());
}
