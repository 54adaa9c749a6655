//! A server that says where it listens, and ends with the value that holds it.

use std::io::{self, BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};

/// So long a server may take until it says where it listens.
const UNTIL_IT_LISTENS: Duration = Duration::from_secs(60);

/// A program that prints its address. Its input stays open as long as this process lives, so that it can end when this process is killed.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let name = format!("{command:?}");
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| name.clone())?;
        let mut server = Server {
            child,
            url: String::new(),
        };
        let stdout = server.child.stdout.take().context("it has an output")?;
        let (send, receive) = mpsc::channel();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut line = String::new();
            let _ = stdout.read_line(&mut line);
            let _ = send.send(line);
            // What nobody reads would stop the server when the pipe is full.
            let _ = io::copy(&mut stdout, &mut io::sink());
        });
        let line = receive.recv_timeout(UNTIL_IT_LISTENS).unwrap_or_default();
        let url = line
            .split([' ', ',', '\n'])
            .find(|word| word.starts_with("http://"));
        match url {
            Some(url) => server.url = url.to_owned(),
            None => bail!("{name} did not say where it listens"),
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
