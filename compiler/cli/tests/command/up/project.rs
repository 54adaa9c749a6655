//! A project with one service, on ports of its own, and `up` run in it.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::sandbox::Sandbox;

/// So long something may take that must happen; a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// A port nobody has.
pub(super) fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        sleep(PAUSE);
    }
}

/// A project.
pub(super) struct Project {
    sandbox: Sandbox,
    pub(super) front: u16,
    pub(super) engine: u16,
    pub(super) service: u16,
}

impl Project {
    /// One whose service behaves in some way, and that is built by a command.
    pub(super) fn of(how: &str, build: Option<&str>) -> Self {
        let [front, engine, service] = [(); 3].map(|()| free_port());
        let build = build.map_or_else(String::new, |build| format!("build = \"{build}\"\n"));
        let program = std::env::current_exe().unwrap();
        let text = format!(
            "models = []\n[up]\nport = {front}\nengine = {engine}\n{build}[up.services.todo]\nrun = \"{} --ignored --exact up::service --nocapture how={how}\"\nport = {service}\n",
            program.display()
        );
        Project {
            sandbox: Sandbox::with(&[("tablewright.toml", &text)]),
            front,
            engine,
            service,
        }
    }

    fn start(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Up {
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| self.sandbox.path(name));
        let child = self
            .sandbox
            .command(&["up"])
            .args(arguments)
            .env_remove("PORT")
            .envs(variables.iter().copied())
            // As a shell does it, so that a signal to the group is what Ctrl-C is.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(File::create(&stdout).unwrap())
            .stderr(File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        Up {
            child,
            stdout,
            stderr,
        }
    }

    /// What is said where it cannot start.
    pub(super) fn refused(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let told = self.start(arguments, variables).ended();
        assert_eq!(told.code, Some(2), "{told:?}");
        told.stderr
    }

    pub(super) fn up(&self, arguments: &[&str]) -> Up {
        self.up_with(arguments, &[])
    }

    /// Started, and so far that it hears of signals.
    pub(super) fn up_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Up {
        let data = self.sandbox.path(".tablewright");
        let _ = fs::remove_dir_all(&data);
        let up = self.start(arguments, variables);
        until("it does not begin", || data.exists());
        up
    }

    /// Returns when nobody has a port any more.
    pub(super) fn is_gone(&self) {
        for port in [self.front, self.engine, self.service] {
            until("a port is still taken", || {
                TcpListener::bind(("127.0.0.1", port)).is_ok()
            });
        }
    }
}

/// What runs. It is killed with this value.
pub(super) struct Up {
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
}

/// What was told, and the exit status.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Up {
    /// Sends a signal to all of its group, as a terminal does.
    pub(super) fn send(&self, signal: &str) {
        let group = format!("-{}", self.child.id());
        let sent = Command::new("kill").args([signal, "--", &group]).status();
        assert!(sent.unwrap().success());
    }

    /// Returns when it says something.
    pub(super) fn says(&self, what: &str) {
        until(what, || {
            fs::read_to_string(&self.stdout).unwrap().contains(what)
        });
    }

    pub(super) fn is_ready(&self) {
        self.says("Ctrl-C stops it");
    }

    /// What it said, after a signal to all of its group.
    pub(super) fn stopped_by(self, signal: &str) -> Told {
        self.send(signal);
        self.ended()
    }

    fn ended(mut self) -> Told {
        let mut ended = None;
        until("it does not end", || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        let [stdout, stderr] =
            [&self.stdout, &self.stderr].map(|path| fs::read_to_string(path).unwrap());
        Told {
            code: ended.and_then(|ended| ended.code()),
            stdout,
            stderr,
        }
    }

    /// Ended without a chance to end anything itself.
    pub(super) fn killed(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
