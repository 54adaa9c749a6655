//! The engine, a mail server, and the programs between them.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use tablewright_local::Engine;
use tokio::net::TcpListener;

use super::server::MailServer;
use crate::support::Api;

/// The engine, which all programs reach by HTTP, and where they keep their things.
pub(super) struct Ground {
    pub(super) api: Api,
    endpoint: String,
    folder: tempfile::TempDir,
    started: AtomicUsize,
    pub(super) server: MailServer,
}

impl Ground {
    pub(super) async fn new() -> Self {
        let engine = Engine::temporary().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(tablewright_local::serve(
            engine.clone(),
            listener,
            std::future::pending(),
        ));
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("logs")).unwrap();
        Ground {
            api: Api::on(engine, folder.path()).await,
            endpoint,
            folder,
            started: AtomicUsize::new(0),
            server: MailServer::start(0),
        }
    }

    pub(super) fn program(&self, what: &str, port: u16) -> Program {
        let path = |name: &str| self.folder.path().join(name);
        let number = self.started.fetch_add(1, Ordering::SeqCst);
        let log = File::create(path(&format!("logs/{number:03}-{what}.log"))).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_tasks"))
            .arg(what)
            .env("PORT", port.to_string())
            .env("TABLEWRIGHT_ENDPOINT", &self.endpoint)
            .env("TABLEWRIGHT_ISSUER_KEYS", self.folder.path())
            .env("TABLEWRIGHT_RATE", "0")
            .env("TABLEWRIGHT_LOG", "warn")
            .env("TABLEWRIGHT_STREAM_LEASE", "2s")
            .env("TABLEWRIGHT_MAIL_STALE", "3s")
            .env("TABLEWRIGHT_EVENTS_LOG", path("events"))
            .env("TABLEWRIGHT_MAIL_FROM", "Tasks <noreply@amalitech.com>")
            .env(
                "TABLEWRIGHT_SMTP_URL",
                format!("smtp://127.0.0.1:{}", self.server.port),
            )
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        Program(child)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Who reads which shard, and how far: what is looked at first when something did not come.
    pub(super) async fn leases(&self) -> String {
        let client = self.api.engine.dynamodb();
        let scan = client.scan().table_name("tablewright-stream");
        let items = scan.consistent_read(true).send().await.unwrap().items;
        let items = items.unwrap_or_default().into_iter();
        items.map(|item| format!("{item:?}\n")).collect()
    }
}

/// What the programs said and told is kept of a test that failed.
impl Drop for Ground {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.folder.disable_cleanup(true);
            eprintln!("what was told is in {}", self.folder.path().display());
        }
    }
}

/// A program that runs.
pub(super) struct Program(Child);

impl Program {
    pub(super) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.0.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    pub(super) fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
