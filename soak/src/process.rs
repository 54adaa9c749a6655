//! The services, each a process of its own.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;

/// How long a service may take to end when it is asked to.
const TO_END: Duration = Duration::from_secs(90);

/// How much of a log is shown of a service that ended by itself.
const SHOWN: u64 = 1500;

/// A service that is started as often as it takes. With this value it ends.
#[derive(Debug)]
pub(crate) struct Service {
    /// As `todo`.
    pub(crate) name: &'static str,
    /// Where it is reached.
    pub(crate) address: String,
    program: PathBuf,
    folder: PathBuf,
    environment: Vec<(String, String)>,
    child: Option<Child>,
    /// How often it ended by itself, and what it said then, if it was a panic.
    pub(crate) ended: u32,
    pub(crate) panics: Vec<String>,
}

impl Service {
    /// One that is not started yet, at a port that is free.
    pub(crate) fn new(
        name: &'static str,
        folder: &Path,
        environment: Vec<(String, String)>,
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?.with_file_name(name);
        if !program.is_file() {
            anyhow::bail!(
                "{} is not built: `cargo xtask soak` builds it",
                program.display()
            );
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0")?
            .local_addr()?
            .port();
        let mut environment = environment;
        environment.push((String::from("PORT"), port.to_string()));
        Ok(Service {
            name,
            address: format!("http://127.0.0.1:{port}"),
            program,
            folder: folder.to_owned(),
            environment,
            child: None,
            ended: 0,
            panics: Vec::new(),
        })
    }

    fn log(&self) -> PathBuf {
        self.folder.join(format!("{}.log", self.name))
    }

    /// The program with its settings, to be run with other words.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .current_dir(&self.folder)
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn start(&mut self) -> anyhow::Result<()> {
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.log())?;
        let child = self
            .command()
            // It ends with us, however we end.
            .env("TABLEWRIGHT_END_WITH_INPUT", "true")
            .stdin(Stdio::piped())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn();
        self.child =
            Some(child.with_context(|| format!("{} cannot be started", self.program.display()))?);
        Ok(())
    }

    /// Starts it again if it has ended by itself.
    pub(crate) fn keep_up(&mut self) -> anyhow::Result<()> {
        let Some(child) = &mut self.child else {
            return self.start();
        };
        let Some(status) = child.try_wait()? else {
            return Ok(());
        };
        self.ended += 1;
        // What a program of Rust says when it panics.
        if status.code() == Some(101) || status.code().is_none() {
            let said = last_of(&self.log()).unwrap_or_default();
            self.panics
                .push(format!("{} ended with {status}: {said}", self.name));
        }
        self.start()
    }

    /// Stops it where it is, as a machine does that is moved or overloaded; or lets it go on.
    pub(crate) fn freeze(&self, frozen: bool) -> anyhow::Result<()> {
        let Some(child) = &self.child else {
            return Ok(());
        };
        let signal = if frozen { "-STOP" } else { "-CONT" };
        let mut kill = Command::new("kill");
        kill.args([signal, &child.id().to_string()]);
        // One that has just ended by itself is not there to be stopped.
        let _ = kill.stderr(Stdio::null()).status()?;
        Ok(())
    }

    /// As a loss of power would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// What it said of panics, also of those that were caught: who answers and who follows goes on after one.
    pub(crate) fn said_of_panics(&self) -> anyhow::Result<Vec<String>> {
        let log = std::fs::read(self.log())?;
        let log = String::from_utf8_lossy(&log);
        let panics = log.lines().filter(|line| line.contains("panicked at"));
        Ok(panics
            .map(|line| format!("{} said: {line}", self.name))
            .collect())
    }

    /// Lets it finish. Says whether it did.
    pub(crate) async fn end(&mut self) -> anyhow::Result<bool> {
        let Some(child) = &mut self.child else {
            return Ok(true);
        };
        drop(child.stdin.take());
        let begun = Instant::now();
        while begun.elapsed() < TO_END {
            if let Some(status) = child.try_wait()? {
                self.child = None;
                return Ok(status.success());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.kill();
        Ok(false)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
    }
}

fn last_of(log: &Path) -> io::Result<String> {
    let mut file = File::open(log)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(SHOWN)))?;
    let mut last = Vec::new();
    file.read_to_end(&mut last)?;
    Ok(String::from_utf8_lossy(&last).into_owned())
}
