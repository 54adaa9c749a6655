//! A process that `up` starts as a service.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Stdio, exit};
use std::thread;
use std::time::Duration;

/// Listens on `PORT`, answers everything, and ends with its input, but for what `how=` says.
pub(super) fn be_one() {
    let how = std::env::args().find_map(|word| word.strip_prefix("how=").map(str::to_owned));
    let how = how.unwrap_or_default();
    match how.as_str() {
        // It ends with its input, after a while nobody wants to wait for.
        "stubborn" => _ = thread::spawn(|| end_after(Duration::from_secs(20))),
        "deaf" => {}
        "parting" => return leave_a_deaf_one(),
        _ => _ = thread::spawn(|| end_after(Duration::ZERO)),
    }
    if how == "never-ready" {
        thread::sleep(Duration::from_secs(60));
        return;
    }
    let port: u16 = std::env::var("PORT").unwrap().parse().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    for connection in listener.incoming() {
        let mut connection = connection.unwrap();
        let mut lines = BufReader::new(&connection).lines();
        let _ = lines.find(|line| line.as_ref().map_or(true, String::is_empty));
        let answer = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}";
        let _ = connection.write_all(answer.as_bytes());
    }
}

/// Somebody else listens, and stays.
#[allow(
    clippy::zombie_processes,
    reason = "that nobody waits for it is the point"
)]
fn leave_a_deaf_one() {
    let mut words = std::env::args();
    let program = words.next().unwrap();
    let words = words.map(|word| word.replace("how=parting", "how=deaf"));
    let started = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .spawn();
    started.unwrap();
    end_after(Duration::ZERO);
}

fn end_after(pause: Duration) {
    let _ = io::stdin().read_to_end(&mut Vec::new());
    thread::sleep(pause);
    exit(0);
}
