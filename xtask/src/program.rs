//! A service as a program of its own, and what looks at it from outside.

use std::env;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use crate::node;
use crate::python::{environment, remove, run, target};

/// What holds of every answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance,\
    negative_data_rejection,unsupported_method,allow_header_conformance,ignored_auth";

/// schemathesis against the `/openapi.json` of a service: no 5xx, no status and no body that is not described. `who` says as whom it asks.
pub(crate) fn as_described(service: Service, who: &str) -> anyhow::Result<()> {
    let token = service.token(who)?;
    let mut schemathesis = schemathesis(&service, &token)?;
    holds(service, &mut schemathesis)
}

/// schemathesis, about to ask a service with this token.
pub(crate) fn schemathesis(service: &Service, token: &str) -> anyhow::Result<Command> {
    let python = environment("schemathesis", "xtask/todo/requirements.txt")?;
    let mut schemathesis = Command::new(python.with_file_name("schemathesis"));
    schemathesis
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
        .current_dir(target_folder()?);
    Ok(schemathesis)
}

/// What schemathesis was told to ask is answered as it is described, and the service runs on.
pub(crate) fn holds(service: Service, schemathesis: &mut Command) -> anyhow::Result<()> {
    does_what_it_says(&service, schemathesis)?;
    service.still_runs()
}

/// What schemathesis was told to ask is answered as it is described.
pub(crate) fn does_what_it_says(
    service: &Service,
    schemathesis: &mut Command,
) -> anyhow::Result<()> {
    match schemathesis.status()?.success() {
        true => Ok(()),
        false => bail!("{} does not do what it says of itself", service.name),
    }
}

/// A page in Debian's chromium, by a script. Screenshots stay in the target folder.
pub(crate) fn in_a_browser(service: Service, script: &str) -> anyhow::Result<()> {
    in_a_browser_told(service, script, &[])
}

/// The same, by a script that is told more.
pub(crate) fn in_a_browser_told(
    service: Service,
    script: &str,
    more: &[String],
) -> anyhow::Result<()> {
    let packages = node::packages("browser", "xtask/browser")?;
    let browser = chromium()?;
    let screenshots = target_folder()?.join("screenshots");
    fs::create_dir_all(&screenshots)?;
    run(Command::new("node")
        .args([script, &service.url])
        .args([packages, browser, screenshots.clone()])
        .args(more))?;
    println!("   screenshots are in {}", screenshots.display());
    service.still_runs()
}

/// A page whose people sign in at an issuer, which the script is itself.
pub(crate) fn at_an_issuer(name: &'static str, data: &str, script: &str) -> anyhow::Result<()> {
    let packages = node::packages("browser", "xtask/browser")?;
    let browser = chromium()?;
    let issuer = format!("http://{}", free_address()?);
    let client = format!("{name}-page");
    let service = Service::start(
        name,
        data,
        &[
            ("TABLEWRIGHT_ISSUER", &issuer),
            ("TABLEWRIGHT_AUDIENCE", &client),
            ("TABLEWRIGHT_SIGN_IN_CLIENT", &client),
            // Its keys are there as soon as the script runs.
            ("TABLEWRIGHT_LOG", "error"),
        ],
    )?;
    run(Command::new("node")
        .args([script, &service.url, &issuer])
        .args([packages, browser])
        .arg(client))?;
    service.still_runs()
}

/// Free a moment ago: the kernel gives it to nobody else so soon.
pub(crate) fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

pub(crate) fn target_folder() -> anyhow::Result<PathBuf> {
    Ok(env::current_dir()?.join(target()))
}

pub(crate) fn chromium() -> anyhow::Result<PathBuf> {
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
    install("chromium")?;
    found().context("chromium was installed, and is not where it is looked for")
}

/// Installs a package of Debian. What an old list of packages names may be gone: then the list is fetched anew.
pub(crate) fn install(package: &str) -> anyhow::Result<()> {
    println!("   installing {package}");
    let apt = |words: &[&str]| {
        let done = Command::new("apt-get").args(words).output();
        let done = done.context("apt-get cannot be started")?;
        let why = String::from_utf8_lossy(&done.stderr);
        ensure!(done.status.success(), "apt-get {}: {why}", words.join(" "));
        Ok(())
    };
    let words = [
        "install",
        "--yes",
        "--quiet=2",
        "--no-install-recommends",
        package,
    ];
    apt(&words)
        .or_else(|_| {
            apt(&["update", "--quiet=2"])?;
            apt(&words)
        })
        .with_context(|| format!("install {package}: it is needed, and could not be installed"))
}

/// A service, on a free port, with empty tables.
pub(crate) struct Service {
    name: &'static str,
    child: Child,
    pub(crate) url: String,
    address: String,
}

impl Service {
    /// The program of this name, which has been built.
    pub(crate) fn start(
        name: &'static str,
        data: &str,
        settings: &[(&str, &str)],
    ) -> anyhow::Result<Self> {
        let (service, ()) = Service::prepared(name, data, settings, |_| Ok(()))?;
        Ok(service)
    }

    /// The same, after commands of the program that need its tables for themselves: `before` is given what runs one, and gives what it says.
    pub(crate) fn prepared<T>(
        name: &'static str,
        data: &str,
        settings: &[(&str, &str)],
        before: impl FnOnce(&dyn Fn(&[&str]) -> anyhow::Result<String>) -> anyhow::Result<T>,
    ) -> anyhow::Result<(Self, T)> {
        remove(&target_folder()?.join(data))?;
        Service::begun(name, data, settings, before)
    }

    /// With what an earlier one has stored.
    pub(crate) fn start_again(
        name: &'static str,
        data: &str,
        settings: &[(&str, &str)],
    ) -> anyhow::Result<Self> {
        let (service, ()) = Service::begun(name, data, settings, |_| Ok(()))?;
        Ok(service)
    }

    fn begun<T>(
        name: &'static str,
        data: &str,
        settings: &[(&str, &str)],
        before: impl FnOnce(&dyn Fn(&[&str]) -> anyhow::Result<String>) -> anyhow::Result<T>,
    ) -> anyhow::Result<(Self, T)> {
        let data = target_folder()?.join(data);
        let program = target_folder()?.join("debug").join(name);
        let command = || {
            let mut command = Command::new(&program);
            command
                .env(
                    "TABLEWRIGHT_ENDPOINT",
                    format!("embedded:{}", data.display()),
                )
                .env("TABLEWRIGHT_RATE", "0")
                .env("TABLEWRIGHT_LOG", "warn")
                .envs(settings.iter().copied())
                .stdin(Stdio::null());
            command
        };
        let prepared = before(&|words| {
            let output = command().args(words).stderr(Stdio::inherit()).output()?;
            if !output.status.success() {
                bail!("{name} {} failed", words.join(" "));
            }
            Ok(String::from_utf8(output.stdout)?)
        })?;
        let address = free_address()?;
        let child = command()
            .env("PORT", address.port().to_string())
            .spawn()
            .with_context(|| format!("the program {name} has not been built"))?;
        let service = Service {
            name,
            child,
            url: format!("http://{address}"),
            address: address.to_string(),
        };
        let start = Instant::now();
        while TcpStream::connect(&service.address).is_err() {
            if start.elapsed() > Duration::from_secs(60) {
                bail!("{name} does not listen on {address}");
            }
            sleep(Duration::from_millis(50));
        }
        Ok((service, prepared))
    }

    /// A token, as the page gets one. `who` is the form: `name=ada`.
    pub(crate) fn token(&self, who: &str) -> anyhow::Result<String> {
        let token = self.posted("/page/token", "application/x-www-form-urlencoded", who)?;
        if token.split('.').count() != 3 {
            bail!("{} gives no token: {token}", self.name);
        }
        Ok(token)
    }

    /// What it answers to a body, if that is well.
    pub(crate) fn posted(&self, path: &str, form: &str, body: &str) -> anyhow::Result<String> {
        let length = body.len();
        let headers = format!("Content-Type: {form}\r\nContent-Length: {length}\r\n");
        self.asked("POST", path, &headers, body)
    }

    /// What is found at an address.
    pub(crate) fn got(&self, path: &str) -> anyhow::Result<String> {
        self.asked("GET", path, "", "")
    }

    fn asked(&self, method: &str, path: &str, headers: &str, body: &str) -> anyhow::Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\r\n{body}",
            self.address
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        match answer.split_once("\r\n\r\n") {
            Some((head, body)) if head.starts_with("HTTP/1.1 20") => Ok(body.trim().to_owned()),
            _ => bail!("{} does not take it: {answer}", self.name),
        }
    }

    pub(crate) fn still_runs(mut self) -> anyhow::Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("{} ended by itself: {status}", self.name),
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
