//! The service started: on a free port, on a temporary engine, with the issuer of a test or its own.

use std::net::SocketAddr;

use serde_json::Value;
use tablewright::Store;
use tablewright_local::Engine;
use tablewright_service::{DevelopmentIssuer, Person, Server, Settings, Sources};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::app::{ABOUT, service};
use crate::client::{Ask, Reply};
use crate::description::Description;
use crate::issuer::{CLIENT, TestIssuer};
use crate::model::Notes;

/// A service that runs.
pub(crate) struct Started {
    pub(crate) address: SocketAddr,
    pub(crate) store: Store,
    pub(crate) description: Description,
    development: Option<DevelopmentIssuer>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<()>,
    _keys: tempfile::TempDir,
    _engine: Engine,
}

/// Free of limits that tests would run into.
pub(crate) fn sources() -> Sources {
    Sources::none()
        .variable("PORT", "0")
        .variable("TABLEWRIGHT_RATE", "0")
        .variable("TABLEWRIGHT_ENDPOINT", "temporary")
}

/// With the keys of an issuer.
pub(crate) fn sources_with(issuer: &TestIssuer) -> Sources {
    sources()
        .variable("TABLEWRIGHT_ISSUER", issuer.name())
        .variable("TABLEWRIGHT_AUDIENCE", CLIENT)
}

impl Started {
    /// With the development issuer.
    pub(crate) async fn usual() -> Self {
        Started::with(sources()).await
    }

    pub(crate) async fn with(sources: Sources) -> Self {
        let keys = tempfile::tempdir().unwrap();
        let folder = keys.path().to_string_lossy().into_owned();
        let sources = sources.variable("TABLEWRIGHT_ISSUER_KEYS", folder);
        let settings = Settings::from_sources(&ABOUT, &[], &sources).unwrap();
        let development = settings
            .is_development()
            .then(|| DevelopmentIssuer::open(keys.path()).unwrap());
        let engine = Engine::temporary().unwrap();
        let store = settings.store(engine.dynamodb());
        Notes::new(&store).create_tables().await.unwrap();
        let server = Server::bind(service(settings, &store)).await.unwrap();
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(async move {
            let stopped = async { stopped.await.unwrap_or(()) };
            server.run(stopped).await.unwrap();
        });
        let document = Ask::new(address, "GET", "/openapi.json")
            .send()
            .await
            .json();
        Started {
            address,
            store,
            description: Description::new(document),
            development,
            stop: Some(stop),
            running,
            _keys: keys,
            _engine: engine,
        }
    }

    /// A token of the development issuer.
    pub(crate) fn token(&self, sub: &str) -> String {
        let person = Person {
            sub: sub.to_owned(),
            ..Person::default()
        };
        self.token_of(&person)
    }

    pub(crate) fn token_of(&self, person: &Person) -> String {
        let issuer = self.development.as_ref().unwrap();
        issuer.token(person, std::time::Duration::from_secs(60))
    }

    pub(crate) fn ask(&self, method: &str, path: &str) -> Ask {
        Ask::new(self.address, method, path)
    }

    pub(crate) fn get(&self, path: &str) -> Ask {
        self.ask("GET", path)
    }

    /// Sends a request, and holds the answer against the description of the API.
    pub(crate) async fn send(&self, ask: Ask) -> Reply {
        let reply = ask.send().await;
        self.description.check(&ask.method, &ask.path, &reply);
        reply
    }

    /// A note of a caller; gives its address.
    pub(crate) async fn note(&self, token: &str, text: &str) -> (String, Reply) {
        let body = serde_json::json!({ "text": text });
        let ask = self.ask("POST", "/api/v1/notes").token(token).json(&body);
        let reply = self.send(ask).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        (reply.header("location").unwrap().to_owned(), reply)
    }

    /// How many notes a caller has.
    pub(crate) async fn count(&self, token: &str) -> usize {
        let reply = self
            .send(self.get("/api/v1/notes?limit=100").token(token))
            .await;
        reply.json()["items"].as_array().map_or(0, Vec::len)
    }

    /// Tells it to end.
    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(self) {
        self.running.await.unwrap();
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        self.get(path).send().await.json()
    }
}
