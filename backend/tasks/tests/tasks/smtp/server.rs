//! The mail server, a process of its own.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::Value;

/// Which Python has aiosmtpd.
const PYTHON: &str = "TABLEWRIGHT_TEST_PYTHON";

/// A mail the server took.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) to: String,
    pub(crate) sender: String,
    pub(crate) id: String,
    pub(crate) references: String,
    pub(crate) subject: String,
    /// Whether the mailbox had it already.
    pub(crate) again: bool,
}

/// The server.
pub(crate) struct MailServer {
    child: Child,
    orders: Mutex<ChildStdin>,
    heard: Arc<Heard>,
    pub(crate) port: u16,
}

#[derive(Default)]
struct Heard {
    received: Mutex<Vec<Received>>,
    refused: Mutex<Vec<String>>,
    silent: Mutex<Vec<String>>,
    done: Mutex<usize>,
    more: Condvar,
}

impl MailServer {
    /// On a port; 0 is any.
    pub(crate) fn start(port: u16) -> Self {
        let python = std::env::var(PYTHON).expect("cargo xtask tasks runs this test");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/smtp/server.py");
        let mut child = Command::new(python)
            .args([script, &port.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let orders = Mutex::new(child.stdin.take().unwrap());
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let heard = Arc::<Heard>::default();
        let hearing = Arc::clone(&heard);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                hearing.hear(&serde_json::from_str(&line).unwrap());
            }
        });
        MailServer {
            child,
            orders,
            heard,
            port: u16::try_from(first["port"].as_u64().unwrap()).unwrap(),
        }
    }

    /// Tells it what to do, and waits until it knows.
    pub(crate) fn tell(&self, order: &str) {
        let mut done = self.heard.done.lock().unwrap();
        let before = *done;
        writeln!(self.orders.lock().unwrap(), "{order}").unwrap();
        while *done == before {
            done = self.heard.more.wait(done).unwrap();
        }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.heard.received.lock().unwrap().clone()
    }

    /// How often it has refused a mail to this user.
    pub(crate) fn refused(&self, user: &str) -> usize {
        times(&self.heard.refused, user)
    }

    /// How often it has said nothing to a mail to this user.
    pub(crate) fn silent(&self, user: &str) -> usize {
        times(&self.heard.silent, user)
    }

    /// How many mails to this user it took.
    pub(crate) fn taken(&self, user: &str) -> usize {
        let received = self.heard.received.lock().unwrap();
        let address = format!("{user}@amalitech.com");
        received.iter().filter(|mail| mail.to == address).count()
    }
}

fn times(addresses: &Mutex<Vec<String>>, user: &str) -> usize {
    let address = format!("{user}@amalitech.com");
    let addresses = addresses.lock().unwrap();
    addresses.iter().filter(|one| **one == address).count()
}

impl Heard {
    fn hear(&self, said: &Value) {
        if said.get("done").is_some() {
            *self.done.lock().unwrap() += 1;
            self.more.notify_all();
            return;
        }
        if let Some(address) = said["refused"].as_str() {
            return self.refused.lock().unwrap().push(address.to_owned());
        }
        if let Some(address) = said["silent"].as_str() {
            return self.silent.lock().unwrap().push(address.to_owned());
        }
        let text = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
        self.received.lock().unwrap().push(Received {
            to: text("to"),
            sender: text("sender"),
            id: text("id"),
            references: text("references"),
            subject: text("subject"),
            again: said["again"].as_bool().unwrap(),
        });
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
