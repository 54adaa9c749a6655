//! Records that could not be handled: kept, listed, tried again.

mod keep;

use tablewright::{Error, Query, Store};

use crate::model::{DeadLetter, DeadLetterKey, DeadLetterPartKey, Replay, ReplayKey, Stream};
use crate::record::{NotARecord, Record};

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
        let letter = letter.await?.ok_or(NotFound::NoLetter)?;
        let replay = Replay {
            consumer: consumer.to_owned(),
            event_id: event_id.to_owned(),
            happened: letter.happened,
            asked_at: self.now(),
        };
        match self.stream.replays.wish(replay).await {
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
        let letter = match self.stream.dead_letters.forget_letter(&key).await {
            Ok(letter) => letter,
            Err(Error::NotFound { .. }) => return Err(NotFound::NoLetter),
            Err(error) => return Err(error.into()),
        };
        for number in 0..letter.parts {
            let key = DeadLetterPartKey::new(consumer, event_id, number);
            match self.stream.dead_letter_parts.forget_part(&key).await {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Some of the records that are to be tried again, what happened first before the others.
    pub(crate) async fn replays(&self, consumer: &str) -> Result<Vec<Replay>, Error> {
        let asked = self.stream.replays.replays(consumer).page().await?;
        Ok(asked.items)
    }

    /// A record was tried again.
    pub(crate) async fn drop_replay(&self, replay: &Replay) -> Result<(), Error> {
        let key = ReplayKey::new(&replay.consumer, replay.happened, &replay.event_id);
        match self.stream.replays.forget_wish(&key).await {
            Ok(_) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn now(&self) -> i64 {
        self.stream.store().now_millis()
    }
}
