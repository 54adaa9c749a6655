//! The service as a process of its own: this test binary started again.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::Value;
use tablewright_service::{DevelopmentIssuer, Person, Settings, handle_events, serve, start_logs};

use crate::app::{ABOUT, service};
use crate::client::Ask;
use crate::model::Notes;

/// Says that this process is the service.
const SERVICE: &str = "KIT_TEST_SERVICE";

/// Says that it is a function that is given events.
pub(crate) const EVENTS: &str = "KIT_TEST_EVENTS";

/// Is the service, where it is started as one.
#[test]
#[ignore = "other tests start it"]
fn serve_until_told() {
    if std::env::var_os(SERVICE).is_none() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let served = runtime.block_on(async {
        if std::env::var_os(EVENTS).is_some() {
            let handled = handle_events(|event, deadline| async move {
                let left = deadline.saturating_duration_since(std::time::Instant::now());
                match event["fails"].as_bool() {
                    Some(true) => Err(String::from("it is no event of ours")),
                    _ => Ok(serde_json::json!({ "given": event["Records"], "has_time": !left.is_zero() })),
                }
            });
            return handled.await.map_err(|error| error.to_string());
        }
        let settings = Settings::load(&ABOUT, &[]).map_err(|error| error.to_string())?;
        start_logs(&settings);
        let connection = tablewright_local::connect(&settings.endpoint)
            .await
            .unwrap();
        let store = settings.store(connection.dynamodb);
        Notes::new(&store).create_tables().await.unwrap();
        serve(service(settings, &store))
            .await
            .map_err(|error| error.to_string())
    });
    if let Err(error) = served {
        // Not a panic, which would be a failure of the test and not of the service.
        std::io::Write::write_all(&mut std::io::stderr(), format!("{error}\n").as_bytes()).unwrap();
        std::process::exit(2);
    }
    std::process::exit(0);
}

/// A service that runs as a process; it is killed with this value.
pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) told: BufReader<ChildStderr>,
    folder: tempfile::TempDir,
}

impl Process {
    pub(crate) fn start(variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args([
                "process::serve_until_told",
                "--exact",
                "--ignored",
                "--nocapture",
            ])
            .current_dir(folder.path())
            .env(SERVICE, "1")
            .env("PORT", "0")
            .env("TABLEWRIGHT_LOG_FORMAT", "json")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        for (name, value) in variables {
            command.env(name, value);
        }
        let mut child = command.spawn().unwrap();
        let told = BufReader::new(child.stderr.take().unwrap());
        Process {
            child,
            told,
            folder,
        }
    }

    /// The next line of the log.
    fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.told.read_line(&mut line).unwrap();
        serde_json::from_str(&line).ok()
    }

    /// The next line of the log with this message.
    pub(crate) fn line_with(&mut self, message: &str) -> Value {
        loop {
            let line = self
                .line()
                .unwrap_or_else(|| panic!("there is no line `{message}`"));
            if line["message"]
                .as_str()
                .is_some_and(|told| told.contains(message))
            {
                return line;
            }
        }
    }

    /// Ends it, and gives what it has logged that was not read before.
    pub(crate) fn log_until_ended(mut self) -> String {
        self.child.kill().unwrap();
        let mut log = String::new();
        self.told.read_to_string(&mut log).unwrap();
        log
    }

    fn token(&self, sub: &str) -> String {
        let issuer = DevelopmentIssuer::open(&self.folder.path().join(".tablewright")).unwrap();
        let person = Person {
            sub: sub.to_owned(),
            ..Person::default()
        };
        issuer.token(&person, std::time::Duration::from_secs(60))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn it_logs_a_line_for_each_request_and_ends_at_a_signal() {
    let mut process = Process::start(&[("TABLEWRIGHT_METRICS_TOKEN", "a-secret-of-the-numbers")]);
    let begun = process.line_with("Notes is at http://");
    let address: SocketAddr = begun["address"].as_str().unwrap().parse().unwrap();
    let token = process.token("ada");

    let ask = Ask::new(address, "GET", "/api/v1/me?secret=in-the-query").token(&token);
    assert_eq!(ask.header("X-Request-Id", "r-1").send().await.status, 200);
    let line = process.line_with("answered");
    for (name, value) in [
        ("level", Value::from("INFO")),
        ("service", "notes".into()),
        ("request_id", "r-1".into()),
        ("user", "ada".into()),
        ("method", "GET".into()),
        ("route", "/api/v1/me".into()),
        ("status", 200.into()),
    ] {
        assert_eq!(line[name], value, "{name} of {line}");
    }
    assert!(line["duration_ms"].as_f64().unwrap() >= 0.0);
    line["timestamp"]
        .as_str()
        .unwrap()
        .parse::<jiff::Timestamp>()
        .unwrap();
    let written = line.to_string();
    assert!(
        !written.contains(&token) && !written.contains("in-the-query"),
        "{written}"
    );

    // Our mistake is told in full, there only.
    Ask::new(address, "GET", "/api/v1/panic")
        .token(&token)
        .send()
        .await;
    let line = process.line_with("answered");
    assert_eq!(
        (line["level"].as_str(), line["status"].as_u64()),
        (Some("ERROR"), Some(500))
    );
    assert!(
        line["cause"]
            .as_str()
            .unwrap()
            .contains("the secret of the handler"),
        "{line}"
    );
    assert_eq!(line["problem"], "internal");

    let pid = process.child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(sent.success());
    process.line_with("told to end");
    process.line_with("ended");
    assert_eq!(process.child.wait().unwrap().code(), Some(0));
}

#[test]
fn it_does_not_start_with_settings_it_cannot_use() {
    let variables = [
        ("TABLEWRIGHT_HOST", "0.0.0.0"),
        ("TABLEWRIGHT_RATE", "fast"),
    ];
    let mut process = Process::start(&variables);
    let mut told = String::new();
    process.told.read_to_string(&mut told).unwrap();
    assert_eq!(process.child.wait().unwrap().code(), Some(2), "{told}");
    assert!(told.contains("issuer: it must be set"), "{told}");
    assert!(
        told.contains("rate (TABLEWRIGHT_RATE): `fast` is no number"),
        "{told}"
    );
}

/// What another service reads, or this one under its own name, is not misspelt.
#[test]
fn a_variable_that_nobody_reads_is_warned_of() {
    let variables = [
        ("TABLEWRIGHT_RAET", "5"),
        ("TABLEWRIGHT_MAIL_FOLDER", "/tmp/mail"),
        ("TABLEWRIGHT_NOTES_RATE", "5"),
        ("TABLEWRIGHT_TASKS_RATE", "5"),
    ];
    let mut process = Process::start(&variables);
    let warned = process.line_with("nobody reads this variable");
    assert_eq!(warned["level"], "WARN", "{warned}");
    assert!(warned.to_string().contains("TABLEWRIGHT_RAET"), "{warned}");
    process.line_with("is at http://");
    let log = process.log_until_ended();
    assert!(!log.contains("nobody reads this variable"), "{log}");
}

#[test]
fn a_port_in_use_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let mut process = Process::start(&[("PORT", &port)]);
    let mut told = String::new();
    process.told.read_to_string(&mut told).unwrap();
    assert_eq!(process.child.wait().unwrap().code(), Some(2), "{told}");
    assert!(
        told.contains(&format!("127.0.0.1:{port} is in use")),
        "{told}"
    );
}
