//! What is done with records.

use std::fmt;
use std::sync::Arc;

use crate::record::Record;

/// What a consumer does with each record.
///
/// A record may come more than once: after a crash, and when a process that was thought dead comes back. Make the effect one that can
/// happen but once: a condition or a claim with [`Record::event_id`]. An `async` closure of an `Arc<Record>` is a handler.
pub trait Handler: Send + Sync + 'static {
    /// Does what is to be done. Records of one item come one after another, in the order in which they happened; records of
    /// different items may come at the same time, see [`Order`](crate::Order).
    fn handle(&self, record: Arc<Record>) -> impl Future<Output = Result<(), Failure>> + Send;
}

impl<F, O> Handler for F
where
    F: Fn(Arc<Record>) -> O + Send + Sync + 'static,
    O: Future<Output = Result<(), Failure>> + Send,
{
    fn handle(&self, record: Arc<Record>) -> impl Future<Output = Result<(), Failure>> + Send {
        self(record)
    }
}

/// Why a record was not handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// It is the record: after some attempts it becomes a dead letter, and the next one comes.
    Record(String),
    /// It is the world: what is needed cannot be reached. It is tried again for as long as the record is kept, and the records of
    /// the same item wait.
    World(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure::Record(why) | Failure::World(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for Failure {}

/// What may be better a little later is of the world; the rest is of the record.
impl From<tablewright::Error> for Failure {
    fn from(error: tablewright::Error) -> Self {
        use tablewright::Error as E;
        match error {
            E::Throttled | E::Unavailable { .. } | E::Uncertain { .. } | E::Conflict { .. } => {
                Failure::World(error.to_string())
            }
            error => Failure::Record(error.to_string()),
        }
    }
}
