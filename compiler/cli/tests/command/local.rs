//! `tablewright local`: what it says, and how it ends.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use insta::assert_snapshot;

use crate::sandbox::Sandbox;

/// A server on a free port; it is killed with this value.
pub(crate) struct Server {
    child: Child,
    first_line: String,
}

impl Server {
    pub(crate) fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut child = sandbox
            .command(&["local", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first_line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut first_line).unwrap();
        Server { child, first_line }
    }

    pub(crate) fn port(&self) -> &str {
        let (_, rest) = self.first_line.split_once("127.0.0.1:").unwrap();
        rest.split_once(',').unwrap().0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn help_that_says_what_to_expect() {
    assert_snapshot!(Sandbox::new().run(&["local", "-h"]));
}

#[test]
fn a_folder_in_use_and_a_port_in_use_are_told() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    assert!(
        server.first_line.ends_with("its data in .tablewright\n"),
        "{}",
        server.first_line
    );

    let held = sandbox.run(&["local", "--port", "0"]);
    let pid = format!("tablewright (process {})", server.child.id());
    assert!(held.starts_with("exit 2\n"), "{held}");
    assert!(
        held.contains(&format!(".tablewright is in use by {pid}, since ")),
        "{held}"
    );
    assert!(held.contains("hint: "), "{held}");

    let taken = sandbox.run(&["local", "--data", "other", "--port", server.port()]);
    assert!(taken.starts_with("exit 2\n"), "{taken}");
    assert!(
        taken.contains(&format!("127.0.0.1:{} is in use", server.port())),
        "{taken}"
    );
    assert!(!sandbox.path("other").exists());
}

#[test]
fn temporary_data_and_a_folder_exclude_each_other() {
    let told = Sandbox::new().run(&["local", "--temporary", "--data", "here"]);
    assert!(told.starts_with("exit 2\n"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_cleanly() {
    for signal in ["-INT", "-TERM"] {
        let sandbox = Sandbox::new();
        let mut server = Server::start(&sandbox, &["--temporary"]);
        let pid = server.child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(sent.success());
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
        assert!(!sandbox.path(".tablewright").exists());
    }
}
