//! Agents hear that a question of theirs is over, where they want to, and nobody else does.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use ask::model::{AskEvent, Question, QuestionStatus};
use ask::{AgentSaid, AgentWebhooks, Sweeper, Trying, add_agent};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use tablewright::Entity as _;
use tablewright_stream::events::{Publisher, Secret};
use tablewright_stream::{Consumers, DeadLetters, Failure, Following, Handler as _, Record};
use tablewright_testing::until;
use tokio::io::AsyncReadExt as _;

use crate::support::Asks as _;
use crate::town::Town;

type Sent = (HeaderMap, Bytes);

/// A server that writes down what it is sent.
#[derive(Clone, Default)]
pub(crate) struct Receiver {
    pub(crate) url: String,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let receiver = Receiver {
            url: format!("http://{}/hook", listener.local_addr().unwrap()),
            ..Receiver::default()
        };
        let router = Router::new().fallback(receive).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        receiver
    }

    fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        let sent = self.sent().into_iter();
        sent.map(|(_, body)| serde_json::from_slice(&body).unwrap())
            .collect()
    }
}

async fn receive(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> StatusCode {
    receiver.sent.lock().unwrap().push((headers, body));
    StatusCode::NO_CONTENT
}

fn webhooks(town: &Town) -> Consumers {
    webhooks_as(town, &town.following())
}

fn webhooks_as(town: &Town, following: &Following) -> Consumers {
    let mut running = Consumers::none();
    let (store, table) = (town.api.ask.store(), &Question::descriptor().table);
    let publisher = Publisher::<AskEvent, _>::new(AgentWebhooks::new(&town.api.ask));
    running.follow("ask-webhooks", store, table, following, publisher);
    running
}

pub(crate) fn at(url: &str) -> AgentSaid {
    AgentSaid {
        webhook_url: Some(url.to_owned()),
        ..AgentSaid::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_hears_signed_that_its_questions_are_over() {
    let town = Town::new().await;
    let receiver = Receiver::start().await;
    // This agent asks what `town` asks.
    let (agent, _) = add_agent(&town.api.ask, "a", &at(&receiver.url))
        .await
        .unwrap();
    let silent = town.api.agent("silent").await;
    let running = webhooks(&town);
    let closed = town.asks_for(1).await;
    town.change(closed, |question| {
        question.status = QuestionStatus::Closed;
        question.current_responses = 1;
    })
    .await;
    silent.asks(crate::support::question()).await;
    let expired = town.asks_for(1).await;
    town.clock.by_seconds(7200);
    assert_eq!(Sweeper::new(&town.api.app).sweep().await.unwrap(), 2);
    until(|| receiver.sent().len() == 2).await;
    running.stop().await;

    let events = receiver.events();
    assert_eq!(events.len(), 2, "asking is nothing it does not know");
    let of = |name: &str| events.iter().find(|event| event["detail-type"] == name);
    let told = of("QuestionClosed").unwrap();
    assert_eq!(told["detail"]["question_id"], closed.to_string());
    assert_eq!(told["detail"]["current_responses"], 1);
    let told = of("QuestionExpired").unwrap();
    assert_eq!(told["detail"]["question_id"], expired.to_string());
    assert_eq!(told["detail"]["agent_id"], "a");
    let secret: Secret = agent.webhook_secret.as_deref().unwrap().parse().unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    for (headers, body) in receiver.sent() {
        let header = |name: &str| headers[name].to_str().unwrap().to_owned();
        let believed = secret.verify(
            &header("webhook-id"),
            &header("webhook-timestamp"),
            &header("webhook-signature"),
            &body,
            now.as_ref().unwrap().as_secs(),
        );
        assert_eq!(believed, Ok(()));
    }
}

/// A receiver that is away is a dead letter of its agent, and keeps nobody waiting; a new address holds at once.
#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_listen_holds_up_nobody_else() {
    let town = Town::new().await;
    let (receiver, moved) = (Receiver::start().await, Receiver::start().await);
    add_agent(&town.api.ask, "a", &at("http://127.0.0.1:9/"))
        .await
        .unwrap();
    let other = town.api.agent_with("other", at(&receiver.url)).await;
    let running = webhooks(&town);
    let close = |question: &mut ask::model::Question| question.status = QuestionStatus::Closed;
    let unheard = town.asks_for(1).await;
    town.change(unheard, close).await;
    let heard = other.asks(crate::support::question()).await;
    town.change(heard.parse().unwrap(), close).await;
    until(|| receiver.sent().len() == 1).await;
    assert_eq!(
        receiver.events()[0]["detail"]["question_id"],
        heard.as_str()
    );

    let dead = DeadLetters::new(town.api.ask.store());
    let waited = tokio::time::timeout(Duration::from_secs(60), async {
        loop {
            let letters = dead.of("ask-webhooks").all().collect().await.unwrap();
            if let [letter] = letters.as_slice() {
                return letter.event_id.clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let event_id = waited.await.expect("it is a dead letter");
    add_agent(&town.api.ask, "a", &at(&moved.url))
        .await
        .unwrap();
    dead.ask_again("ask-webhooks", &event_id).await.unwrap();
    until(|| moved.sent().len() == 1).await;
    assert_eq!(
        moved.events()[0]["detail"]["question_id"],
        unheard.to_string()
    );
    running.stop().await;
}

/// What waits for its next attempt holds up nobody else: also not what comes later, while it waits, and with one lane for all.
#[tokio::test(flavor = "multi_thread")]
async fn what_comes_while_a_receiver_is_away_is_told_at_once() {
    let town = Town::new().await;
    let receiver = Receiver::start().await;
    add_agent(&town.api.ask, "a", &at("http://127.0.0.1:9/"))
        .await
        .unwrap();
    let other = town.api.agent_with("other", at(&receiver.url)).await;
    // Attempts for most of a minute, as the service makes them.
    let mut following = town.following();
    following.options.attempts = 9;
    following.options.first_wait = Duration::from_millis(500);
    following.options.lanes = 1;
    let running = webhooks_as(&town, &following);

    let close = |question: &mut Question| question.status = QuestionStatus::Closed;
    for _ in 0..2 {
        let unheard = town.asks_for(1).await;
        town.change(unheard, close).await;
    }
    for heard in 1..=3 {
        // The attempts before are over, and the pauses between them long.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let question = other.asks(crate::support::question()).await;
        town.change(question.parse().unwrap(), close).await;
        until(|| receiver.sent().len() == heard).await;
    }
    // All were told before the attempts for the one that is away came to their end.
    let dead = DeadLetters::new(town.api.ask.store());
    let letters = dead.of("ask-webhooks").all().collect().await.unwrap();
    assert!(letters.is_empty(), "{letters:?}");
    running.stop().await;
}

/// A receiver that answers in time and takes one event after another gets all of many that come at once, also where an event is tried but once.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_slow_loses_nothing() {
    let town = Town::new().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (taken, one) = (Arc::new(Mutex::new(BTreeSet::new())), Arc::default());
    let taking = Arc::clone(&taken);
    let slowly = move |body: Bytes| {
        let (taking, one): (_, Arc<tokio::sync::Mutex<()>>) =
            (Arc::clone(&taking), Arc::clone(&one));
        async move {
            let _one = one.lock().await;
            tokio::time::sleep(Duration::from_millis(200)).await;
            let event: Value = serde_json::from_slice(&body).unwrap();
            let id = event["detail"]["question_id"].as_str().unwrap().to_owned();
            taking.lock().unwrap().insert(id);
            StatusCode::NO_CONTENT
        }
    };
    let router = Router::new().fallback(slowly);
    tokio::spawn(async move { axum::serve(listener, router).await });
    add_agent(&town.api.ask, "a", &at(&url)).await.unwrap();
    for _ in 0..40 {
        let question = town.asks_for(1).await;
        let close = |question: &mut Question| question.status = QuestionStatus::Closed;
        town.change(question, close).await;
    }
    let mut following = town.following();
    following.options.attempts = 1;
    let running = webhooks_as(&town, &following);
    let dead = DeadLetters::new(town.api.ask.store());
    let mut before = 0;
    while before < 40 {
        until(|| taken.lock().unwrap().len() > before).await;
        before = taken.lock().unwrap().len();
        let letters = dead.of("ask-webhooks").all().collect().await.unwrap();
        assert!(letters.is_empty(), "{letters:?}");
    }
    running.stop().await;
}

/// However many events of one agent wait for another attempt, they leave lanes and places to others: here they would wait for hours.
#[tokio::test(flavor = "multi_thread")]
async fn many_that_wait_for_one_receiver_hold_up_nobody_else() {
    let town = Town::new().await;
    let receiver = Receiver::start().await;
    let away = at("http://127.0.0.1:9/");
    add_agent(&town.api.ask, "a", &away).await.unwrap();
    let other = town.api.agent_with("other", at(&receiver.url)).await;
    let mut following = town.following();
    let options = &mut following.options;
    (options.lanes, options.aside) = (1, 8);
    (options.first_wait, options.longest_wait) =
        (Duration::from_secs(9000), Duration::from_secs(9000));
    let close = |question: &mut Question| question.status = QuestionStatus::Closed;
    for _ in 0..30 {
        let unheard = town.asks_for(1).await;
        town.change(unheard, close).await;
    }
    let running = webhooks_as(&town, &following);
    let heard = other.asks(crate::support::question()).await;
    town.change(heard.parse().unwrap(), close).await;
    until(|| receiver.sent().len() == 1).await;
    running.stop().await;
}

/// A receiver that takes what it is sent and never answers has four events at a time, and all others hear of theirs.
#[tokio::test(flavor = "multi_thread")]
async fn who_never_answers_holds_up_nobody_else() {
    let town = Town::new().await;
    let receiver = Receiver::start().await;
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    // Connections that are open at once; each ends when whoever sent gives up.
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, highest) = (Arc::clone(&open), Arc::clone(&most));
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = silent.accept().await {
            highest.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let now = Arc::clone(&now);
            tokio::spawn(async move {
                let mut bytes = [0; 1024];
                while matches!(connection.read(&mut bytes).await, Ok(1..)) {}
                now.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    add_agent(&town.api.ask, "a", &at(&url)).await.unwrap();
    let other = town.api.agent_with("other", at(&receiver.url)).await;
    // Fewer lanes than events for the silent one, and one more than it has at once.
    let mut following = town.following();
    following.options.lanes = 5;
    let close = |question: &mut Question| question.status = QuestionStatus::Closed;
    for _ in 0..12 {
        let unheard = town.asks_for(1).await;
        town.change(unheard, close).await;
    }
    let running = webhooks_as(&town, &following);
    until(|| open.load(Ordering::SeqCst) > 0).await;
    let heard = other.asks(crate::support::question()).await;
    town.change(heard.parse().unwrap(), close).await;
    until(|| receiver.sent().len() == 1).await;
    assert!(
        most.load(Ordering::SeqCst) <= 4,
        "{} at once",
        most.load(Ordering::SeqCst)
    );
    running.stop().await;
}

/// Under AWS Lambda: who did not take an event is tried once with the next, and as often as others when it has taken one.
#[tokio::test(flavor = "multi_thread")]
async fn who_was_silent_is_tried_once() {
    let town = Town::new().await;
    let (tried, takes) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (count, answers) = (Arc::clone(&tried), Arc::clone(&takes));
    let receive = move || {
        count.fetch_add(1, Ordering::SeqCst);
        let status = match answers.load(Ordering::SeqCst) {
            true => StatusCode::NO_CONTENT,
            false => StatusCode::INTERNAL_SERVER_ERROR,
        };
        std::future::ready(status)
    };
    let router = Router::new().fallback(receive);
    tokio::spawn(async move { axum::serve(listener, router).await });
    add_agent(&town.api.ask, "a", &at(&url)).await.unwrap();
    let id = town.asks_for(1).await;
    town.change(id, |question| question.status = QuestionStatus::Closed)
        .await;
    let records: Arc<Mutex<Vec<Arc<Record>>>> = Arc::default();
    let seen = Arc::clone(&records);
    let watching = town.follow("watching", move |record: Arc<Record>| {
        seen.lock().unwrap().push(record);
        std::future::ready(Ok::<(), Failure>(()))
    });
    until(|| records.lock().unwrap().len() >= 2).await;
    watching.stop().await;
    let closed = records.lock().unwrap().last().cloned().unwrap();

    let webhooks = AgentWebhooks::new(&town.api.ask).trying(Trying {
        attempts: 3,
        first_wait: Duration::from_millis(1),
        silence: Duration::from_secs(3600),
    });
    let publisher = Publisher::<AskEvent, _>::new(webhooks);
    let after = async || {
        let taken = publisher.handle(Arc::clone(&closed)).await.is_ok();
        (taken, tried.swap(0, Ordering::SeqCst))
    };
    assert_eq!(after().await, (false, 3));
    assert_eq!(after().await, (false, 1));
    takes.store(true, Ordering::SeqCst);
    assert_eq!(after().await, (true, 1));
    takes.store(false, Ordering::SeqCst);
    assert_eq!(after().await, (false, 3));
}
