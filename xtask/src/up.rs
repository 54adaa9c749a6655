//! `tablewright up` as a newcomer runs it, but for the build: started, used, killed, started again, stopped.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use crate::program::free_address;
use crate::python::{remove, target};

/// So long something may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// The programs have been built.
pub(crate) fn together() -> anyhow::Result<()> {
    let project = Project::make()?;
    let first = project.up()?;
    let token = first.token("ADA")?;
    let tasks = project.get("todo", "/api/v1/tasks?limit=100", &token)?;
    ensure!(
        tasks.matches("Water the plants").count() == 1,
        "there is nothing to show: {tasks}"
    );
    project.shows_everything()?;
    project.adds_up(&token)?;
    let refused = project.command().output()?;
    let said = String::from_utf8_lossy(&refused.stderr);
    ensure!(
        refused.status.code() == Some(2) && said.contains("is in use by tablewright"),
        "a second one is not told of the first: {said}"
    );

    // What was acknowledged is there after kill -9, and nobody is left behind.
    project.post("todo", "/api/v1/tasks", &token, r#"{"title": "Survive"}"#)?;
    first.kill()?;
    project.is_gone()?;
    let second = project.up()?;
    let tasks = project.get("todo", "/api/v1/tasks?limit=100", &token)?;
    for once in ["Survive", "Water the plants"] {
        ensure!(
            tasks.matches(once).count() == 1,
            "`{once}` is not there once: {tasks}"
        );
    }
    second.interrupt()?;
    project.is_gone()
}

/// The project of this workspace, with the programs of the tests, on ports of its own.
struct Project {
    folder: PathBuf,
    program: PathBuf,
    ports: Vec<(&'static str, u16)>,
}

impl Project {
    fn make() -> anyhow::Result<Self> {
        let target = std::env::current_dir()?.join(target());
        let folder = target.join("up");
        remove(&folder)?;
        for part in ["demo", "models", "docs/specs/jobs/todo"] {
            copy(Path::new(part), &folder.join(part))?;
        }
        let programs = target.join("debug").display().to_string();
        let mut text = fs::read_to_string("tablewright.toml")?
            .replace("target/release", &programs)
            .replace("build = \"cargo build --release\"\n", "");
        let mut ports = Vec::new();
        for (name, usual) in [("todo", 8081), ("tasks", 8082), ("ask", 8083)] {
            let port = free_address()?.port();
            text = text.replace(&format!("= {usual}"), &format!("= {port}"));
            ports.push((name, port));
        }
        let (front, engine) = (free_address()?.port(), free_address()?.port());
        text = text.replace(
            "[up]\n",
            &format!("[up]\nport = {front}\nengine = {engine}\n"),
        );
        ports.extend([("front", front), ("engine", engine)]);
        fs::write(folder.join("tablewright.toml"), text)?;
        Ok(Project {
            folder,
            program: target.join("debug/tablewright"),
            ports,
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("up").current_dir(&self.folder);
        command
    }

    fn up(&self) -> anyhow::Result<Up> {
        let mut child = self
            .command()
            .stdout(Stdio::piped())
            .spawn()
            .context("the program tablewright has not been built")?;
        let output = BufReader::new(child.stdout.take().context("it has an output")?);
        let mut up = Up {
            child,
            output,
            said: String::new(),
        };
        while !up.said.contains("Ctrl-C stops it") {
            if up.output.read_line(&mut up.said)? == 0 {
                bail!("it ended: {}", up.said);
            }
        }
        Ok(up)
    }

    fn address(&self, name: &str) -> String {
        let port = self.ports.iter().find(|(known, _)| *known == name);
        format!("127.0.0.1:{}", port.map_or(0, |(_, port)| *port))
    }

    fn get(&self, name: &str, path: &str, token: &str) -> anyhow::Result<String> {
        self.ask(name, "GET", path, token, "")
    }

    fn post(&self, name: &str, path: &str, token: &str, body: &str) -> anyhow::Result<String> {
        self.ask(name, "POST", path, token, body)
    }

    fn ask(
        &self,
        name: &str,
        method: &str,
        path: &str,
        token: &str,
        body: &str,
    ) -> anyhow::Result<String> {
        let address = self.address(name);
        let mut stream = TcpStream::connect(&address)?;
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        match answer.split_once("\r\n\r\n") {
            Some((head, body)) if head.starts_with("HTTP/1.1 20") => Ok(body.to_owned()),
            _ => bail!("{name} does not answer {method} {path}: {answer}"),
        }
    }

    /// The front page leads to what there is, and to nothing else.
    fn shows_everything(&self) -> anyhow::Result<()> {
        // Who is busy with its first data may answer late.
        let start = Instant::now();
        loop {
            let page = self.get("front", "/", "")?;
            if page.matches(">ready<").count() == 3 {
                break;
            }
            ensure!(start.elapsed() < PATIENCE, "not all run: {page}");
            sleep(Duration::from_millis(100));
        }
        let proof = self.get("front", "/files/docs/specs/jobs/todo/proof.md", "")?;
        ensure!(proof.contains("<table>"), "the proof has no table: {proof}");
        let key = self.get("front", "/files/.tablewright/issuer.key", "");
        ensure!(key.is_err(), "the key of the issuer can be read");
        // Mails are written a moment after what they are about.
        let start = Instant::now();
        while !self
            .get("front", "/mails", "")?
            .contains("alan@amalitech.com")
        {
            ensure!(start.elapsed() < PATIENCE, "nobody gets a mail");
            sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    /// The lake has what the services did, the front page says so, and what it adds up to is told.
    fn adds_up(&self, token: &str) -> anyhow::Result<()> {
        let page = self.get("front", "/", "")?;
        let insights = format!("<a href=\"http://{}/#charts\">", self.address("todo"));
        ensure!(
            page.contains(&insights),
            "nothing leads to insights: {page}"
        );
        let start = Instant::now();
        loop {
            let page = self.get("front", "/", "")?;
            let told = self.get("todo", "/api/v1/insights", token)?;
            if page.contains("<td>Task</td><td>12</td>") && told.contains("\"completed\":3") {
                return Ok(());
            }
            ensure!(
                start.elapsed() < PATIENCE,
                "the lake lacks something: {told} {page}"
            );
            sleep(Duration::from_millis(200));
        }
    }

    /// Returns when nobody listens any more.
    fn is_gone(&self) -> anyhow::Result<()> {
        let start = Instant::now();
        for (name, _) in &self.ports {
            while TcpStream::connect(self.address(name)).is_ok() {
                ensure!(start.elapsed() < PATIENCE, "{name} was left behind");
                sleep(Duration::from_millis(50));
            }
        }
        Ok(())
    }
}

/// What runs.
struct Up {
    child: Child,
    output: BufReader<ChildStdout>,
    said: String,
}

impl Up {
    /// A token it printed, as somebody would paste it.
    fn token(&self, who: &str) -> anyhow::Result<String> {
        let start = format!("{who}=");
        let line = self
            .said
            .lines()
            .find_map(|line| line.trim().strip_prefix(&start));
        let word = line.and_then(|line| line.split_whitespace().next());
        Ok(word
            .with_context(|| format!("there is no token of {who}: {}", self.said))?
            .to_owned())
    }

    fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    fn interrupt(mut self) -> anyhow::Result<()> {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-INT", &pid]).status()?;
        let mut rest = String::new();
        self.output.read_to_string(&mut rest)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "stopped, it says {status}: {rest}");
        Ok(())
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder, with everything in it.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type()?.is_dir() {
            true => copy(&from, &to)?,
            false => _ = fs::copy(&from, &to)?,
        }
    }
    Ok(())
}
