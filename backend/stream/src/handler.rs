//! What is done with records.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::record::Record;

/// What a consumer does with each record.
///
/// A record may come more than once: after a crash, and when a process that was thought dead comes back. Make the effect one that can
/// happen but once: a condition or a claim with [`Record::event_id`]. An `async` closure of an `Arc<Record>` is a handler.
pub trait Handler: Send + Sync + 'static {
    /// Does what is to be done. Records of one item come one after another, in the order in which they happened; records of
    /// different items may come at the same time, see [`Order`](crate::Order).
    fn handle(&self, record: Arc<Record>) -> impl Future<Output = Result<(), Failure>> + Send;

    /// As [`Handler::handle`], which it calls unless it is written: what consumers call for each record. A handler that has nothing to do for many records says so here, so that these are no
    /// proof that what it needs can be reached.
    fn attempt(&self, record: Arc<Record>) -> impl Future<Output = Result<Did, Failure>> + Send {
        let handled = self.handle(record);
        async move { handled.await.map(|()| Did::Something) }
    }

    /// Waits until it is the turn of a record, for as long as that takes: before its first attempt, and without a lane, so that others come through meanwhile. Nobody waits unless it is written, nor does a dead letter that is tried again.
    fn turn(&self, record: Arc<Record>) -> impl Future<Output = Turn> + Send {
        drop(record);
        std::future::ready(Turn::default())
    }

    /// Notes that changes of a shard are lost to it: they were no longer kept when it was their turn to be read; or, where it [takes many](Handler::takes), they become dead letters, and will not come among the others. It is tried until it succeeds, before anything that came
    /// after them is handled or written down as handled; so it may be called more than once. Where a shard went as a whole while nobody read it, those after it may have begun. What went before anything of a shard was read is not known to be lost. Nothing is done unless it is written: whoever makes something of all changes makes it anew. Under AWS Lambda nobody knows what was no longer kept.
    fn lost(&self, shard: &Shard) -> impl Future<Output = Result<(), Failure>> + Send {
        let _ = shard;
        std::future::ready(Ok(()))
    }

    /// How many records of a shard it takes at once; none when each comes by itself.
    fn takes(&self) -> Option<Takes> {
        None
    }

    /// Does what is to be done with records that follow one another in a shard, the oldest first: all of it, or it is tried again. The next ones of the
    /// shard come when these have come to an end. It is called where [`Handler::takes`] says so.
    fn handle_all(
        &self,
        shard: &Shard,
        records: &[Arc<Record>],
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        let _ = shard;
        async move {
            for record in records {
                self.handle(Arc::clone(record)).await?;
            }
            Ok(())
        }
    }
}

/// What a handler did for a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Did {
    /// What it is there for: what it needs for that can be reached.
    Something,
    /// Nothing: the record does not concern it, or was handled before.
    Nothing,
}

impl Did {
    /// What became of a record for which two things were to be done. A failure of the world is told rather than one of the record: it is tried for longer.
    ///
    /// # Errors
    /// When one of the two failed.
    pub fn both(one: Result<Self, Failure>, other: Result<Self, Failure>) -> Result<Self, Failure> {
        match (one, other) {
            (Ok(Did::Nothing), other @ Ok(_)) => other,
            (Ok(_), failed @ Err(_))
            | (Err(Failure::Record(_)), failed @ Err(Failure::World(_))) => failed,
            (one, _) => one,
        }
    }
}

/// The right of a record to be tried, from its first attempt until it is handled or dead. Then it is the turn of another.
#[derive(Default)]
pub struct Turn(Option<Box<dyn Any + Send>>);

impl Turn {
    /// One that ends when this is dropped: the permit of a semaphore, say.
    pub fn holding(permit: impl Send + 'static) -> Self {
        Turn(Some(Box::new(permit)))
    }

    /// Whether somebody else may have to wait for it to end.
    pub fn is_held(&self) -> bool {
        self.0.is_some()
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("is_held", &self.is_held())
            .finish()
    }
}

/// How many records of a shard are taken at once: until one of these is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Takes {
    /// So many.
    pub many: usize,
    /// So large in memory, about, in bytes. One record may be larger.
    pub bytes: usize,
    /// The first has waited so long.
    pub wait: Duration,
}

/// Where records come from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shard {
    /// The address of the stream.
    pub stream: String,
    /// The shard in it.
    pub shard: String,
}

impl Shard {
    /// The name of the stream among those of its table: the moment at which it was turned on, so that a later one has a greater name.
    pub fn label(&self) -> &str {
        self.stream
            .rsplit_once("/stream/")
            .map_or(&self.stream, |(_, label)| label)
    }
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
