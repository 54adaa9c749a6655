//! A service of its own for every test, over real HTTP on the real engine.

use std::time::Duration;

use ask::model::Ask;
use ask::{ABOUT, AgentSaid, App, SETTINGS, Signer, add_agent, add_key, service_on};
use serde_json::{Value, json};
use tablewright::{Entity, Store};
use tablewright_local::Engine;
use tablewright_service::{DevelopmentIssuer, Person, Secret, Server, Settings, Sources};

pub(crate) use tablewright_testing::{Ahead, Caller, Reply};

/// What a service is told of Firebase whose page registers browsers.
pub(crate) const WEB_APP: [(&str, &str); 5] = [
    ("TABLEWRIGHT_FCM_CREDENTIALS", "/nowhere/key.json"),
    ("TABLEWRIGHT_FCM_PROJECT", "ask-a-human"),
    ("TABLEWRIGHT_FCM_APP", "1:123456:web:abcdef"),
    ("TABLEWRIGHT_FCM_API_KEY", "AIza-key_of_the_app"),
    (
        "TABLEWRIGHT_FCM_VAPID_KEY",
        "BAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc",
    ),
];

/// A service that runs.
pub(crate) struct Api {
    pub(crate) ask: Ask,
    pub(crate) app: App,
    pub(crate) engine: Engine,
    issuer: DevelopmentIssuer,
    pub(crate) address: String,
    _keys: tempfile::TempDir,
}

impl Api {
    pub(crate) async fn start() -> Self {
        Api::at(Ahead::default()).await
    }

    /// With this clock.
    pub(crate) async fn at(clock: Ahead) -> Self {
        let engine = Engine::temporary().unwrap();
        let store = Store::builder(engine.dynamodb()).clock(clock).build();
        Api::with(engine, &store, &[]).await
    }

    pub(crate) async fn with(engine: Engine, store: &Store, variables: &[(&str, &str)]) -> Self {
        let keys = tempfile::tempdir().unwrap();
        let mut sources = Sources::none()
            .variable("PORT", "0")
            .variable("TABLEWRIGHT_ENDPOINT", "temporary")
            .variable("TABLEWRIGHT_RATE", "0")
            .variable("TABLEWRIGHT_ISSUER_KEYS", keys.path().to_str().unwrap());
        for (name, value) in variables {
            sources = sources.variable(name, *value);
        }
        let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap();
        let ask = Ask::new(store);
        ask.create_tables().await.unwrap();
        let app = App::new(ask.clone(), Signer::new(&Secret::new("a secret for tests")));
        let service = service_on(settings, app.clone()).await.unwrap();
        let server = Server::bind(service).await.unwrap();
        let address = format!("http://{}", server.address());
        tokio::spawn(server.run(std::future::pending()));
        Api {
            ask,
            app,
            engine,
            issuer: DevelopmentIssuer::open(keys.path()).unwrap(),
            address,
            _keys: keys,
        }
    }

    /// Somebody nobody knows.
    pub(crate) fn nobody(&self) -> Caller {
        Caller::new(&self.address)
    }

    /// An agent with a key of its own.
    pub(crate) async fn agent(&self, agent_id: &str) -> Caller {
        self.agent_with(agent_id, AgentSaid::default()).await
    }

    pub(crate) async fn agent_with(&self, agent_id: &str, said: AgentSaid) -> Caller {
        add_agent(&self.ask, agent_id, &said).await.unwrap();
        let key = add_key(&self.ask, agent_id, "test").await.unwrap();
        self.nobody().bearing(Some(key.key))
    }

    /// Somebody with a token of the issuer, in this group.
    pub(crate) fn in_group(&self, group: &str) -> Caller {
        let person = Person {
            sub: String::from("grace"),
            groups: vec![group.to_owned()],
            ..Person::default()
        };
        let token = self.issuer.token(&person, Duration::from_secs(3600));
        self.nobody().bearing(Some(token))
    }

    pub(crate) fn admin(&self) -> Caller {
        self.in_group("Admins")
    }

    /// All items of an entity.
    pub(crate) async fn stored<T: Entity>(&self) -> Vec<T::Stored> {
        tablewright_testing::stored::<T>(&self.engine.dynamodb()).await
    }
}

/// What an agent asks, where it does not matter what.
pub(crate) fn question() -> Value {
    json!({ "prompt": "Would you cross this bridge on foot?" })
}

/// What an agent does.
pub(crate) trait Asks {
    /// Asks, and gives the id.
    async fn asks(&self, question: Value) -> String;
}

impl Asks for Caller {
    async fn asks(&self, question: Value) -> String {
        let asked = self.post("~/agent/questions", question).await;
        asked.expect(201).text_of("question_id").to_owned()
    }
}
