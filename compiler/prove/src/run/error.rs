//! Why a proof could not be made, as opposed to one that failed.

use std::any::Any;
use std::fmt;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use tablewright::Error;
use tablewright::descriptor::SchemaError;
use tablewright::tables::TableError;

use crate::PopulateError;

/// Why a proof could not be made. It says nothing of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum ProveError {
    /// There is no data to prove it with.
    NoData(PopulateError),
    /// The model cannot be run: it has an error the checker tells of.
    NoSchema(SchemaError),
    /// Its tables could not be made.
    Tables(TableError),
    /// The endpoint failed, or refused for another reason than the request.
    Endpoint {
        /// What was being done.
        doing: String,
        /// What it said.
        why: Error,
    },
    /// The endpoint does not tell what a request used.
    NoCapacity,
    /// The endpoint tells something else than DynamoDB would.
    OtherCapacity,
    /// This program is at fault: it panicked.
    Panicked {
        /// What it said.
        why: String,
    },
}

impl fmt::Display for ProveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProveError::NoData(why) => why.fmt(f),
            ProveError::NoSchema(why) => write!(f, "the model cannot be run: {why}"),
            ProveError::Tables(why) => write!(f, "its tables could not be made: {why}"),
            ProveError::Endpoint { doing, why } => write!(f, "while {doing}: {why}"),
            ProveError::Panicked { why } => {
                write!(f, "a fault of Tablewright, not of the model: {why}")
            }
            ProveError::OtherCapacity => f.write_str(
                "the endpoint does not tell capacity as DynamoDB does, whole units for every item and for each of its entries in indexes, so no cost can be proved there",
            ),
            ProveError::NoCapacity => f.write_str(
                "the endpoint does not tell the capacity a request used, so no cost can be proved there",
            ),
        }
    }
}

impl std::error::Error for ProveError {}

impl ProveError {
    /// What a panic was about.
    pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        ProveError::Panicked {
            why: text.unwrap_or("it panicked").to_owned(),
        }
    }
}

impl From<PopulateError> for ProveError {
    fn from(why: PopulateError) -> Self {
        ProveError::NoData(why)
    }
}

/// Whether an error says something of the model: its request is refused, or what it stored cannot be read. Any other is the endpoint's.
pub(crate) fn is_of_the_model(error: &Error) -> bool {
    match error {
        Error::Throttled | Error::Unavailable { .. } | Error::Uncertain { .. } => false,
        Error::Backend { code, .. } => matches!(
            code.as_str(),
            "ValidationException" | "ItemCollectionSizeLimitExceededException"
        ),
        _ => true,
    }
}

/// What the library would say of a request of the SDK that failed.
pub(crate) fn of_request<E>(error: &SdkError<E, HttpResponse>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    Error::of_request(error)
}
