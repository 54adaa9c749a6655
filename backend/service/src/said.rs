//! What a command says on the terminal.

use std::fmt;
use std::io::{self, Write as _};

/// Says something on standard output. Whoever has stopped listening, as `head` does, is no reason to break.
pub fn say(text: impl fmt::Display) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
