//! A mail server that takes no mail now: every mailbox is full.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// One that runs as long as the program.
pub(crate) struct FullMailbox {
    /// Where it is, for the setting `smtp_url`.
    pub(crate) url: String,
    refused: Arc<AtomicUsize>,
}

impl FullMailbox {
    pub(crate) fn start() -> anyhow::Result<FullMailbox> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("smtp://{}", listener.local_addr()?);
        let refused = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&refused);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counted = Arc::clone(&counted);
                // Whoever goes away is served no more.
                thread::spawn(move || drop(serve(stream, &counted)));
            }
        });
        Ok(FullMailbox { url, refused })
    }

    /// How often a mail was refused.
    pub(crate) fn refused(&self) -> usize {
        self.refused.load(Ordering::SeqCst)
    }
}

fn serve(stream: TcpStream, refused: &AtomicUsize) -> std::io::Result<()> {
    let mut told = stream.try_clone()?;
    told.write_all(b"220 here\r\n")?;
    for line in BufReader::new(stream).lines() {
        let line = line?.to_ascii_uppercase();
        let answer = match line.split([' ', ':']).next() {
            Some("RCPT") => {
                refused.fetch_add(1, Ordering::SeqCst);
                "452 4.2.2 the mailbox is full"
            }
            Some("QUIT") => "221 bye",
            _ => "250 ok",
        };
        told.write_all(format!("{answer}\r\n").as_bytes())?;
    }
    Ok(())
}
