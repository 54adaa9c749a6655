//! Requests about tables, tried again where that helps. The client does not do it by itself.

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

use crate::Store;
use crate::error::Error;
use crate::retry::{Fault, fault_of};

/// What an endpoint answers that does not have the operation at all. DynamoDB's own has all of them.
pub(super) const UNKNOWN_OPERATION: &str = "UnknownOperationException";

/// What DynamoDB answers for a table that is not there, or not yet.
pub(super) const NOT_FOUND: &str = "ResourceNotFoundException";

/// What DynamoDB answers while something else is being done to the table, or to too many: it is worth asking again.
const OCCUPIED: [&str; 2] = ["ResourceInUseException", "LimitExceededException"];

/// Whether DynamoDB refused with this code.
pub(super) fn says(error: &Error, code: &str) -> bool {
    matches!(error, Error::Backend { code: said, .. } if said == code)
}

/// The attempts at one change. Whatever one fails of, the caller looks at what is there before the next: an answer may have been lost, and
/// another process may have made the same change.
pub(super) struct Attempts<'s> {
    store: &'s Store,
    operation: &'static str,
    made: u32,
    may_have_happened: bool,
    last: Option<Error>,
}

impl<'s> Attempts<'s> {
    pub(super) fn new(store: &'s Store, operation: &'static str) -> Self {
        Attempts {
            store,
            operation,
            made: 0,
            may_have_happened: false,
            last: None,
        }
    }

    /// Whether an attempt was made of which it is not known what became.
    pub(super) fn may_have_happened(&self) -> bool {
        self.may_have_happened
    }

    /// Notes an attempt that failed, and waits if there will be another.
    pub(super) async fn failed<E>(&mut self, error: &SdkError<E, HttpResponse>)
    where
        E: ProvideErrorMetadata + std::error::Error + 'static,
    {
        let fault = fault_of(error);
        self.made += 1;
        let again = match &fault {
            Fault::Refused(error) => OCCUPIED.iter().any(|code| says(error, code)),
            Fault::Lost(_) => {
                self.may_have_happened = true;
                true
            }
            Fault::Throttled | Fault::Busy => true,
        };
        if again && self.made < self.store.patience().attempts {
            self.store.wait_to_retry(self.operation, self.made).await;
        } else {
            self.last = Some(fault.into_error(true));
        }
    }

    /// To be asked after a look that did not find the change.
    ///
    /// # Errors
    /// Why it is given up.
    pub(super) fn go_on(&mut self) -> Result<(), Error> {
        self.last.take().map_or(Ok(()), Err)
    }
}
