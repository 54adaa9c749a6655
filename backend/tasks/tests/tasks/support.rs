//! A service of its own for every test, over real HTTP on the real engine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tablewright::{Entity, Store};
use tablewright_local::Engine;
use tablewright_service::{DevelopmentIssuer, Person, Server, Settings, Sources};
use tablewright_stream::Options;
use tasks::model::Tasks;
use tasks::rules::Domains;
use tasks::{ABOUT, App, Following, SETTINGS, service_on};

pub(crate) use tablewright_testing::{Caller, Policed, Reply, Wire, until};

/// A service that runs.
pub(crate) struct Api {
    pub(crate) app: App,
    pub(crate) tasks: Tasks,
    pub(crate) engine: Engine,
    pub(crate) issuer: Arc<DevelopmentIssuer>,
    caller: Caller,
    _keys: Option<tempfile::TempDir>,
}

impl Api {
    pub(crate) async fn start() -> Self {
        Api::for_domains(Domains::default()).await
    }

    pub(crate) async fn for_domains(domains: Domains) -> Self {
        Api::made(domains, &[]).await
    }

    /// With these variables.
    pub(crate) async fn with(variables: &[(&str, &str)]) -> Self {
        Api::made(Domains::default(), variables).await
    }

    async fn made(domains: Domains, variables: &[(&str, &str)]) -> Self {
        let (engine, keys) = (Engine::temporary().unwrap(), tempfile::tempdir().unwrap());
        let dynamodb = engine.dynamodb();
        let mut api = Api::whole(domains, variables, engine, dynamodb, keys.path()).await;
        api._keys = Some(keys);
        api
    }

    /// One whose way to the engine is watched.
    pub(crate) async fn watched(wire: &Wire) -> Self {
        let (engine, keys) = (wire.engine.clone(), tempfile::tempdir().unwrap());
        // On a slow machine a request that is sent again and again may take long.
        let patient = [("TABLEWRIGHT_REQUEST_TIMEOUT", "5m")];
        let (domains, client) = (Domains::default(), wire.client());
        let mut api = Api::whole(domains, &patient, engine, client, keys.path()).await;
        api._keys = Some(keys);
        api
    }

    /// One with the policies that are deployed, and no other right.
    pub(crate) async fn policed(policed: &Policed) -> Self {
        let (engine, keys) = (policed.engine.clone(), tempfile::tempdir().unwrap());
        let (domains, client) = (Domains::default(), policed.client());
        let mut api = Api::whole(domains, &[], engine, client, keys.path()).await;
        api._keys = Some(keys);
        api
    }

    /// On an engine that others use too, with the key of their issuer.
    pub(crate) async fn on(engine: Engine, keys: &Path) -> Self {
        let dynamodb = engine.dynamodb();
        Api::whole(Domains::default(), &[], engine, dynamodb, keys).await
    }

    async fn whole(
        domains: Domains,
        variables: &[(&str, &str)],
        engine: Engine,
        dynamodb: aws_sdk_dynamodb::Client,
        keys: &Path,
    ) -> Self {
        let mut sources = Sources::none()
            .variable("PORT", "0")
            .variable("TABLEWRIGHT_ENDPOINT", "temporary")
            .variable("TABLEWRIGHT_RATE", "0")
            .variable("TABLEWRIGHT_ISSUER_KEYS", keys.to_str().unwrap());
        for (name, value) in variables {
            sources = sources.variable(name, *value);
        }
        let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap();
        let tasks = Tasks::new(&Store::new(dynamodb));
        let app = App::new(tasks.clone(), domains);
        let service = service_on(settings, app.clone()).await.unwrap();
        let server = Server::bind(service).await.unwrap();
        let address = format!("http://{}", server.address());
        tokio::spawn(server.run(std::future::pending()));
        Api {
            app,
            tasks,
            engine,
            issuer: Arc::new(DevelopmentIssuer::open(keys).unwrap()),
            caller: Caller::new(address),
            _keys: None,
        }
    }

    /// Where changes are read, quickly.
    pub(crate) fn following(&self) -> Following {
        let mut options = Options::default();
        options.poll = Duration::from_millis(10);
        options.lease = Duration::from_millis(900);
        Following {
            streams: self.engine.streams(),
            options,
        }
    }

    /// All items of an entity.
    pub(crate) async fn stored<T: Entity>(&self) -> Vec<T::Stored> {
        tablewright_testing::stored::<T>(&self.engine.dynamodb()).await
    }

    /// An admin and a member who ask another process, on this port.
    pub(crate) fn at(&self, port: u16) -> (Caller, Caller) {
        let at = |sub: &str, group: &str| {
            let mut caller = self.person(sub, group);
            caller.address = format!("http://127.0.0.1:{port}");
            caller
        };
        (at("admin", "Admins"), at("member", "Members"))
    }

    /// Somebody with this token, or none.
    pub(crate) fn bearer(&self, token: Option<String>) -> Caller {
        self.caller.bearing(token)
    }

    pub(crate) fn token(&self, person: &Person) -> Caller {
        self.bearer(Some(self.issuer.token(person, Duration::from_secs(3600))))
    }

    /// Somebody in a group, who may not have come yet.
    pub(crate) fn person(&self, sub: &str, group: &str) -> Caller {
        self.token(&person(sub, group))
    }

    /// An admin who has come.
    pub(crate) async fn admin(&self, sub: &str) -> Caller {
        self.known(sub, "Admins").await
    }

    /// A member who has come.
    pub(crate) async fn member(&self, sub: &str) -> Caller {
        self.known(sub, "Members").await
    }

    async fn known(&self, sub: &str, group: &str) -> Caller {
        let caller = self.person(sub, group);
        caller.get("/users/me").await.expect(200);
        caller
    }
}

/// S1-51: as the document's sample users.
pub(crate) fn person(sub: &str, group: &str) -> Person {
    Person {
        sub: sub.to_owned(),
        email: Some(format!("{sub}@amalitech.com")),
        name: None,
        groups: vec![group.to_owned()],
    }
}

/// What is asked for often.
pub(crate) trait Asks {
    /// A new task; gives its id.
    async fn task(&self, title: &str) -> String;

    async fn assign(&self, task: &str, user: &str) -> Reply;

    async fn status(&self, task: &str, status: &str) -> Reply;

    async fn close(&self, task: &str) -> Reply;

    async fn user_status(&self, user: &str, status: &str) -> Reply;

    /// The titles of a list, page by page.
    async fn titles(&self, path: &str) -> Vec<String>;
}

impl Asks for Caller {
    async fn task(&self, title: &str) -> String {
        let made = self.post("/tasks", json!({ "title": title })).await;
        made.expect(201).text_of("taskId").to_owned()
    }

    async fn assign(&self, task: &str, user: &str) -> Reply {
        let path = format!("/tasks/{task}/assign");
        self.post(&path, json!({ "userId": user })).await
    }

    async fn status(&self, task: &str, status: &str) -> Reply {
        let path = format!("/tasks/{task}/status");
        self.put(&path, json!({ "status": status })).await
    }

    async fn close(&self, task: &str) -> Reply {
        self.post_nothing(&format!("/tasks/{task}/close")).await
    }

    async fn user_status(&self, user: &str, status: &str) -> Reply {
        let path = format!("/users/{user}/status");
        self.put(&path, json!({ "status": status })).await
    }

    async fn titles(&self, path: &str) -> Vec<String> {
        self.each(path, 3, "title").await
    }
}
