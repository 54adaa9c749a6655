//! People who answer, each from an address of their own, and a clock that shows what a test says.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use ask::AgentSaid;
use ask::model::{Agent, Question, Response, UserStats};
use http::Method;
use serde_json::{Value, json};
use tablewright::{Clock, Store, Timestamp, Versioned};
use tablewright_local::Engine;
use tablewright_testing::Reply;

use crate::support::{Api, Asks as _, Caller};

/// A clock that stands still until a test moves it.
#[derive(Debug, Clone)]
pub(crate) struct Hands(Arc<AtomicI64>);

impl Hands {
    pub(crate) fn at(moment: &str) -> Self {
        let hands = Hands(Arc::default());
        hands.set(moment);
        hands
    }

    pub(crate) fn set(&self, moment: &str) {
        let moment: Timestamp = moment.parse().unwrap();
        self.0.store(moment.millis(), Ordering::SeqCst);
    }

    pub(crate) fn forward(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1000, Ordering::SeqCst);
    }
}

impl Clock for Hands {
    fn now_millis(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A service, an agent that may ask much, and as many people as one likes.
pub(crate) struct Town {
    pub(crate) api: Api,
    pub(crate) agent: Caller,
    pub(crate) clock: Hands,
}

impl Town {
    pub(crate) async fn at(moment: &str) -> Self {
        let engine = Engine::temporary().unwrap();
        let client = engine.dynamodb();
        Town::on(engine, client, moment).await
    }

    /// Reached by this client.
    pub(crate) async fn on(engine: Engine, client: aws_sdk_dynamodb::Client, moment: &str) -> Self {
        let clock = Hands::at(moment);
        let store = Store::builder(client).clock(clock.clone()).build();
        // Everybody comes from an address of their own: one proxy says which.
        let hops = [("TABLEWRIGHT_FORWARDED_HOPS", "1")];
        let api = Api::with(engine, &store, &hops).await;
        let agent = api.agent_with("agent", plenty()).await;
        Town { api, agent, clock }
    }

    pub(crate) async fn somebody(&self) -> Person {
        Person::new(&self.api.nobody()).await
    }

    pub(crate) async fn asks(&self, question: Value) -> String {
        self.agent.asks(question).await
    }

    /// A question in words that needs so many answers.
    pub(crate) async fn asks_for(&self, answers: i64) -> String {
        let prompt = "What would you have for breakfast?";
        let question =
            json!({ "prompt": prompt, "min_responses": answers, "timeout_seconds": 86400 });
        self.asks(question).await
    }

    /// Everything that is stored says the same.
    pub(crate) async fn agrees(&self) {
        let questions = self.api.stored::<Question>().await;
        let responses = self.api.stored::<Response>().await;
        let people = self.api.stored::<UserStats>().await;
        agree(&questions, &responses, &people);
        places_agree(&self.api.stored::<Agent>().await, &questions);
    }
}

/// Each question that accepts answers has a place of its agent's, and no other has.
pub(crate) fn places_agree(agents: &[Versioned<Agent>], questions: &[Versioned<Question>]) {
    for question in questions {
        let accepts = matches!(question.status.as_str(), "OPEN" | "PARTIAL");
        assert_eq!(question.place.is_some(), accepts, "{question:?}");
    }
    for agent in agents {
        let own = questions
            .iter()
            .filter(|one| one.agent_id == agent.agent_id);
        let taken = own.filter(|question| question.place.is_some()).count();
        assert_eq!(
            agent.places_taken,
            i64::try_from(taken).unwrap(),
            "{agent:?}"
        );
    }
}

/// What an agent may that asks much.
pub(crate) fn plenty() -> AgentSaid {
    AgentSaid {
        questions_per_hour: Some(100_000),
        open_questions: Some(10_000),
        polls_per_hour: Some(1_000_000),
        ..AgentSaid::default()
    }
}

/// Counts, answers and points agree (S2-24, C2-12, C2-13).
pub(crate) fn agree(
    questions: &[Versioned<Question>],
    responses: &[Versioned<Response>],
    people: &[Versioned<UserStats>],
) {
    for question in questions {
        let id = question.question_id;
        let answers = responses.iter().filter(|answer| answer.question_id == id);
        let answers = i64::try_from(answers.count()).unwrap();
        assert_eq!(question.current_responses, answers, "{question:?}");
        let lacks = question.required_responses - answers;
        assert_eq!(question.responses_needed, lacks, "{question:?}");
        let status = match (answers, lacks) {
            (_, 0) => "CLOSED",
            (0, _) => "OPEN",
            _ => "PARTIAL",
        };
        assert_eq!(question.status.as_str(), status, "{question:?}");
        assert_eq!(question.closed_at.is_some(), lacks == 0, "{question:?}");
    }
    for person in people {
        let hash = &person.fingerprint_hash;
        let own = responses
            .iter()
            .filter(|answer| answer.fingerprint_hash == *hash);
        let own: Vec<_> = own.collect();
        assert_eq!(person.total_answers, i64::try_from(own.len()).unwrap());
        let points: i64 = own.iter().map(|answer| answer.points_earned).sum();
        assert_eq!(person.total_points, points, "{person:?}");
        let by_category: i64 = person.answers_by_category.values().sum();
        assert_eq!(person.total_answers, by_category, "{person:?}");
    }
    let answers: i64 = people.iter().map(|person| person.total_answers).sum();
    assert_eq!(answers, i64::try_from(responses.len()).unwrap());
}

static NEXT: AtomicU32 = AtomicU32::new(1);

/// Somebody who answers.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) caller: Caller,
    token: String,
    address: String,
}

impl Person {
    pub(crate) async fn new(nobody: &Caller) -> Self {
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        let [_, a, b, c] = number.to_be_bytes();
        let address = format!("10.{a}.{b}.{c}");
        let from = [("x-forwarded-for", address.as_str())];
        let made = nobody
            .send(Method::POST, "~/human/people", None, &from)
            .await;
        let token = made.expect(201).text_of("token").to_owned();
        Person {
            caller: nobody.bearing(Some(token.clone())),
            token,
            address,
        }
    }

    /// The same person at another address.
    pub(crate) fn from(&self, address: &str) -> Self {
        Person {
            caller: self.caller.clone(),
            token: self.token.clone(),
            address: address.to_owned(),
        }
    }

    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Reply {
        let from = [("x-forwarded-for", self.address.as_str())];
        let path = format!("~/human{path}");
        self.caller.send(method, &path, body, &from).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.send(Method::POST, path, Some(body)).await
    }

    /// Opens a question; gives what is sent along with the answer.
    pub(crate) async fn opens(&self, question: &str) -> String {
        let opened = self
            .get(&format!("/questions/{question}"))
            .await
            .expect(200);
        assert_eq!(opened.body["can_answer"], true, "{}", opened.text);
        opened.text_of("opened").to_owned()
    }

    /// Opens a question and answers it, whatever comes of it.
    pub(crate) async fn answers(&self, question: &str, answer: Value) -> Reply {
        let opened = self.opens(question).await;
        self.responds(question, &opened, answer).await
    }

    /// Answers a question that was opened.
    pub(crate) async fn responds(&self, question: &str, opened: &str, answer: Value) -> Reply {
        let mut body = json!({ "question_id": question, "opened": opened });
        let answer = answer.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(answer);
        self.post("/responses", body).await
    }

    /// A page, as their browser shows it.
    pub(crate) async fn sees(&self, path: &str) -> String {
        let cookie = format!("aah_person={}", self.token);
        let headers = [
            ("x-forwarded-for", self.address.as_str()),
            ("cookie", &cookie),
        ];
        let (path, browser) = (format!("~{path}"), self.caller.bearing(None));
        let page = browser.send(Method::GET, &path, None, &headers).await;
        page.expect(200).text
    }

    /// Where a page sends their browser.
    pub(crate) async fn follows(&self, path: &str) -> String {
        let cookie = format!("aah_person={}", self.token);
        let headers = [
            ("x-forwarded-for", self.address.as_str()),
            ("cookie", &cookie),
        ];
        let (path, browser) = (format!("~{path}"), self.caller.bearing(None));
        let page = browser.send(Method::GET, &path, None, &headers).await;
        page.expect(303).header("location").unwrap().to_owned()
    }

    /// A form, as their browser sends it.
    pub(crate) async fn sends(&self, path: &str, form: &str) -> Reply {
        let cookie = format!("aah_person={}", self.token);
        let headers = [
            ("x-forwarded-for", self.address.as_str()),
            ("cookie", &cookie),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let (path, browser) = (format!("~{path}"), self.caller.bearing(None));
        browser
            .send_text(Method::POST, &path, Some(form), &headers)
            .await
    }

    pub(crate) async fn stats(&self) -> Value {
        self.get("/stats").await.expect(200).body
    }
}

/// An answer in words that looks like nothing else.
pub(crate) fn words(number: usize) -> Value {
    json!({ "answer": format!("Porridge, with {number} raisins in it") })
}
