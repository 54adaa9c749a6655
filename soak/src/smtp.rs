//! A mail server on loopback that is away, slow, unwilling and forgetful, and writes down what it took.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::dice::Dice;
use crate::lock;

/// How often it looks whether it is to be away.
const LOOK: Duration = Duration::from_millis(50);

/// How often it does not take one mail, at most. The task manager waits longer each time, and after the third a minute.
const UNWILLING: u32 = 2;

/// A mail it took.
#[derive(Debug, Clone)]
pub(crate) struct Taken {
    /// Its `Message-ID`.
    pub(crate) id: String,
    /// When.
    pub(crate) at: Instant,
    /// Whether it meant to say so.
    pub(crate) told: bool,
}

/// The server. It ends with this value.
#[derive(Debug)]
pub(crate) struct MailServer {
    /// Where it listens, as `smtp://127.0.0.1:2525`.
    pub(crate) url: String,
    desk: Arc<Desk>,
}

#[derive(Debug)]
struct Desk {
    port: u16,
    away: AtomicBool,
    over: AtomicBool,
    kind: AtomicBool,
    dice: Mutex<Dice>,
    taken: Mutex<Vec<Taken>>,
    refusals: Mutex<HashMap<String, u32>>,
    unwilling: AtomicU64,
}

/// What becomes of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Take,
    Slow(u64),
    /// Not now.
    Later,
    /// The line ends, and it was not taken.
    Drop,
    /// It is taken, and the line ends.
    Silent,
}

impl MailServer {
    pub(crate) fn start(seed: u64) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let desk = Arc::new(Desk {
            port,
            away: AtomicBool::new(false),
            over: AtomicBool::new(false),
            kind: AtomicBool::new(true),
            dice: Mutex::new(Dice::of(seed, "smtp")),
            taken: Mutex::default(),
            refusals: Mutex::default(),
            unwilling: AtomicU64::new(0),
        });
        let listening = Arc::clone(&desk);
        std::thread::spawn(move || listening.listen(Some(listener)));
        Ok(MailServer {
            url: format!("smtp://127.0.0.1:{port}"),
            desk,
        })
    }

    /// Nobody listens, and whoever is connected no longer is.
    pub(crate) fn go_away(&self, away: bool) {
        self.desk.away.store(away, Ordering::SeqCst);
    }

    /// Whether it takes everything at once.
    pub(crate) fn be_kind(&self, kind: bool) {
        self.desk.kind.store(kind, Ordering::SeqCst);
    }

    /// The mails it took, in their order.
    pub(crate) fn taken(&self) -> Vec<Taken> {
        lock(&self.desk.taken).clone()
    }

    /// How often it did not take one, or did not say so.
    pub(crate) fn unwilling(&self) -> u64 {
        self.desk.unwilling.load(Ordering::SeqCst)
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.desk.over.store(true, Ordering::SeqCst);
    }
}

impl Desk {
    fn listen(self: Arc<Self>, mut listener: Option<TcpListener>) {
        while !self.over.load(Ordering::SeqCst) {
            if self.away.load(Ordering::SeqCst) {
                listener = None;
            } else if listener.is_none() {
                listener = TcpListener::bind(("127.0.0.1", self.port)).ok();
            }
            let accepted = listener.as_ref().and_then(|listener| {
                listener.set_nonblocking(true).ok()?;
                listener.accept().ok()
            });
            let Some((connection, _)) = accepted else {
                std::thread::sleep(LOOK);
                continue;
            };
            let desk = Arc::clone(&self);
            // Whoever hangs up is of no interest.
            std::thread::spawn(move || desk.talk(connection).ok());
        }
    }

    fn talk(&self, mut connection: TcpStream) -> io::Result<()> {
        connection.set_nonblocking(false)?;
        connection.set_nodelay(true)?;
        connection.set_read_timeout(Some(LOOK))?;
        let mut lines = BufReader::new(connection.try_clone()?);
        let mut say = move |line: &str| connection.write_all(format!("{line}\r\n").as_bytes());
        say("220 localhost ESMTP")?;
        loop {
            let line = self.line(&mut lines)?;
            let command: String = line.chars().take(4).collect();
            match command.to_ascii_uppercase().as_str() {
                "EHLO" | "HELO" => say("250 localhost")?,
                "MAIL" | "RCPT" | "RSET" | "NOOP" => say("250 OK")?,
                "DATA" => {
                    say("354 go on")?;
                    let id = self.mail(&mut lines)?;
                    match self.mood_for(&id) {
                        Mood::Take => {
                            self.take(&id, true);
                            say("250 OK")?;
                        }
                        Mood::Slow(milliseconds) => {
                            self.take(&id, true);
                            std::thread::sleep(Duration::from_millis(milliseconds));
                            say("250 OK")?;
                        }
                        Mood::Later => say("451 4.7.1 not now")?,
                        Mood::Drop => return Ok(()),
                        Mood::Silent => {
                            self.take(&id, false);
                            return Ok(());
                        }
                    }
                }
                "QUIT" => return say("221 bye"),
                _ => say("502 5.5.1 not known")?,
            }
        }
    }

    /// A line; an error when the server is to be away.
    fn line(&self, lines: &mut BufReader<TcpStream>) -> io::Result<String> {
        let mut line = Vec::new();
        loop {
            match lines.read_until(b'\n', &mut line) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(_) if line.ends_with(b"\n") => {
                    let line = String::from_utf8_lossy(&line);
                    return Ok(line.trim_end_matches(['\r', '\n']).to_owned());
                }
                Ok(_) => {}
                Err(why) if matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(why) => return Err(why),
            }
            if self.away.load(Ordering::SeqCst) || self.over.load(Ordering::SeqCst) {
                return Err(ErrorKind::ConnectionAborted.into());
            }
        }
    }

    /// Reads a mail to its end; gives what it is known by.
    fn mail(&self, lines: &mut BufReader<TcpStream>) -> io::Result<String> {
        let mut headers = Vec::new();
        let mut is_head = true;
        loop {
            let line = self.line(lines)?;
            match line.as_str() {
                "." => return Ok(id_of(&headers)),
                "" => is_head = false,
                _ if is_head => headers.push(line),
                _ => {}
            }
        }
    }

    fn mood_for(&self, id: &str) -> Mood {
        if self.kind.load(Ordering::SeqCst) {
            return Mood::Take;
        }
        let (side, milliseconds) = {
            let mut dice = lock(&self.dice);
            (dice.below(100), dice.between(50, 2500))
        };
        let mood = match side {
            0..6 => Mood::Later,
            6..10 => Mood::Drop,
            10..14 => Mood::Silent,
            14..40 => Mood::Slow(milliseconds),
            _ => Mood::Take,
        };
        if matches!(mood, Mood::Later | Mood::Drop | Mood::Silent) {
            let mut refusals = lock(&self.refusals);
            let times = refusals.entry(id.to_owned()).or_default();
            if *times >= UNWILLING {
                return Mood::Take;
            }
            *times += 1;
            self.unwilling.fetch_add(1, Ordering::SeqCst);
        }
        mood
    }

    fn take(&self, id: &str, told: bool) {
        lock(&self.taken).push(Taken {
            id: id.to_owned(),
            at: Instant::now(),
            told,
        });
    }
}

/// The `Message-ID` of these headers, of which long ones go on in the next line.
fn id_of(headers: &[String]) -> String {
    let mut id: Option<String> = None;
    for line in headers {
        match &mut id {
            Some(id) if line.starts_with([' ', '\t']) => id.push_str(line.trim()),
            Some(_) => break,
            None => {
                let (name, value) = line.split_once(':').unwrap_or((line, ""));
                if name.eq_ignore_ascii_case("message-id") {
                    id = Some(value.trim().to_owned());
                }
            }
        }
    }
    id.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_header_goes_on_in_the_next_line() {
        let headers = ["From: a", "Message-ID:", " <1.Assigned.ada@b>", "To: c"].map(String::from);
        assert_eq!(id_of(&headers), "<1.Assigned.ada@b>");
        assert_eq!(id_of(&["message-id: <2>".into()]), "<2>");
        assert_eq!(id_of(&["To: c".into()]), "");
    }

    #[test]
    fn a_mail_is_taken_and_a_server_that_is_away_takes_none() {
        let server = MailServer::start(1).unwrap();
        let address = server.url.trim_start_matches("smtp://").to_owned();
        let connection = TcpStream::connect(&address).unwrap();
        let mut lines = BufReader::new(connection.try_clone().unwrap()).lines();
        let mut ask = |text: &str, code: &str| {
            (&connection).write_all(text.as_bytes()).unwrap();
            let answer = lines.next().unwrap().unwrap();
            assert!(answer.starts_with(code), "{text}: {answer}");
        };
        ask("", "220");
        ask("EHLO me\r\n", "250");
        ask("MAIL FROM:<a@b>\r\n", "250");
        ask("RCPT TO:<c@d>\r\n", "250");
        ask("DATA\r\n", "354");
        ask("Message-ID: <1@b>\r\n\r\nMessage-ID: no\r\n.\r\n", "250");
        assert_eq!(server.taken()[0].id, "<1@b>");
        server.go_away(true);
        while TcpStream::connect(&address).is_ok() {
            std::thread::sleep(LOOK);
        }
        assert!(lines.next().is_none_or(|line| line.is_err()), "it hung up");
    }

    #[test]
    fn nobody_is_refused_for_ever() {
        let server = MailServer::start(5).unwrap();
        server.be_kind(false);
        let moods = || (0..500).map(|_| server.desk.mood_for("<1>"));
        let is_refusal = |mood: &Mood| matches!(mood, Mood::Later | Mood::Drop | Mood::Silent);
        assert_eq!(moods().filter(is_refusal).count(), UNWILLING as usize);
        assert_eq!(server.unwilling(), u64::from(UNWILLING));
    }
}
