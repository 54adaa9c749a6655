//! Requests written by hand, run as they are written: their expressions, their values rendered, and nothing added.

mod action;
mod by_key;
mod literal;
mod many_keys;
mod read;
mod send;
mod update;
mod values;
mod write;

pub(crate) use action::entity_of;
pub(crate) use read::HandRead;
pub(crate) use write::HandWrite;

use std::time::Duration;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use tablewright::Error;

use super::error::of_request;

/// Sends a request until it is answered, or refused. What was lost on the way is sent again only where that changes nothing.
pub(crate) async fn patiently<T, E, F>(
    may_repeat: bool,
    send: impl Fn() -> F,
) -> Result<T, SdkError<E, HttpResponse>>
where
    F: Future<Output = Result<T, SdkError<E, HttpResponse>>>,
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    let mut attempt = 0;
    loop {
        let error = match send().await {
            Ok(output) => return Ok(output),
            Err(error) => error,
        };
        let again = match of_request(&error) {
            Error::Throttled => true,
            Error::Unavailable { .. } => may_repeat,
            _ => false,
        };
        attempt += 1;
        if !again || attempt >= 8 {
            return Err(error);
        }
        tokio::time::sleep(Duration::from_millis(25 << attempt.min(6))).await;
    }
}
