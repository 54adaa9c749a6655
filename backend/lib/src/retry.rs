//! Trying again: which failures are worth it, how long to wait, and when to stop.

use std::time::Duration;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

use crate::Store;
use crate::error::Error;
use crate::random;

/// How often and how patiently a request is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Attempts in all, at least one.
    pub attempts: u32,
    /// The longest wait before the second attempt; it doubles with every further one.
    pub first_wait: Duration,
    /// The longest wait there is.
    pub longest_wait: Duration,
    /// Attempts in all of a write that meets transactions of others: each is soon over, and nothing has happened.
    pub meetings: u32,
    /// How often a change that lost to another writer is applied again.
    pub reapply: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            attempts: 8,
            first_wait: Duration::from_millis(25),
            longest_wait: Duration::from_secs(2),
            meetings: 16,
            reapply: 1,
        }
    }
}

impl Patience {
    /// Waits before the next attempt: anything up to a bound that doubles, so that writers that met do not meet again.
    pub(crate) async fn wait(&self, attempt: u32) {
        let bound = self
            .first_wait
            .saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1).min(16)))
            .min(self.longest_wait);
        let share = f64::from(random::u32()) / f64::from(u32::MAX);
        tokio::time::sleep(bound.mul_f64(share)).await;
    }
}

impl Store {
    /// Waits before a request is sent again.
    pub(crate) async fn wait_to_retry(&self, operation: &'static str, attempt: u32) {
        metrics::counter!("tablewright_retries_total", "operation" => operation, "pattern" => self.pattern())
            .increment(1);
        self.patience().wait(attempt).await;
    }

    /// Counts a write that lost to another writer.
    pub(crate) fn note_conflict(&self) {
        metrics::counter!("tablewright_conflicts_total", "pattern" => self.pattern()).increment(1);
    }
}

/// What a failed request means.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fault {
    /// It was refused for its rate; nothing happened.
    Throttled,
    /// A transaction holds the item at this moment; nothing happened.
    Busy,
    /// It may have happened or not.
    Lost(String),
    /// It was refused; nothing happened.
    Refused(Error),
}

impl Fault {
    /// The same, counted where others have to do with it.
    pub(crate) fn noted(self, store: &Store, operation: &'static str) -> Self {
        match self {
            Fault::Throttled => {
                metrics::counter!("tablewright_throttles_total", "operation" => operation, "pattern" => store.pattern())
                    .increment(1);
            }
            Fault::Busy => store.note_conflict(),
            Fault::Lost(_) | Fault::Refused(_) => {}
        }
        self
    }

    /// What the caller gets after the last attempt.
    pub(crate) fn into_error(self, is_write: bool) -> Error {
        match self {
            Fault::Throttled => Error::Throttled,
            // Others write it, again and again: DynamoDB can be reached, and nothing was done.
            Fault::Busy if is_write => Error::Conflict {
                entity: "item".to_owned(),
            },
            Fault::Busy => Error::Unavailable {
                why: "another transaction holds the item".to_owned(),
            },
            Fault::Lost(why) if is_write => Error::Uncertain { why },
            Fault::Lost(why) => Error::Unavailable { why },
            Fault::Refused(error) => error,
        }
    }
}

impl Error {
    /// What a request of the SDK's own client failed with, in the words of this crate: for requests that no pattern describes.
    pub fn of_request<E>(error: &SdkError<E, HttpResponse>) -> Error
    where
        E: ProvideErrorMetadata + std::error::Error + 'static,
    {
        fault_of(error).into_error(false)
    }
}

/// Reads the failure of a request.
pub(crate) fn fault_of<E>(error: &SdkError<E, HttpResponse>) -> Fault
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    match error {
        SdkError::ConstructionFailure(_) => Fault::Refused(Error::Backend {
            code: "ConstructionFailure".to_owned(),
            message: chain(error),
        }),
        SdkError::ServiceError(context) => {
            let code = context.err().code().unwrap_or_default();
            let message = context.err().message().unwrap_or_default();
            match code {
                "ProvisionedThroughputExceededException"
                | "ThrottlingException"
                | "RequestLimitExceeded" => Fault::Throttled,
                "TransactionConflictException" | "TransactionInProgressException" => Fault::Busy,
                "" if context.raw().status().is_client_error() => Fault::Refused(Error::Backend {
                    code: String::new(),
                    message: foreign(context.raw()),
                }),
                "" => Fault::Lost(foreign(context.raw())),
                _ if context.raw().status().is_server_error() => {
                    Fault::Lost(format!("{code} {message}"))
                }
                _ => Fault::Refused(refused(code, message)),
            }
        }
        SdkError::ResponseError(context) => {
            Fault::Lost(format!("{}: {}", foreign(context.raw()), chain(error)))
        }
        other => Fault::Lost(chain(other)),
    }
}

/// An answer that is none of DynamoDB's, as that of a wrong port or of a proxy that wants a password.
fn foreign(answer: &HttpResponse) -> String {
    const SHOWN: usize = 80;
    let status = answer.status().as_u16();
    let kind = answer.headers().get("content-type");
    let kind = kind.unwrap_or("without a content type");
    let body = String::from_utf8_lossy(answer.body().bytes().unwrap_or_default());
    let mut words = body.split_whitespace().collect::<Vec<_>>().join(" ");
    words.retain(|character| !character.is_control());
    let begins = match words.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("beginning with {}…", &words[..end]),
        None if words.is_empty() => "with nothing in it".to_owned(),
        None => format!("which says {words}"),
    };
    format!("the answer is not one of DynamoDB: status {status}, {kind}, {begins}")
}

/// What DynamoDB finds wrong with a request is often a value of the caller's.
fn refused(code: &str, message: &str) -> Error {
    Error::Backend {
        code: code.to_owned(),
        message: message.to_owned(),
    }
}

/// An error with all its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
