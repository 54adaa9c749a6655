//! Records that could not be handled: kept, listed, tried again.

use serde_json::json;
use tablewright::{Error, Query, Store};

use crate::model::{
    DeadLetter, DeadLetterKey, DeadLetterPart, DeadLetterPartKey, Replay, ReplayKey, Stream,
};
use crate::record::{NotARecord, Record, Unreadable};

/// How many bytes of a record are in one item, which holds 400 KB.
const PART: usize = 300_000;

/// How much of an error is kept.
const LONGEST_ERROR: usize = 2000;

/// Records that could not be handled.
#[derive(Debug, Clone)]
pub struct DeadLetters {
    stream: Stream,
}

/// Why a dead letter cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub enum NotFound {
    /// There is none with this id.
    NoLetter,
    /// It is there, and its record cannot be read.
    Unreadable(NotARecord),
    /// The table cannot be read.
    Store(Error),
}

impl std::fmt::Display for NotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotFound::NoLetter => f.write_str("there is no such dead letter"),
            NotFound::Unreadable(why) => why.fmt(f),
            NotFound::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotFound {}

impl From<Error> for NotFound {
    fn from(error: Error) -> Self {
        NotFound::Store(error)
    }
}

impl DeadLetters {
    /// Those in a store.
    pub fn new(store: &Store) -> Self {
        DeadLetters {
            stream: Stream::new(store),
        }
    }

    /// What a consumer could not handle.
    pub fn of(&self, consumer: &str) -> Query<DeadLetter> {
        self.stream.dead_letters.dead_letters(consumer)
    }

    /// The record of a dead letter.
    ///
    /// # Errors
    /// [`NotFound`]
    pub async fn record(&self, consumer: &str, event_id: &str) -> Result<Record, NotFound> {
        let letter = self.stream.dead_letters.dead_letter(consumer, event_id);
        let letter = letter.await?.ok_or(NotFound::NoLetter)?;
        let parts = self
            .stream
            .dead_letter_parts
            .dead_letter_parts(consumer, event_id);
        let parts = parts.all().collect().await?;
        let text: String = parts
            .into_iter()
            .take(letter.parts as usize)
            .map(|part| part.text)
            .collect();
        let unreadable = |why: String| NotFound::Unreadable(NotARecord(why));
        let whole: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        if whole["unreadable"].is_string() {
            return Err(NotFound::Unreadable(NotARecord(letter.error)));
        }
        let table = whole["table"]
            .as_str()
            .ok_or_else(|| unreadable(String::from("it names no table")))?;
        Record::of_lambda(table, &whole["record"]).map_err(NotFound::Unreadable)
    }

    /// Asks that a record be tried again. A consumer of this name does so within seconds, once it runs.
    ///
    /// # Errors
    /// [`NotFound`]
    pub async fn ask_again(&self, consumer: &str, event_id: &str) -> Result<(), NotFound> {
        let letter = self.stream.dead_letters.dead_letter(consumer, event_id);
        letter.await?.ok_or(NotFound::NoLetter)?;
        let replay = Replay {
            consumer: consumer.to_owned(),
            event_id: event_id.to_owned(),
            asked_at: self.now(),
        };
        match self.stream.replays.items().insert(replay).await {
            Ok(_) | Err(Error::Exists { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Forgets a dead letter.
    ///
    /// # Errors
    /// [`NotFound`]
    pub async fn forget(&self, consumer: &str, event_id: &str) -> Result<(), NotFound> {
        let key = DeadLetterKey::new(consumer, event_id);
        // Without its head no part is ever looked at.
        let letter = match self.stream.dead_letters.items().delete_now(&key).await {
            Ok(letter) => letter,
            Err(Error::NotFound { .. }) => return Err(NotFound::NoLetter),
            Err(error) => return Err(error.into()),
        };
        for number in 0..letter.parts {
            let key = DeadLetterPartKey::new(consumer, event_id, number);
            match self.stream.dead_letter_parts.items().delete_now(&key).await {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// The records that are to be tried again.
    pub(crate) async fn replays(&self, consumer: &str) -> Result<Vec<String>, Error> {
        let asked = self.stream.replays.replays(consumer).page().await?;
        let each = asked.items.into_iter();
        Ok(each.map(|replay| replay.event_id).collect())
    }

    /// A record was tried again.
    pub(crate) async fn drop_replay(&self, consumer: &str, event_id: &str) -> Result<(), Error> {
        let key = ReplayKey::new(consumer, event_id);
        match self.stream.replays.items().delete_now(&key).await {
            Ok(_) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Keeps a record.
    pub(crate) async fn keep(
        &self,
        consumer: &str,
        record: &Record,
        attempts: u32,
        why: &str,
    ) -> Result<(), Error> {
        let whole = json!({ "table": record.table, "record": record.to_json() });
        let of = (record.event_id.as_str(), record.happened);
        self.keep_text(consumer, of, attempts, why, &whole.to_string())
            .await
    }

    /// Keeps what cannot be read as a record.
    pub(crate) async fn keep_unreadable(
        &self,
        consumer: &str,
        unreadable: &Unreadable,
    ) -> Result<(), Error> {
        let whole = json!({ "table": unreadable.table, "unreadable": unreadable.text });
        let of = (unreadable.event_id.as_str(), unreadable.happened);
        let why = NotARecord(unreadable.why.clone()).to_string();
        self.keep_text(consumer, of, 1, &why, &whole.to_string())
            .await
    }

    /// Keeps a text. The parts come first: a letter that can be seen is whole.
    async fn keep_text(
        &self,
        consumer: &str,
        (event_id, happened): (&str, i64),
        attempts: u32,
        why: &str,
        text: &str,
    ) -> Result<(), Error> {
        let texts = parts(text);
        for (number, text) in texts.iter().enumerate() {
            let part = DeadLetterPart {
                consumer: consumer.to_owned(),
                event_id: event_id.to_owned(),
                number: number as i64,
                text: text.clone(),
            };
            there(self.stream.dead_letter_parts.items().insert(part).await)?;
        }
        let letter = DeadLetter {
            consumer: consumer.to_owned(),
            event_id: event_id.to_owned(),
            error: why.chars().take(LONGEST_ERROR).collect(),
            attempts: i64::from(attempts.max(1)),
            happened,
            failed_at: self.now(),
            parts: texts.len() as i64,
        };
        let (error, failed_at) = (letter.error.clone(), letter.failed_at);
        match self.stream.dead_letters.items().insert(letter).await {
            // It was tried again, in vain.
            Err(Error::Exists { .. }) => {
                let key = DeadLetterKey::new(consumer, event_id);
                let again = self.stream.dead_letters.items().update(&key, |letter| {
                    letter.attempts += i64::from(attempts.max(1));
                    letter.error.clone_from(&error);
                    letter.failed_at = failed_at;
                });
                again.await.map(drop)
            }
            done => done.map(drop),
        }
    }

    fn now(&self) -> i64 {
        self.stream.store().now_millis()
    }
}

/// Done, if it was done before.
fn there<T>(done: Result<T, Error>) -> Result<(), Error> {
    match done {
        Ok(_) | Err(Error::Exists { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A text in parts that fit into items.
fn parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rest.floor_char_boundary(PART));
        parts.push(part.to_owned());
        rest = after;
    }
    parts
}
