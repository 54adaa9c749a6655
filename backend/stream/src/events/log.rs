//! A sink: files on this machine, a line an event, from which they can be told again.

mod known;
mod writer;

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, vec};

use jiff::{SignedDuration, Timestamp};

use super::event::Event;
use super::publisher::Sink;
use super::together::Together;
use crate::handler::Failure;
use writer::{Line, Writer};

/// How many lines are written at once.
const MOST: usize = 256;

const ENDING: &str = ".jsonl";

/// A folder with a file for each hour. An event is there for good before it counts as delivered, and once, also when it is delivered again after a crash or by another process; files
/// are deleted when they are older than is kept.
#[derive(Debug)]
pub struct EventLog {
    together: Together<Line>,
}

/// Why a log cannot be used.
#[derive(Debug)]
pub struct LogError {
    /// The file or folder.
    pub path: PathBuf,
    /// Why.
    pub why: io::Error,
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the log of events {}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for LogError {}

impl EventLog {
    /// Writes to a folder, which is made if it is not there, and keeps events for so long.
    ///
    /// # Errors
    /// [`LogError`] when the folder cannot be made.
    pub fn open(folder: impl Into<PathBuf>, keep: Duration) -> Result<Self, LogError> {
        let folder = folder.into();
        fs::create_dir_all(&folder).map_err(|why| LogError {
            path: folder.clone(),
            why,
        })?;
        let writer = Arc::new(Mutex::new(Writer::new(folder, keep)));
        let write = move |lines: Vec<Line>| {
            let writer = Arc::clone(&writer);
            async move {
                let written = tokio::task::spawn_blocking(move || {
                    let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
                    let result = writer.write(&lines, Timestamp::now());
                    let result = result.map_err(|error| Failure::World(error.to_string()));
                    vec![result; lines.len()]
                });
                // Without results, whoever waits hears that it was not answered.
                written.await.unwrap_or_default()
            }
        };
        Ok(EventLog {
            together: Together::new(MOST, write),
        })
    }

    /// The events of a folder that happened in a span of time, in the order in which they were written, each once.
    ///
    /// # Errors
    /// [`LogError`] when the folder cannot be read; one that is not there has no events.
    pub fn read(folder: &Path, from: Timestamp, until: Timestamp) -> Result<Logged, LogError> {
        let files = files(folder)?;
        // What happened in an hour was written in it or later.
        let first = file_name(from - SignedDuration::from_hours(1));
        let files: Vec<PathBuf> = files
            .into_iter()
            .filter(|(name, _)| *name >= first)
            .map(|(_, path)| path)
            .collect();
        Ok(Logged {
            files: files.into_iter(),
            lines: None,
            span: (from, until),
            told: HashSet::new(),
        })
    }
}

impl Sink for EventLog {
    async fn deliver(&self, event: &Event) -> Result<(), Failure> {
        let line = Line {
            id: event.id.clone(),
            text: event.to_json() + "\n",
        };
        self.together.one(line).await
    }
}

/// Events of a log, one after another.
#[derive(Debug)]
pub struct Logged {
    files: vec::IntoIter<PathBuf>,
    lines: Option<(PathBuf, BufReader<File>)>,
    span: (Timestamp, Timestamp),
    told: HashSet<String>,
}

impl Iterator for Logged {
    type Item = Result<Event, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some((path, lines)) = &mut self.lines else {
                let path = self.files.next()?;
                match File::open(&path) {
                    Ok(file) => self.lines = Some((path, BufReader::new(file))),
                    // It was too old in the meantime.
                    Err(why) if why.kind() == io::ErrorKind::NotFound => {}
                    Err(why) => return Some(Err(LogError { path, why })),
                }
                continue;
            };
            let mut line = Vec::new();
            match lines.read_until(b'\n', &mut line) {
                Ok(0) => self.lines = None,
                Ok(_) => {
                    // A line that was begun when the machine went down was never counted as delivered: its event comes again.
                    let Ok(event) = serde_json::from_slice::<Event>(&line) else {
                        continue;
                    };
                    let (from, until) = self.span;
                    if (from..until).contains(&event.time) && self.told.insert(event.id.clone()) {
                        return Some(Ok(event));
                    }
                }
                Err(why) => {
                    let path = path.clone();
                    self.lines = None;
                    return Some(Err(LogError { path, why }));
                }
            }
        }
    }
}

/// The name of the file for what is written at a moment.
fn file_name(moment: Timestamp) -> String {
    format!("{}{ENDING}", moment.strftime("%Y-%m-%dT%H"))
}

/// The files of a log by name, which is by time.
fn files(folder: &Path) -> Result<BTreeMap<String, PathBuf>, LogError> {
    let failed = |why| LogError {
        path: folder.to_owned(),
        why,
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(why) => return Err(failed(why)),
    };
    let mut files = BTreeMap::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.len() == "2026-03-01T12".len() + ENDING.len() && name.ends_with(ENDING) {
            files.insert(name, entry.path());
        }
    }
    Ok(files)
}
