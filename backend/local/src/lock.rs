//! One process a data directory: two would corrupt the indexes.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// The file in the data directory that is locked, and that says by whom.
const FILE: &str = "lock";

/// A lock that is let go of may be held for a moment by a program that is just being started: it has what its parent had open until it runs.
const LOOKS: usize = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(25);

/// Who has a data directory open, as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holder {
    /// The process.
    pub pid: Option<u32>,
    /// The name of its program.
    pub command: Option<String>,
    /// Since when, in UTC.
    pub since: Option<String>,
}

impl Holder {
    fn this_process() -> Self {
        let program = std::env::current_exe().ok();
        let name = program.as_deref().and_then(Path::file_name);
        Holder {
            pid: Some(std::process::id()),
            command: name.map(|name| name.to_string_lossy().into_owned()),
            since: Some(format!("{:.0}", jiff::Timestamp::now())),
        }
    }

    /// What the holder wrote. It may be in the middle of writing, so that every line is optional.
    fn read(file: &mut File) -> Self {
        let mut text = String::new();
        // Where the system keeps others from reading a locked file, the holder stays unknown.
        let _ = file.read_to_string(&mut text);
        let value = |key: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once(": "));
            lines
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value.to_owned())
        };
        Holder {
            pid: value("pid").and_then(|pid| pid.parse().ok()),
            command: value("command"),
            since: value("since"),
        }
    }

    fn write(&self, file: &mut File) -> io::Result<()> {
        let pid = self.pid.unwrap_or_default();
        let command = self.command.as_deref().unwrap_or_default();
        let since = self.since.as_deref().unwrap_or_default();
        file.set_len(0)?;
        file.rewind()?;
        write!(file, "pid: {pid}\ncommand: {command}\nsince: {since}\n")?;
        file.flush()
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pid, &self.command) {
            (Some(pid), _) if pid == std::process::id() => write!(f, "this process ({pid})")?,
            (Some(pid), Some(command)) => write!(f, "{command} (process {pid})")?,
            (Some(pid), None) => write!(f, "process {pid}")?,
            (None, _) => write!(f, "another process")?,
        }
        match &self.since {
            Some(since) => write!(f, ", since {since}"),
            None => Ok(()),
        }
    }
}

/// Why a directory could not be locked.
#[derive(Debug)]
pub(crate) enum LockError {
    Held(Holder),
    Io(io::Error),
}

/// Holds the directory until it is dropped, or the process ends in whatever way: the system releases the lock, and what
/// is written in the file is only what to tell others.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    pub(crate) fn take(directory: &Path) -> Result<Self, LockError> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(directory.join(FILE))
            .map_err(LockError::Io)?;
        let mut looks = 0;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if looks < LOOKS => {
                    looks += 1;
                    thread::sleep(BETWEEN_LOOKS);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Held(Holder::read(&mut file)));
                }
                Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
            }
        }
        Holder::this_process()
            .write(&mut file)
            .map_err(LockError::Io)?;
        Ok(DirectoryLock { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_told_as_far_as_it_is_known() {
        let holder = |pid, command: Option<&str>, since: Option<&str>| {
            let (command, since) = (command.map(String::from), since.map(String::from));
            Holder {
                pid,
                command,
                since,
            }
            .to_string()
        };
        assert_eq!(holder(None, None, None), "another process");
        assert_eq!(
            holder(Some(1), Some("todo"), Some("2026-01-02T03:04:05Z")),
            "todo (process 1), since 2026-01-02T03:04:05Z"
        );
        assert!(holder(Some(std::process::id()), None, None).starts_with("this process"));
    }
}
