//! Who writes the files of a log.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::known::Known;
use super::{LogError, file_name, files};

/// Who writes the files.
#[derive(Debug)]
pub(super) struct Writer {
    folder: PathBuf,
    keep: Duration,
    open: Option<(String, File)>,
    known: Known,
}

/// An event as it is written down.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) id: String,
    pub(super) text: String,
}

impl Writer {
    pub(super) fn new(folder: PathBuf, keep: Duration) -> Self {
        Writer {
            folder,
            keep,
            open: None,
            known: Known::default(),
        }
    }

    /// Writes down those that are not there yet. When it returns all are there for good.
    pub(super) fn write(&mut self, lines: &[Line], now: Timestamp) -> Result<(), LogError> {
        let name = file_name(now);
        let path = self.folder.join(&name);
        let failed = |why| LogError {
            path: path.clone(),
            why,
        };
        let mut file = match self.open.take() {
            Some((open, file)) if open == name => file,
            _ => {
                self.forget(now)?;
                begin(&path).map_err(failed)?
            }
        };
        self.known.catch_up(&self.folder, now)?;
        let mut text = String::new();
        let mut written = HashSet::new();
        for line in lines {
            if !self.known.has(&line.id) && written.insert(line.id.as_str()) {
                text.push_str(&line.text);
            }
        }
        // A file that failed is opened anew. What another has written of a line, and no more, is ended.
        on_a_line_of_its_own(&mut file).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        // Also what somebody else wrote who may have died before this.
        file.sync_data().map_err(failed)?;
        self.open = Some((name, file));
        Ok(())
    }

    /// Deletes what is older than is kept.
    fn forget(&self, now: Timestamp) -> Result<(), LogError> {
        let keep = SignedDuration::try_from(self.keep).unwrap_or(SignedDuration::MAX);
        let hour = SignedDuration::from_hours(1);
        let Some(oldest) = keep
            .checked_add(hour)
            .and_then(|age| now.checked_sub(age).ok())
        else {
            return Ok(());
        };
        let oldest = file_name(oldest);
        for (name, path) in files(&self.folder)? {
            if name < oldest {
                match fs::remove_file(&path) {
                    Ok(()) => {}
                    // Another process was faster.
                    Err(why) if why.kind() == io::ErrorKind::NotFound => {}
                    Err(why) => return Err(LogError { path, why }),
                }
            }
        }
        Ok(())
    }
}

/// Opens a file to write at its end.
fn begin(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)
}

/// Ends the last line of a file, where it has no end.
fn on_a_line_of_its_own(file: &mut File) -> io::Result<()> {
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    match &last {
        b"\n" => Ok(()),
        _ => file.write_all(b"\n"),
    }
}
