//! The items of an export, some at a time: however large it is, a few pieces of one file are in memory.

use std::io::{self, BufRead as _, BufReader, Read};

use bytes::{Buf as _, Bytes};
use flate2::read::MultiGzDecoder;
use object_store::{GetOptions, ObjectStore};
use serde_json::Value;
use tablewright::Item;
use tablewright_stream::image_of_json;
use tokio::sync::mpsc;

use super::{Export, Part};
use crate::error::LakeError;

/// How much of a file is asked for at once, and how many such pieces wait to be read.
const PIECE: u64 = 4 << 20;
const AHEAD: usize = 2;

/// How many items are told at once, and how many bytes of JSON they are.
const MANY: usize = 1000;
const BYTES: usize = 4 << 20;

/// No item is longer in JSON: it has 400 KB, of which each byte becomes six letters at most.
const LONGEST: u64 = 8 << 20;

impl Export {
    /// Goes through all items, some at a time. What sees them has something of its own, which is given back.
    ///
    /// # Errors
    /// [`LakeError::Export`] when a file is not whole, or is not what the manifest says; what `see` has.
    pub(crate) async fn each_items<T: Send + 'static>(
        &self,
        own: T,
        see: impl Fn(T, Vec<Item>) -> Result<T, LakeError> + Clone + Send + 'static,
    ) -> Result<T, LakeError> {
        let mut own = own;
        for part in &self.parts {
            let (give, coming) = mpsc::channel(AHEAD);
            let now = Bytes::new();
            let reading = Reading {
                pieces: Pieces { coming, now },
                named: self.named.clone(),
                part: part.clone(),
            };
            let see = see.clone();
            let read = tokio::task::spawn_blocking(move || reading.each(own, see));
            let ((), read) = tokio::join!(fetch(&*self.files, part, give), read);
            own = read??;
        }
        Ok(own)
    }
}

/// Gives the bytes of a file, piece by piece, until all are given or nobody wants more.
async fn fetch(
    files: &dyn ObjectStore,
    part: &Part,
    give: mpsc::Sender<Result<Bytes, object_store::Error>>,
) {
    let mut from = 0;
    while from < part.bytes {
        let until = (from + PIECE).min(part.bytes);
        let options = GetOptions::new().with_range(Some(from..until));
        let options = options.with_if_match(part.version.clone());
        let piece = async { files.get_opts(&part.path, options).await?.bytes().await };
        let piece = piece.await;
        let is_last = piece.is_err();
        if give.send(piece).await.is_err() || is_last {
            return;
        }
        from = until;
    }
}

/// The bytes of a file that somebody fetches.
struct Pieces {
    coming: mpsc::Receiver<Result<Bytes, object_store::Error>>,
    now: Bytes,
}

impl Read for Pieces {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.now.is_empty() {
            match self.coming.blocking_recv() {
                None => return Ok(0),
                Some(piece) => self.now = piece.map_err(io::Error::other)?,
            }
        }
        let many = to.len().min(self.now.len());
        self.now.copy_to_slice(&mut to[..many]);
        Ok(many)
    }
}

/// A file while it is read.
struct Reading {
    pieces: Pieces,
    named: String,
    part: Part,
}

impl Reading {
    fn each<T>(
        self,
        mut own: T,
        see: impl Fn(T, Vec<Item>) -> Result<T, LakeError>,
    ) -> Result<T, LakeError> {
        let Part {
            path, bytes, items, ..
        } = self.part;
        let no = |why: String| LakeError::export(&self.named, format!("{path} {why}"));
        let mut lines = BufReader::new(MultiGzDecoder::new(self.pieces));
        let (mut line, mut number) = (Vec::new(), 0);
        let (mut some, mut weight) = (Vec::new(), 0);
        // The file of a partition without items may be empty, and is then no gzip.
        if bytes == 0 && items == 0 {
            return Ok(own);
        }
        loop {
            line.clear();
            let read = (&mut lines).take(LONGEST).read_until(b'\n', &mut line);
            if read.map_err(|error| no(why_unread(&error)))? == 0 {
                break;
            }
            number += 1;
            some.push(item(&line).map_err(|why| no(format!("has in line {number} {why}")))?);
            weight += line.len();
            if some.len() >= MANY || weight >= BYTES {
                own = see(own, std::mem::take(&mut some))?;
                weight = 0;
            }
        }
        if number != items {
            return Err(no(format!(
                "has {number} items, and its manifest says {items}: copy it again"
            )));
        }
        see(own, some)
    }
}

fn why_unread(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => String::from("ends too early: copy it again"),
        _ => format!("cannot be read: {error}"),
    }
}

/// An item, by its line: `{"Item":{"title":{"S":"buy milk"}}}`.
fn item(line: &[u8]) -> Result<Item, String> {
    let value: Value = serde_json::from_slice(line).map_err(|error| format!("no JSON: {error}"))?;
    let item = value.get("Item");
    let item = item.ok_or_else(|| String::from("no `Item`, as a full export has"))?;
    image_of_json(item).map_err(|error| format!("no item: {error}"))
}
