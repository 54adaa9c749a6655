//! The To-Do API from outside: requests made from its description, and its page in a browser.

use std::env;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::node;
use crate::python::{environment, remove, run, target};

/// What holds of every answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance,\
    negative_data_rejection,unsupported_method,allow_header_conformance,ignored_auth";

/// schemathesis against `/openapi.json`: no 5xx, no status and no body that is not described. The program has been built.
pub(crate) fn described_api() -> anyhow::Result<()> {
    let python = environment("schemathesis", "xtask/todo/requirements.txt")?;
    let service = Service::start("schemathesis-data", &[])?;
    let token = service.token("schemathesis")?;
    let status = Command::new(python.with_file_name("schemathesis"))
        .args(["run", &format!("{}/openapi.json", service.url)])
        .args(["--header", &format!("Authorization: Bearer {token}")])
        .args(["--checks", CHECKS])
        .args(["--phases", "examples,coverage,fuzzing,stateful"])
        .args(["--max-examples", "25", "--seed", "1", "--workers", "1"])
        .args([
            "--request-timeout",
            "30",
            "--suppress-health-check",
            "all",
            "--no-color",
        ])
        .current_dir(target_folder()?)
        .status()?;
    if !status.success() {
        bail!("the To-Do API does not do what it says of itself");
    }
    service.still_runs()
}

/// The page in Debian's chromium. Screenshots stay in the target folder.
pub(crate) fn page() -> anyhow::Result<()> {
    let packages = node::packages("browser", "xtask/browser")?;
    let browser = chromium()?;
    let service = Service::start("page-data", &[])?;
    let screenshots = target_folder()?.join("screenshots");
    fs::create_dir_all(&screenshots)?;
    run(Command::new("node")
        .args(["backend/todo/tests/page.mjs", &service.url])
        .args([packages, browser, screenshots.clone()]))?;
    println!("   screenshots are in {}", screenshots.display());
    service.still_runs()
}

/// Signing in at an issuer, which the script is itself.
pub(crate) fn sign_in() -> anyhow::Result<()> {
    let packages = node::packages("browser", "xtask/browser")?;
    let browser = chromium()?;
    let issuer = format!("http://{}", free_address()?);
    let service = Service::start(
        "sign-in-data",
        &[
            ("TABLEWRIGHT_ISSUER", &issuer),
            ("TABLEWRIGHT_AUDIENCE", "todo-page"),
            ("TABLEWRIGHT_SIGN_IN_CLIENT", "todo-page"),
            // Its keys are there as soon as the script runs.
            ("TABLEWRIGHT_LOG", "error"),
        ],
    )?;
    run(Command::new("node")
        .args(["backend/todo/tests/sign_in.mjs", &service.url, &issuer])
        .args([packages, browser])
        .arg("todo-page"))?;
    service.still_runs()
}

/// Free a moment ago: the kernel gives it to nobody else so soon.
fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

fn target_folder() -> anyhow::Result<PathBuf> {
    Ok(env::current_dir()?.join(target()))
}

fn chromium() -> anyhow::Result<PathBuf> {
    let found = || {
        [
            "/usr/bin/chromium",
            "/usr/bin/chromium-browser",
            "/usr/bin/google-chrome",
        ]
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.exists())
    };
    if let Some(path) = found() {
        return Ok(path);
    }
    println!("   installing chromium");
    let mut install = Command::new("apt-get");
    install.args([
        "install",
        "--yes",
        "--quiet=2",
        "--no-install-recommends",
        "chromium",
    ]);
    let _ = install.output();
    found().context("chromium is needed, and could not be installed: apt-get install chromium")
}

/// The service, on a free port, with empty tables.
struct Service {
    child: Child,
    url: String,
    address: String,
}

impl Service {
    fn start(data: &str, settings: &[(&str, &str)]) -> anyhow::Result<Self> {
        let data = target_folder()?.join(data);
        remove(&data)?;
        let address = free_address()?;
        let child = Command::new(target_folder()?.join("debug/todo"))
            .env("PORT", address.port().to_string())
            .env(
                "TABLEWRIGHT_ENDPOINT",
                format!("embedded:{}", data.display()),
            )
            .env("TABLEWRIGHT_RATE", "0")
            .env("TABLEWRIGHT_LOG", "warn")
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .spawn()
            .context("the program todo has not been built")?;
        let service = Service {
            child,
            url: format!("http://{address}"),
            address: address.to_string(),
        };
        let start = Instant::now();
        while TcpStream::connect(&service.address).is_err() {
            if start.elapsed() > Duration::from_secs(60) {
                bail!("todo does not listen on {address}");
            }
            sleep(Duration::from_millis(50));
        }
        Ok(service)
    }

    /// A token, as the page gets one.
    fn token(&self, name: &str) -> anyhow::Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        let body = format!("name={name}");
        write!(
            stream,
            "POST /page/token HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let token = answer
            .split("\r\n\r\n")
            .nth(1)
            .map(str::trim)
            .unwrap_or_default();
        if !answer.starts_with("HTTP/1.1 200") || token.split('.').count() != 3 {
            bail!("todo gives no token: {answer}");
        }
        Ok(token.to_owned())
    }

    fn still_runs(mut self) -> anyhow::Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("todo ended by itself: {status}"),
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
