//! A service of its own for every test, over real HTTP on the real engine.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tablewright::{Patience, Store};
use tablewright_lake::Place;
use tablewright_local::Engine;
use tablewright_service::{DevelopmentIssuer, Person, Server, Settings, Sources};
use todo::model::Todo;
use todo::{ABOUT, App, SETTINGS, service_on};

pub(crate) use tablewright_testing::{Ahead, Caller, Fault, Policed, Program, Reply, Sent, Wire};

/// A service that runs.
pub(crate) struct Api {
    pub(crate) issuer: Arc<DevelopmentIssuer>,
    pub(crate) app: App,
    pub(crate) todo: Todo,
    pub(crate) clock: Ahead,
    pub(crate) engine: Engine,
    caller: Caller,
    keys: tempfile::TempDir,
}

/// How a service is started.
#[derive(Default)]
pub(crate) struct With {
    pub(crate) keep_completed_days: Option<u32>,
    pub(crate) settings: Vec<(&'static str, String)>,
    pub(crate) lake: Option<Place>,
    /// What the service reaches the engine by, where a test watches it.
    pub(crate) wire: Option<Wire>,
    /// What it reaches the engine by, where it has the policies that are deployed and no other right.
    pub(crate) policed: Option<Policed>,
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
        let (engine, dynamodb) = match (&with.wire, &with.policed) {
            (Some(wire), _) => (wire.engine.clone(), wire.client()),
            (None, Some(policed)) => (policed.engine.clone(), policed.client()),
            (None, None) => {
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
        let app = App::new(todo.clone(), with.keep_completed_days)
            .with_streams(engine.streams())
            .with_lake(with.lake);
        let server = Server::bind(service_on(settings, app.clone()).await.unwrap())
            .await
            .unwrap();
        let address = format!("http://{}", server.address());
        tokio::spawn(server.run(std::future::pending()));
        Api {
            caller: Caller::new(address),
            issuer: Arc::new(DevelopmentIssuer::open(keys.path()).unwrap()),
            app,
            todo,
            clock,
            engine,
            keys,
        }
    }

    /// Where the key of the issuer is.
    pub(crate) fn keys(&self) -> &Path {
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
        self.caller.bearing(token)
    }

    /// Everything that is stored agrees.
    pub(crate) async fn agrees(&self) {
        let report = todo::check::check(&self.app).await.unwrap();
        assert!(report.faults.is_empty(), "{report}");
    }
}

/// The program itself, on the tables in a folder.
pub(crate) fn todo_in(folder: &Path) -> Command {
    Program::command(env!("CARGO_BIN_EXE_todo"), folder)
}

/// What is asked for often.
pub(crate) trait Asks {
    /// A new task; gives its id.
    async fn task(&self, body: Value) -> String;

    /// The titles of a list, all pages of it.
    async fn titles(&self, path: &str) -> Vec<String>;
}

impl Asks for Caller {
    async fn task(&self, body: Value) -> String {
        let made = self.post("/tasks", body).await.expect(201);
        made.id().to_owned()
    }

    async fn titles(&self, path: &str) -> Vec<String> {
        self.each(path, 7, "title").await
    }
}

/// What was made.
pub(crate) trait Made {
    fn id(&self) -> &str;
}

impl Made for Reply {
    fn id(&self) -> &str {
        self.text_of("task_id")
    }
}
