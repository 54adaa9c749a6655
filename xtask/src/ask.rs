//! Ask-a-Human from outside: requests made from its description, as an agent, a person and an admin; and its clients.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use crate::node;
use crate::program::{
    Service, chromium, free_address, holds, in_a_browser, schemathesis, target_folder,
};
use crate::python::{environment, run};

const TYPESCRIPT: &str = "clients/typescript";
const PYTHON: &str = "clients/python";

/// The API as it describes itself, to an agent. The program has been built.
pub(crate) fn described_to_agents() -> anyhow::Result<()> {
    let asking = Asking::start("schemathesis-agents-data")?;
    let key = asking.wide.clone();
    asking.does_what_it_says(&key, "^/agent/")
}

/// The same, to a person.
pub(crate) fn described_to_people() -> anyhow::Result<()> {
    let asking = Asking::start("schemathesis-people-data")?;
    let service = &asking.service;
    let person = service.posted("/human/people", "application/json", "{}")?;
    let token = person.split('"').find(|word| word.starts_with("aahp_"));
    let token = token.context("nobody can become a person")?.to_owned();
    asking.does_what_it_says(&token, "^/human/")
}

/// The same, to an admin.
pub(crate) fn described_to_admins() -> anyhow::Result<()> {
    let asking = Asking::start("schemathesis-admins-data")?;
    let token = asking.service.token("name=schemathesis&group=Admins")?;
    asking.does_what_it_says(&token, "^/admin/")
}

/// The pages in a browser: an agent, people and an admin; and axe-core on each of them.
pub(crate) fn page() -> anyhow::Result<()> {
    let service = Service::start("ask", "page-ask-data", &[])?;
    in_a_browser(service, "backend/ask/tests/page.mjs")
}

/// A browser that registers at Firebase, which the script is itself, and is told of a question.
pub(crate) fn notified() -> anyhow::Result<()> {
    const SCRIPT: &str = "backend/ask/tests/notify.mjs";
    let folder = target_folder()?;
    let firebase = format!("http://{}", free_address()?);
    let credentials = folder.join("ask-notify-credentials.json");
    run(Command::new("node")
        .args([SCRIPT, "credentials"])
        .arg(&credentials)
        .arg(&firebase))?;
    let credentials = credentials.to_string_lossy();
    let service = Service::start(
        "ask",
        "notify-ask-data",
        &[
            ("TABLEWRIGHT_FCM_CREDENTIALS", &*credentials),
            ("TABLEWRIGHT_FCM_ENDPOINT", &firebase),
            ("TABLEWRIGHT_FCM_INSTALLATIONS", &firebase),
            ("TABLEWRIGHT_FCM_REGISTRATIONS", &firebase),
            ("TABLEWRIGHT_FCM_PROJECT", "ask-a-human"),
            ("TABLEWRIGHT_FCM_APP", "1:123456:web:abcdef"),
            ("TABLEWRIGHT_FCM_API_KEY", "AIza-key_of_the_app"),
            (
                "TABLEWRIGHT_FCM_VAPID_KEY",
                "BAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc",
            ),
        ],
    )?;
    let screenshots = folder.join("screenshots");
    fs::create_dir_all(&screenshots)?;
    run(Command::new("node")
        .args([SCRIPT, &service.url, &firebase])
        .args([
            node::packages("browser", "xtask/browser")?,
            chromium()?,
            screenshots,
        ]))?;
    service.still_runs()
}

/// The client in TypeScript: its types are those of the description, it compiles, and it does what its tests say. With `bless` the types are
/// written instead of compared.
pub(crate) fn typescript(bless: bool) -> anyhow::Result<()> {
    let asking = Asking::start("ask-typescript-data")?;
    let folder = Path::new(TYPESCRIPT);
    node::install_in(folder)?;
    let mut generate = Command::new("node");
    generate.args(["generate.mjs", &asking.service.url]);
    if !bless {
        generate.arg("--check");
    }
    run(generate.current_dir(folder))?;
    run(Command::new("node")
        .arg("node_modules/typescript/bin/tsc")
        .current_dir(folder))?;
    let mut tests = Command::new("node");
    tests.args(["--test", "build/test/"]).current_dir(folder);
    run(asking.told(&mut tests))?;
    asking.service.still_runs()
}

/// The client in Python: its types hold, and it does what its tests say.
pub(crate) fn python() -> anyhow::Result<()> {
    let asking = Asking::start("ask-python-data")?;
    let python = environment("ask-python", "clients/python/requirements-dev.txt")?;
    run(Command::new(&python)
        .args(["-m", "mypy", "--no-incremental", "--cache-dir=/dev/null"])
        .current_dir(PYTHON))?;
    let mut tests = Command::new(&python);
    tests.args(["-B", "-m", "unittest", "discover", "--quiet"]);
    tests.args(["--start-directory", "tests", "--top-level-directory", "."]);
    run(asking.told(tests.current_dir(PYTHON)))?;
    asking.service.still_runs()
}

/// A service, and keys of agents of it.
struct Asking {
    service: Service,
    /// Of one that may do all it likes.
    wide: String,
    /// Of one that has one question open at a time, and reads once an hour.
    narrow: String,
}

impl Asking {
    fn start(data: &str) -> anyhow::Result<Self> {
        // Requests that are made up come from many addresses, as behind a proxy.
        let settings = [("TABLEWRIGHT_FORWARDED_HOPS", "1")];
        let (service, (wide, narrow)) = Service::prepared("ask", data, &settings, |command| {
            let key = |agent: &str, quota: &[&str]| {
                command(&["agent", "add", agent])?;
                command(&[&["agent", "quota", agent], quota].concat())?;
                let key = command(&["key", "add", agent])?;
                match key.trim() {
                    key if key.starts_with("aah_") => Ok(key.to_owned()),
                    other => bail!("`ask key add` gives no key: {other}"),
                }
            };
            let wide = [
                "--questions",
                "100000",
                "--open",
                "10000",
                "--polls",
                "1000000",
            ];
            let narrow = ["--open", "1", "--polls", "1"];
            Ok((key("wide", &wide)?, key("narrow", &narrow)?))
        })?;
        Ok(Asking {
            service,
            wide,
            narrow,
        })
    }

    /// A command that knows where the service is, and has the keys.
    fn told<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("ASK_A_HUMAN_BASE_URL", &self.service.url)
            .env("ASK_A_HUMAN_KEY", &self.wide)
            .env("ASK_TEST_NARROW_KEY", &self.narrow)
    }

    /// At the addresses this fits, to whoever has the token.
    fn does_what_it_says(self, token: &str, addresses: &str) -> anyhow::Result<()> {
        let mut schemathesis = schemathesis(&self.service, token)?;
        self.told(&mut schemathesis)
            .args(["--include-path-regex", addresses])
            .env("SCHEMATHESIS_HOOKS", "hooks")
            .env("PYTHONPATH", env::current_dir()?.join("xtask/ask"))
            .env("PYTHONDONTWRITEBYTECODE", "1");
        holds(self.service, &mut schemathesis)
    }
}
