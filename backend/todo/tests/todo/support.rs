//! A service of its own for every test, over real HTTP on the real engine.

mod caller;
mod program;
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use tablewright::{Clock, Patience, Store, SystemClock};
use tablewright_local::Engine;
use tablewright_service::{DevelopmentIssuer, Person, Server, Settings, Sources};
use todo::model::Todo;
use todo::{ABOUT, App, SETTINGS, service_on};

pub(crate) use self::caller::{Caller, Reply, client};
pub(crate) use self::program::Program;
pub(crate) use self::wire::{Fault, Wire};

/// The machine's clock, put forward as a test likes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ahead(Arc<AtomicI64>);

impl Ahead {
    pub(crate) fn by_seconds(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1000, Ordering::SeqCst);
    }
}

impl Clock for Ahead {
    fn now_millis(&self) -> i64 {
        SystemClock.now_millis() + self.0.load(Ordering::SeqCst)
    }
}

/// A service that runs.
pub(crate) struct Api {
    pub(crate) address: String,
    pub(crate) issuer: Arc<DevelopmentIssuer>,
    pub(crate) app: App,
    pub(crate) todo: Todo,
    pub(crate) clock: Ahead,
    pub(crate) engine: Engine,
    client: Client<HttpConnector, Full<Bytes>>,
    keys: tempfile::TempDir,
}

/// How a service is started.
#[derive(Default)]
pub(crate) struct With {
    pub(crate) keep_completed_days: Option<u32>,
    pub(crate) settings: Vec<(&'static str, String)>,
    /// What the service reaches the engine by, where a test watches it.
    pub(crate) wire: Option<Wire>,
    /// How often a request to the engine is tried.
    pub(crate) patience: Patience,
}

impl Api {
    pub(crate) async fn start() -> Self {
        Api::start_with(With::default()).await
    }

    pub(crate) async fn start_with(with: With) -> Self {
        let keys = tempfile::tempdir().unwrap();
        let mut sources = Sources::none()
            .variable("PORT", "0")
            .variable("TABLEWRIGHT_ENDPOINT", "temporary")
            .variable("TABLEWRIGHT_ISSUER_KEYS", keys.path().to_str().unwrap());
        if !with
            .settings
            .iter()
            .any(|(name, _)| *name == "TABLEWRIGHT_RATE")
        {
            sources = sources.variable("TABLEWRIGHT_RATE", "0");
        }
        for (name, value) in &with.settings {
            sources = sources.variable(name, value);
        }
        let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap();
        let (engine, dynamodb) = match &with.wire {
            Some(wire) => (wire.engine.clone(), wire.client()),
            None => {
                let engine = Engine::temporary().unwrap();
                let dynamodb = engine.dynamodb();
                (engine, dynamodb)
            }
        };
        let clock = Ahead::default();
        let store = Store::builder(dynamodb)
            .clock(clock.clone())
            .patience(with.patience)
            .build();
        let todo = Todo::new(&store);
        let app = App::new(todo.clone(), with.keep_completed_days).with_streams(engine.streams());
        let server = Server::bind(service_on(settings, app.clone()).await.unwrap())
            .await
            .unwrap();
        let address = format!("http://{}", server.address());
        tokio::spawn(server.run(std::future::pending()));
        Api {
            address,
            issuer: Arc::new(DevelopmentIssuer::open(keys.path()).unwrap()),
            app,
            todo,
            clock,
            engine,
            client: client(),
            keys,
        }
    }

    /// Where the key of the issuer is.
    pub(crate) fn keys(&self) -> &std::path::Path {
        self.keys.path()
    }

    /// Somebody who has signed in.
    pub(crate) fn person(&self, sub: &str) -> Caller {
        let person = Person {
            sub: sub.to_owned(),
            email: Some(format!("{sub}@example.org")),
            ..Person::default()
        };
        self.bearer(Some(self.issuer.token(&person, Duration::from_secs(3600))))
    }

    /// Somebody with this token, or none.
    pub(crate) fn bearer(&self, token: Option<String>) -> Caller {
        Caller {
            client: self.client.clone(),
            address: self.address.clone(),
            token,
        }
    }

    /// Everything that is stored agrees.
    pub(crate) async fn agrees(&self) {
        let report = todo::check::check(&self.app).await.unwrap();
        assert!(report.faults.is_empty(), "{report}");
    }
}
