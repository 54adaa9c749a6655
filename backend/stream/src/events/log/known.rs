//! Which events a log has: what is delivered again after a crash, or by a process that was thought dead, is written once.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;

use super::{LogError, file_name, files};

/// How many events are remembered: more than can come again, since a record past which half as many came is a dead letter.
const MOST: usize = 200_000;

/// How much is read at the start, in bytes: of the latest files, however old they are.
const TAIL: u64 = 64 << 20;

/// The latest events of a log, whoever wrote them.
#[derive(Debug, Default)]
pub(super) struct Known {
    ids: HashSet<Arc<str>>,
    oldest_first: VecDeque<Arc<str>>,
    /// The file that was read last, and how far.
    read: Option<(String, u64)>,
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

impl Known {
    pub(super) fn has(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Reads what was written since the last time.
    pub(super) fn catch_up(&mut self, folder: &Path, now: Timestamp) -> Result<(), LogError> {
        let current = file_name(now);
        let unread: Vec<String> = match &self.read {
            Some((name, _)) if *name == current => vec![current],
            Some((first, _)) => {
                let names = files(folder)?.into_keys();
                names
                    .filter(|name| (first..=&current).contains(&name))
                    .collect()
            }
            None => latest(folder, &current)?,
        };
        for name in unread {
            let path = folder.join(&name);
            let from = match &self.read {
                Some((read, to)) if *read == name => Some(*to),
                Some(_) => Some(0),
                None => None,
            };
            match self.read_on(&path, from) {
                Ok(to) => self.read = Some((name, to)),
                // It was too old in the meantime.
                Err(why) if why.kind() == io::ErrorKind::NotFound => {}
                Err(why) => return Err(LogError { path, why }),
            }
        }
        Ok(())
    }

    /// Reads the lines of a file that are whole, from a place or of its end. Says up to where.
    fn read_on(&mut self, path: &Path, from: Option<u64>) -> io::Result<u64> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut to = from.unwrap_or(length.saturating_sub(TAIL));
        if to >= length {
            return Ok(to);
        }
        file.seek(SeekFrom::Start(to))?;
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            to += line.len() as u64;
            if let Ok(Id { id }) = serde_json::from_slice(&line) {
                self.note(id.into());
            }
            line.clear();
        }
        Ok(to)
    }

    fn note(&mut self, id: Arc<str>) {
        if self.ids.insert(Arc::clone(&id)) {
            self.oldest_first.push_back(id);
        }
        if self.oldest_first.len() > MOST
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.ids.remove(&oldest);
        }
    }
}

/// The latest files up to this one, the oldest first: as many as are read at the start.
fn latest(folder: &Path, current: &String) -> Result<Vec<String>, LogError> {
    let names: Vec<String> = files(folder)?.into_keys().collect();
    let (mut latest, mut bytes) = (Vec::new(), 0);
    for name in names.into_iter().rev().filter(|name| name <= current) {
        // The last is always looked at; one that is gone meanwhile has nothing.
        if !latest.is_empty() && bytes >= TAIL {
            break;
        }
        bytes += folder.join(&name).metadata().map_or(0, |file| file.len());
        latest.push(name);
    }
    latest.reverse();
    Ok(latest)
}
