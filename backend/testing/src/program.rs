//! The program itself, as a process of its own.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tablewright_service::{DevelopmentIssuer, Person};

use crate::Caller;

/// A program that serves. It is killed with this value.
#[derive(Debug)]
pub struct Program {
    child: Child,
    address: String,
}

impl Program {
    /// An executable, as `env!("CARGO_BIN_EXE_todo")`, on the tables in a folder and at a port that is free.
    pub fn command(executable: &str, folder: &Path) -> Command {
        let mut command = Command::new(executable);
        command
            .env(
                "TABLEWRIGHT_ENDPOINT",
                format!("embedded:{}", folder.display()),
            )
            .env("TABLEWRIGHT_RATE", "0")
            .env("TABLEWRIGHT_LOG_FORMAT", "json")
            .env("PORT", "0")
            .current_dir(folder);
        command
    }

    /// Starts it, and waits until it says where it is.
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert!(
                log.read_line(&mut line).unwrap() > 0,
                "it ended before it served"
            );
            if let Some((_, rest)) = line.split_once("http://127.0.0.1:") {
                let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
                break format!("http://127.0.0.1:{port}");
            }
        };
        // What it logs from now on must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Program { child, address }
    }

    /// Somebody whom the issuer in the folder knows.
    pub fn caller(&self, folder: &Path, sub: &str) -> Caller {
        let person = Person {
            sub: sub.to_owned(),
            ..Person::default()
        };
        let issuer = DevelopmentIssuer::open(folder).unwrap();
        let token = Some(issuer.token(&person, Duration::from_secs(3600)));
        Caller::new(&self.address).bearing(token)
    }

    /// Ends it as a loss of power would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    /// A test that fails leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
