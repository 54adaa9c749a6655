//! People with devices, somebody who asks, and Firebase.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ask::model::{Notice, Question, QuestionKey, Response, Subscription};
use ask::{Dispatcher, Pace, Sending};
use serde_json::json;
use tablewright::{Entity as _, Timestamp, Uuid};
use tablewright_push::{Fcm, Pusher, ServiceAccount};
use tablewright_stream::{Consumers, Failure, Following, Handler, Options, Record};
use tablewright_testing::{Firebase, until};

use crate::support::{Ahead, Api, Asks as _, Caller};

/// A service whose questions are not told by themselves.
pub(crate) struct Town {
    pub(crate) api: Api,
    pub(crate) clock: Ahead,
    pub(crate) firebase: Firebase,
    agent: Caller,
    _folder: tempfile::TempDir,
    pub(crate) credentials: PathBuf,
}

impl Town {
    pub(crate) async fn new() -> Self {
        let clock = Ahead::default();
        Town::of(Api::at(clock.clone()).await, clock).await
    }

    pub(crate) async fn of(api: Api, clock: Ahead) -> Self {
        let agent = api.agent("a").await;
        let folder = tempfile::tempdir().unwrap();
        let firebase = Firebase::start().await;
        let credentials = folder.path().join("credentials.json");
        std::fs::write(&credentials, firebase.credentials()).unwrap();
        Town {
            api,
            clock,
            firebase,
            agent,
            _folder: folder,
            credentials,
        }
    }

    /// What time it is.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.api.ask.store().now_millis()).unwrap()
    }

    /// Somebody with one device, whose token is their name.
    pub(crate) async fn person(&self, name: &str, minutes: i64) -> Uuid {
        self.device(name, name, minutes).await
    }

    /// So many people, `p0` and so on, who want to hear every so many minutes.
    pub(crate) async fn people(&self, many: usize, minutes: i64) {
        for number in 0..many {
            self.person(&format!("p{number}"), minutes).await;
        }
    }

    pub(crate) async fn device(&self, person: &str, token: &str, minutes: i64) -> Uuid {
        let now = self.now();
        let subscription = Subscription {
            subscription_id: Uuid::now_v7(),
            fingerprint_hash: person.to_owned(),
            fcm_token: token.to_owned(),
            min_interval_minutes: minutes,
            last_notified_at: None,
            next_eligible_at: now,
            created_at: now,
            updated_at: now,
            active: true,
        };
        let id = subscription.subscription_id;
        let subscriptions = &self.api.ask.subscriptions;
        subscriptions.subscribe(subscription).await.unwrap();
        id
    }

    pub(crate) async fn subscription(&self, id: Uuid) -> Subscription {
        let found = self.api.ask.subscriptions.subscription(id).await;
        found.unwrap().unwrap().data
    }

    /// A question that needs so many answers, within an hour.
    pub(crate) async fn asks_for(&self, answers: usize) -> Uuid {
        let question = json!({
            "prompt": "Would you cross this bridge on foot?",
            "min_responses": answers,
            "timeout_seconds": 7200,
        });
        self.agent.asks(question).await.parse().unwrap()
    }

    /// Somebody has answered.
    pub(crate) async fn answer(&self, question: Uuid, person: &str) {
        let now = self.now();
        let response = Response {
            question_id: question,
            fingerprint_hash: person.to_owned(),
            response_id: Uuid::now_v7(),
            answer: Some(String::from("Yes")),
            selected_option: None,
            confidence: None,
            points_earned: 0,
            created_at: now,
            response_time_ms: None,
            flag_reason: None,
            review: None,
            purge_at: now.seconds() + 1000,
        };
        let responses = self.api.ask.responses.items();
        responses.insert(response).await.unwrap();
    }

    /// Changes a question behind everybody's back.
    pub(crate) async fn change(&self, question: Uuid, change: impl Fn(&mut Question)) {
        let questions = self.api.ask.questions.items();
        let key = QuestionKey::new(question);
        questions.update(&key, change).await.unwrap();
    }

    /// One that sends by Firebase, and does not wait long.
    pub(crate) fn dispatcher(&self) -> Dispatcher {
        let account = ServiceAccount::of_json(&self.firebase.credentials()).unwrap();
        let sending = Sending {
            pusher: Pusher::Fcm(Fcm::new(account, &self.firebase.url)),
            page: Some(String::from("https://ask.example.org")),
            pace: Pace {
                tries: 3,
                first_wait: Duration::from_millis(2),
                ..Pace::default()
            },
        };
        Dispatcher::new(&self.api.ask, sending)
    }

    /// Where changes are read, quickly.
    pub(crate) fn following(&self) -> Following {
        let mut options = Options::default();
        options.poll = Duration::from_millis(10);
        options.lease = Duration::from_millis(900);
        options.first_wait = Duration::from_millis(5);
        options.lanes = 4;
        Following {
            streams: self.api.engine.streams(),
            options,
        }
    }

    pub(crate) fn follow(&self, name: &'static str, handler: impl Handler) -> Consumers {
        let mut consumers = Consumers::none();
        let (store, table) = (self.api.ask.store(), &Question::descriptor().table);
        consumers.follow(name, store, table, &self.following(), handler);
        consumers
    }

    /// The records of these questions being asked, as a dispatcher gets them.
    pub(crate) async fn records(&self, questions: &[Uuid]) -> Vec<Arc<Record>> {
        let seen: Arc<Mutex<Vec<Arc<Record>>>> = Arc::default();
        let seeing = Arc::clone(&seen);
        let name = format!("test-{}", Uuid::now_v7()).leak();
        let wanted: Vec<String> = questions.iter().map(Uuid::to_string).collect();
        let is_wanted = move |record: &Record| {
            let item = format!("{:?}", record.keys);
            record.before.is_none() && wanted.iter().any(|id| item.contains(id))
        };
        let consumers = self.follow(name, move |record: Arc<Record>| {
            if is_wanted(&record) {
                seeing.lock().unwrap().push(record);
            }
            async { Ok::<(), Failure>(()) }
        });
        until(|| seen.lock().unwrap().len() == questions.len()).await;
        consumers.stop().await;
        std::mem::take(&mut *seen.lock().unwrap())
    }

    /// A dispatcher hears that a question was asked, and does what it does.
    pub(crate) async fn dispatch(&self, dispatcher: &Dispatcher, question: Uuid) {
        for record in self.records(&[question]).await {
            dispatcher.handle(record).await.unwrap();
        }
    }

    pub(crate) async fn notices(&self, question: Uuid) -> Vec<Notice> {
        let notices = self.api.ask.notices.notices_of_question(question);
        notices.all().collect().await.unwrap()
    }

    /// What Firebase was given: for each question the devices, sorted.
    pub(crate) fn told(&self) -> BTreeMap<String, Vec<String>> {
        let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for message in self.firebase.taken() {
            let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
            let question = text(&message["data"]["question_id"]);
            told.entry(question)
                .or_default()
                .push(text(&message["token"]));
        }
        told.values_mut().for_each(|devices| devices.sort());
        told
    }

    /// Waits until Firebase has taken so many, for as long as it takes more.
    pub(crate) async fn until_taken(&self, many: usize) {
        let mut taken = self.firebase.taken().len();
        while taken < many {
            until(|| self.firebase.taken().len() > taken).await;
            taken = self.firebase.taken().len();
        }
    }

    pub(crate) fn told_of(&self, question: Uuid) -> Vec<String> {
        let told = self.told().remove(&question.to_string());
        told.unwrap_or_default()
    }
}
