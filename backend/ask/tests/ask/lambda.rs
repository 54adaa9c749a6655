//! The program under AWS Lambda: its service, and each of those who work beside it.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ask::add_agent;
use ask::model::{Question, QuestionStatus};
use serde_json::{Value, json};
use tablewright::{Entity as _, Store};
use tablewright_local::Engine;
use tablewright_stream::{DeadLetters, Failure, Record};
use tablewright_testing::{Ahead, Function, Gateway, Issuer, served, stream_event, until};

use crate::support::{Api, Asks as _, question};
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

/// S2-12: the gateway is less patient than who may wait for half a minute.
#[tokio::test(flavor = "multi_thread")]
async fn who_waits_is_answered_before_the_end_of_the_call() {
    let (town, endpoint) = town().await;
    let issuer = Issuer::start().await;
    let mut command = program(&[], &endpoint, &town);
    issuer.trusted_by(&mut command);
    let mut ask = Function::start_with(Duration::from_secs(10), command).await;
    let key = ask::add_key(&town.api.ask, "a", "test").await.unwrap().key;
    let question = town.asks_for(1).await;
    let path = format!("/agent/questions/{question}?wait=30");
    let waited = ask.asked(Gateway::get(&path).bearing(&key)).await;
    assert_eq!(
        (waited.status, &waited.json["status"]),
        (200, &json!("OPEN"))
    );
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

/// Nothing is begun that may not end before the call does: it is done by the next one.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_schedule_calls_begins_nothing_shortly_before_its_end() {
    let (town, endpoint) = town().await;
    town.people(3, 1440).await;
    let (late, over) = (town.asks_for(1).await, town.asks_for(1).await);
    let past = town.now().seconds() - 60;
    town.change(late, move |question| question.catch_up_at = past)
        .await;
    town.change(over, move |question| question.expires_at = past)
        .await;
    let event = json!({ "source": "aws.events", "detail-type": "Scheduled Event", "detail": {} });
    for (name, call) in [("ask-catch-up", 110), ("ask-sweeper", 25)] {
        let command = program(&["follow", name], &endpoint, &town);
        let call = Duration::from_secs(call);
        let mut function = Function::start_with(call, command).await;
        assert_eq!(function.invoke(&event).await, Ok(json!({})), "{name}");
    }
    let questions = &town.api.ask.questions;
    assert!(town.told_of(late).is_empty());
    let due = questions.question(late).await.unwrap().unwrap();
    assert_eq!(due.catch_up_at, past);
    let open = questions.question(over).await.unwrap().unwrap();
    assert_eq!(open.status, QuestionStatus::Open);
}

/// Nobody has swept, and time deletes a question with its place: the place is given back once, however often that is told.
#[tokio::test(flavor = "multi_thread")]
async fn what_time_deletes_gives_its_place_back_by_a_function() {
    let (town, endpoint) = town().await;
    let (gone, _kept) = (town.asks_for(1).await, town.asks_for(1).await);
    let taken = async || {
        let agent = town.api.ask.agents.agent("a").await.unwrap();
        agent.unwrap().places_taken
    };
    assert_eq!(taken().await, 2);
    let past = town.now().seconds() - 86_400;
    town.change(gone, move |question| question.purge_at = past)
        .await;
    town.api.engine.sweep_ttl().unwrap();
    let event = changes(&town, 4).await;
    let deleted = event["Records"].as_array().unwrap().iter();
    let deleted = deleted.filter(|record| record["eventName"] == "REMOVE");
    let by: Vec<&Value> = deleted.map(|record| &record["userIdentity"]).collect();
    assert_eq!(
        by,
        [&json!({ "type": "Service", "principalId": "dynamodb.amazonaws.com" })]
    );

    let mut places = Function::start(program(&["follow", "ask-places"], &endpoint, &town)).await;
    for _ in 0..2 {
        let handled = places.invoke(&event).await.unwrap();
        assert_eq!(handled, json!({ "batchItemFailures": [] }));
        assert_eq!(taken().await, 1);
    }
    assert!(places.invoke(&json!({})).await.is_err());
}

/// One whose receiver never answers keeps no other agent of the same call waiting.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_agent_keeps_no_other_waiting() {
    let (town, endpoint) = town().await;
    let receiver = Receiver::start().await;
    // It accepts, and says nothing.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    add_agent(&town.api.ask, "a", &at(&url)).await.unwrap();
    let other = town.api.agent_with("other", at(&receiver.url)).await;
    let close = |question: &mut Question| question.status = QuestionStatus::Closed;
    for _ in 0..6 {
        let unheard = town.asks_for(1).await;
        town.change(unheard, close).await;
    }
    let heard = other.asks(question()).await;
    town.change(heard.parse().unwrap(), close).await;
    let event = changes(&town, 14).await;

    let mut webhooks =
        Function::start(program(&["follow", "ask-webhooks"], &endpoint, &town)).await;
    let told = async {
        until(|| !receiver.events().is_empty()).await;
        let dead = DeadLetters::new(town.api.ask.store());
        let dead = dead.of("ask-webhooks").all().collect().await.unwrap();
        assert!(dead.is_empty(), "nobody was waited for: {dead:?}");
    };
    tokio::select! {
        () = told => {}
        handled = webhooks.invoke(&event) => panic!("the other was not told: {handled:?}"),
    }
    assert_eq!(receiver.events()[0]["detail"]["question_id"], heard);
}
