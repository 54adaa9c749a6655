//! Where answers go: colours only where they are welcome, and a reader that stops reading is no error.

use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};
use tablewright_check::report::Style;

use crate::arguments::Color;
use crate::error::Failure;

/// Standard output, and standard error for failures.
pub(crate) struct Output {
    style: Style,
}

impl Output {
    pub(crate) fn new(color: Color) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        choice.write_global();
        let stdout = io::stdout();
        let mut style = Style {
            color: AutoStream::choice(&stdout) != ColorChoice::Never,
            ..Style::default()
        };
        if stdout.is_terminal()
            && let Some((width, _)) = terminal_size::terminal_size()
        {
            style.width = usize::from(width.0).max(40);
        }
        Output { style }
    }

    /// How findings are to look.
    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// The text in bold, where there is colour.
    pub(crate) fn bold(&self, text: &str) -> String {
        if self.style.color {
            format!("\u{1b}[1m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// Writes to standard output. A reader that has gone away (`| head`) has what it wanted.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Failure> {
        let mut stdout = anstream::stdout();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        match written {
            Err(why) if why.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(why)),
            _ => Ok(()),
        }
    }

    /// Writes to standard error, where the answer itself goes to standard output.
    pub(crate) fn print_beside(&mut self, text: &str) {
        // Where even this cannot be written there is nobody to tell.
        let _ = anstream::stderr().write_all(text.as_bytes());
    }

    /// Says on standard error why the command could not run, and what to do.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        let color = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
        let paint = |word: &str, code: &str| {
            if color {
                format!("\u{1b}[1m\u{1b}[{code}m{word}\u{1b}[0m")
            } else {
                word.to_owned()
            }
        };
        let mut text = format!("{}: {failure}\n", paint("error", "91"));
        if let Some(hint) = failure.hint() {
            text.push_str(&format!("{}: {hint}\n", paint("hint", "96")));
        }
        self.print_beside(&text);
    }
}
