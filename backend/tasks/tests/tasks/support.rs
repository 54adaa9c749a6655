//! A service of its own for every test, over real HTTP on the real engine.

mod caller;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;
use tablewright::{Changed, Entity, Store};
use tablewright_local::Engine;
use tablewright_service::{DevelopmentIssuer, Person, Server, Settings, Sources};
use tablewright_stream::Options;
use tasks::model::Tasks;
use tasks::rules::Domains;
use tasks::{ABOUT, App, Following, SETTINGS, service_on};

pub(crate) use self::caller::{Caller, Reply};

/// A service that runs.
pub(crate) struct Api {
    pub(crate) app: App,
    pub(crate) tasks: Tasks,
    pub(crate) engine: Engine,
    pub(crate) issuer: Arc<DevelopmentIssuer>,
    address: String,
    client: Client<HttpConnector, Full<Bytes>>,
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
        let mut api = Api::whole(domains, variables, engine, keys.path()).await;
        api._keys = Some(keys);
        api
    }

    /// On an engine that others use too, with the key of their issuer.
    pub(crate) async fn on(engine: Engine, keys: &Path) -> Self {
        Api::whole(Domains::default(), &[], engine, keys).await
    }

    async fn whole(
        domains: Domains,
        variables: &[(&str, &str)],
        engine: Engine,
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
        let tasks = Tasks::new(&Store::new(engine.dynamodb()));
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
            address,
            client: caller::client(),
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
        let table = &T::descriptor().table.name;
        let pages = self.engine.dynamodb().scan().table_name(table);
        let mut pages = pages.consistent_read(true).into_paginator().send();
        let mut stored = Vec::new();
        while let Some(page) = pages.next().await {
            for item in page.unwrap().items() {
                let new = tablewright::changed::<T::Stored>(table, None, Some(item));
                if let Some(Changed::Inserted(found)) = new.unwrap() {
                    stored.push(found);
                }
            }
        }
        stored
    }

    /// An admin and a member who ask another process, on this port.
    pub(crate) fn at(&self, port: u16) -> (Caller, Caller) {
        let address = format!("http://127.0.0.1:{port}");
        let at = |sub: &str, group: &str| Caller {
            address: address.clone(),
            ..self.person(sub, group)
        };
        (at("admin", "Admins"), at("member", "Members"))
    }

    /// Somebody with this token, or none.
    pub(crate) fn bearer(&self, token: Option<String>) -> Caller {
        Caller {
            client: self.client.clone(),
            address: self.address.clone(),
            token,
        }
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

impl Caller {
    /// A new task; gives its id.
    pub(crate) async fn task(&self, title: &str) -> String {
        let made = self.post("/tasks", json!({ "title": title })).await;
        made.expect(201).body["taskId"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn assign(&self, task: &str, user: &str) -> Reply {
        let path = format!("/tasks/{task}/assign");
        self.post(&path, json!({ "userId": user })).await
    }

    pub(crate) async fn status(&self, task: &str, status: &str) -> Reply {
        let path = format!("/tasks/{task}/status");
        self.put(&path, json!({ "status": status })).await
    }

    pub(crate) async fn close(&self, task: &str) -> Reply {
        self.post_nothing(&format!("/tasks/{task}/close")).await
    }

    pub(crate) async fn user_status(&self, user: &str, status: &str) -> Reply {
        let path = format!("/users/{user}/status");
        self.put(&path, json!({ "status": status })).await
    }

    /// The titles of a list, page by page.
    pub(crate) async fn titles(&self, path: &str) -> Vec<String> {
        let mut titles = Vec::new();
        let mut cursor = String::new();
        let joint = if path.contains('?') { '&' } else { '?' };
        loop {
            let page = self.get(&format!("{path}{joint}limit=3{cursor}")).await;
            let page = page.expect(200).body;
            let items = page["items"].as_array().unwrap();
            titles.extend(
                items
                    .iter()
                    .map(|task| task["title"].as_str().unwrap().to_owned()),
            );
            match page["nextCursor"].as_str() {
                Some(next) => {
                    assert_eq!(
                        items.len(),
                        3,
                        "a page that is not the last is full: {path}"
                    );
                    cursor = format!("&cursor={next}");
                }
                None => return titles,
            }
        }
    }
}

/// Waits for something that must become true.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    let waited = tokio::time::timeout(Duration::from_secs(60), async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    waited.await.expect("it became true");
}
