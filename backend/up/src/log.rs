//! The log of a service, a file.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// How much of a log is shown.
const SHOWN: i64 = 16 * 1024;

/// Where the log of a service is.
pub(crate) fn path(data: &Path, service: &str) -> PathBuf {
    data.join("logs").join(format!("{service}.log"))
}

/// The log, begun anew: the one before is kept beside it.
pub(crate) fn begin(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::rename(path, path.with_extension("log.before")) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => Err(why),
        _ => Ok(()),
    }
}

/// The log, to be written further.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    fs::OpenOptions::new().create(true).append(true).open(path)
}

/// What a program said last, without the frames of a backtrace: they are no reason.
pub(crate) fn last_words(path: &Path, lines: usize) -> io::Result<String> {
    let said = last_lines(path, usize::MAX)?;
    let mut in_frames = false;
    let mut is_said = |line: &&str| {
        let is_frame = line.starts_with(' ') || line.is_empty();
        let begins = line.to_lowercase().starts_with("stack backtrace:");
        in_frames = begins || (in_frames && is_frame);
        !in_frames
    };
    let said: Vec<&str> = said.lines().filter(|line| is_said(line)).collect();
    let last = said[said.len().saturating_sub(lines)..].join("\n");
    Ok(last.trim_end().to_owned())
}

/// Its last lines, as many as there are in its last part.
pub(crate) fn last_lines(path: &Path, lines: usize) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = i64::try_from(file.metadata()?.len()).unwrap_or(i64::MAX);
    file.seek(SeekFrom::End(-length.min(SHOWN)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let all: Vec<&str> = text.lines().collect();
    Ok(all[all.len().saturating_sub(lines)..].join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_are_no_backtrace() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), "a");
        begin(&path).unwrap();
        let reason = "Error: no tables\n\nCaused by:\n    0: no connection\n    1: at that port nobody listens\n";
        let frames = "Stack backtrace:\n   0: a::b\n             at ./src/a.rs:1:2\n  12: main\n";
        fs::write(&path, format!("{reason}\n{frames}it ends\n")).unwrap();
        let expected = format!("{reason}\nit ends");
        assert_eq!(last_words(&path, 20).unwrap(), expected);
        fs::write(&path, format!("{reason}\n{frames}")).unwrap();
        assert_eq!(last_words(&path, 20).unwrap(), reason.trim_end());
    }

    #[test]
    fn a_log_shows_its_end_and_keeps_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), "a");
        begin(&path).unwrap();
        let long = "x".repeat(40_000);
        fs::write(&path, format!("{long}\none\ntwo\nthree\n")).unwrap();
        assert_eq!(last_lines(&path, 2).unwrap(), "two\nthree");
        assert!(last_lines(&path, 100).unwrap().len() <= 16 * 1024);
        begin(&path).unwrap();
        assert!(!path.exists());
        assert!(folder.path().join("logs/a.log.before").exists());
    }
}
