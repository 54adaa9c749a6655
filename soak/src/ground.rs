//! Everything the services need, on loopback: the engine behind its connector, a mail server, a Firebase, who is told by webhooks, an issuer, a folder.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use http::Method;
use tablewright_local::Engine;
use tablewright_service::{DevelopmentIssuer, Person};
use tablewright_testing::{Caller, Firebase};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::connector;
use crate::faults::Faults;
use crate::process::Service;
use crate::receiver::Receiver;
use crate::smtp::MailServer;

/// How long services may take until they serve.
const TO_START: Duration = Duration::from_secs(180);

/// How long tokens are good: longer than any run.
const TOKENS: Duration = Duration::from_secs(2 * 24 * 3600);

/// All of it. What was started ends with this value.
pub(crate) struct Ground {
    pub(crate) engine: Engine,
    pub(crate) faults: Arc<Faults>,
    pub(crate) mail: MailServer,
    pub(crate) firebase: Firebase,
    pub(crate) receiver: Receiver,
    pub(crate) todo: Service,
    pub(crate) tasks: Service,
    pub(crate) ask: Service,
    issuer: DevelopmentIssuer,
    pub(crate) folder: TempDir,
}

impl Ground {
    pub(crate) async fn new(seed: u64) -> anyhow::Result<Self> {
        let engine = Engine::temporary()?;
        engine.start_upkeep();
        let faults = Arc::new(Faults::new(seed));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let endpoint = format!("http://{}", listener.local_addr()?);
        let serving = connector::serve(engine.clone(), listener, Arc::clone(&faults));
        tokio::spawn(serving);
        let (mail, firebase) = (MailServer::start(seed)?, Firebase::start().await);
        let folder = tempfile::Builder::new()
            .prefix("tablewright-soak-")
            .tempdir()?;
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("firebase.json"), firebase.credentials())?;
        let service = |name, own: &[(&str, String)]| {
            let all = [
                ("TABLEWRIGHT_ENDPOINT", endpoint.clone()),
                ("TABLEWRIGHT_ISSUER_KEYS", path("")),
                ("TABLEWRIGHT_RATE", String::from("0")),
                ("TABLEWRIGHT_LOG", String::from("warn")),
            ];
            let all = all.iter().chain(own);
            let all = all.map(|(name, value)| ((*name).to_owned(), value.clone()));
            Service::new(name, folder.path(), all.collect())
        };
        let todo = service("todo", &[("TABLEWRIGHT_LAKE", path("lake"))])?;
        let tasks = service(
            "tasks",
            &[
                ("TABLEWRIGHT_STREAM_LEASE", String::from("2s")),
                ("TABLEWRIGHT_MAIL_STALE", String::from("3s")),
                ("TABLEWRIGHT_EVENTS_LOG", path("events")),
                (
                    "TABLEWRIGHT_MAIL_FROM",
                    format!("Tasks <noreply@{}>", crate::MAIL_DOMAIN),
                ),
                ("TABLEWRIGHT_SMTP_URL", mail.url.clone()),
            ],
        )?;
        let ask = service(
            "ask",
            &[
                ("TABLEWRIGHT_STREAM_LEASE", String::from("2s")),
                ("TABLEWRIGHT_SWEEP_EVERY", String::from("1s")),
                // Everybody comes from an address of their own: one proxy says which.
                ("TABLEWRIGHT_FORWARDED_HOPS", String::from("1")),
                ("TABLEWRIGHT_FCM_CREDENTIALS", path("firebase.json")),
                ("TABLEWRIGHT_FCM_ENDPOINT", firebase.url.clone()),
            ],
        )?;
        Ok(Ground {
            engine,
            faults,
            mail,
            firebase,
            receiver: Receiver::start(seed).await?,
            todo,
            tasks,
            ask,
            issuer: DevelopmentIssuer::open(folder.path())?,
            folder,
        })
    }

    pub(crate) fn services(&mut self) -> [&mut Service; 3] {
        [&mut self.todo, &mut self.tasks, &mut self.ask]
    }

    pub(crate) fn lake(&self) -> PathBuf {
        self.folder.path().join("lake")
    }

    pub(crate) fn events(&self) -> PathBuf {
        self.folder.path().join("events")
    }

    /// A token of somebody, in this group if it is one.
    pub(crate) fn token(&self, name: &str, group: Option<&str>) -> String {
        let person = Person {
            sub: name.to_owned(),
            email: Some(format!("{name}@example.org")),
            groups: group.map(str::to_owned).into_iter().collect(),
            ..Person::default()
        };
        self.issuer.token(&person, TOKENS)
    }

    /// Starts whatever does not run, and waits until all can work.
    pub(crate) async fn until_ready(&mut self) -> anyhow::Result<()> {
        let begun = Instant::now();
        for which in 0..3 {
            loop {
                let services = self.services();
                let service = services
                    .into_iter()
                    .nth(which)
                    .context("there are three of them")?;
                service.keep_up()?;
                let caller = Caller::new(&service.address);
                let ready = caller.try_send(Method::GET, "~/health/ready", None, &[]);
                let ready = tokio::time::timeout(Duration::from_secs(10), ready).await;
                if ready.is_ok_and(|ready| ready.is_ok_and(|ready| ready.status == 200)) {
                    break;
                }
                if begun.elapsed() > TO_START {
                    bail!("{} does not serve after {TO_START:?}", service.name);
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
        Ok(())
    }
}
