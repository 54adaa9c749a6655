//! How a record that could not be handled is kept: whole if it can be, and never so that it holds up the others.

use serde_json::json;
use tablewright::{Change, Error};

use super::DeadLetters;
use crate::model::{DeadLetter, DeadLetterKey, DeadLetterPart, KeepLetterAgain};
use crate::record::{NotARecord, Record, Unreadable};

/// How many bytes of a record are in one item, which holds 400 KB.
const PART: usize = 300_000;

/// How many parts a letter has at most. As JSON the two images of a record have nine times the 400 KB they are stored with: a list of empty texts does.
const MOST_PARTS: usize = 99;

/// How much of an error is kept.
const LONGEST_ERROR: usize = 2000;

/// What a letter says beside its record.
struct Letter<'r> {
    consumer: &'r str,
    event_id: &'r str,
    happened: i64,
    attempts: u32,
    why: String,
}

impl DeadLetters {
    /// Keeps a record.
    ///
    /// # Errors
    /// When it may be kept later.
    pub(crate) async fn keep(
        &self,
        consumer: &str,
        record: &Record,
        attempts: u32,
        why: &str,
    ) -> Result<(), Error> {
        let whole = json!({ "table": record.table, "record": record.to_json() });
        let letter = Letter {
            consumer,
            event_id: &record.event_id,
            happened: record.happened,
            attempts,
            why: why.to_owned(),
        };
        let keys = || format!("{:?}", record.keys);
        self.keep_or_less(letter, &record.table, &whole.to_string(), keys)
            .await
    }

    /// Keeps what cannot be read as a record.
    ///
    /// # Errors
    /// When it may be kept later.
    pub(crate) async fn keep_unreadable(
        &self,
        consumer: &str,
        unreadable: &Unreadable,
    ) -> Result<(), Error> {
        let whole = json!({ "table": unreadable.table, "unreadable": unreadable.text });
        let letter = Letter {
            consumer,
            event_id: &unreadable.event_id,
            happened: unreadable.happened,
            attempts: 1,
            why: NotARecord(unreadable.why.clone()).to_string(),
        };
        let nothing = || String::from("unknown");
        self.keep_or_less(letter, &unreadable.table, &whole.to_string(), nothing)
            .await
    }

    /// Keeps a text; where it can never be kept, the key of the item and the reason; and where these cannot either, the log has them. Whatever is after the record goes on.
    async fn keep_or_less(
        &self,
        mut letter: Letter<'_>,
        table: &str,
        whole: &str,
        keys: impl Fn() -> String,
    ) -> Result<(), Error> {
        let Some(refused) = never(self.keep_text(&letter, whole).await)? else {
            return Ok(());
        };
        let keys = keys();
        let why = &letter.why;
        letter.why = format!("{why}; kept without its images: {refused}; its key: {keys}");
        let less = json!({ "table": table, "unreadable": keys });
        if let Some(refused) = never(self.keep_text(&letter, &less.to_string()).await)? {
            tracing::error!(
                consumer = %letter.consumer, event = %letter.event_id, %keys, why = %letter.why, %refused,
                "a record can neither be handled nor kept"
            );
        }
        Ok(())
    }

    /// Keeps a text. The parts come first: a letter that can be seen is whole.
    async fn keep_text(&self, letter: &Letter<'_>, text: &str) -> Result<(), Error> {
        let texts = parts(text);
        if texts.len() > MOST_PARTS {
            return Err(Error::Invalid {
                entity: String::from("DeadLetter"),
                field: String::from("parts"),
                why: format!("it has {} bytes as text", text.len()),
            });
        }
        let (consumer, event_id) = (letter.consumer, letter.event_id);
        for (number, text) in texts.iter().enumerate() {
            let part = DeadLetterPart {
                consumer: consumer.to_owned(),
                event_id: event_id.to_owned(),
                number: number as i64,
                text: (*text).to_owned(),
            };
            there(self.stream.dead_letter_parts.keep_part(part).await)?;
        }
        let attempts = i64::from(letter.attempts.max(1));
        let letter = DeadLetter {
            consumer: consumer.to_owned(),
            event_id: event_id.to_owned(),
            error: letter.why.chars().take(LONGEST_ERROR).collect(),
            attempts,
            happened: letter.happened,
            failed_at: self.now(),
            parts: texts.len() as i64,
        };
        let (error, failed_at) = (letter.error.clone(), letter.failed_at);
        match self.stream.dead_letters.keep_letter(letter).await {
            // It was tried again, in vain.
            Err(Error::Exists { .. }) => {
                let key = DeadLetterKey::new(consumer, event_id);
                let again = KeepLetterAgain {
                    error: Change::Set(error),
                    failed_at: Change::Set(failed_at),
                    add_attempts: attempts,
                };
                let kept = self.stream.dead_letters.keep_letter_again(&key, again);
                kept.await.map(drop)
            }
            done => done.map(drop),
        }
    }
}

/// Why something can never be kept: waiting does not help against a value that does not fit.
fn never(kept: Result<(), Error>) -> Result<Option<Error>, Error> {
    match kept {
        Ok(()) => Ok(None),
        Err(refused @ Error::Invalid { .. }) => Ok(Some(refused)),
        Err(error) => Err(error),
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
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rest.floor_char_boundary(PART));
        parts.push(part);
        rest = after;
    }
    parts
}
