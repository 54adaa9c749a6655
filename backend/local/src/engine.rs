//! The embedded DynamoDB, opened.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_config::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use crate::Reply;
use crate::connector::InProcess;
use crate::lock::{DirectoryLock, Holder, LockError};
use crate::store::{Store, StoreError};
use crate::upkeep::{self, Schedule};

/// How many threads work for an engine at a time: one of them has the database, others read requests and write answers. More than there are
/// processors would only wait in line, and what many threads allocate by turns the allocator does not give back.
fn at_work() -> usize {
    std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2))
}

/// Why a data directory could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// Another engine has it open, in this process or in another.
    Held {
        /// The directory.
        directory: PathBuf,
        /// Who has it open.
        holder: Holder,
    },
    /// The directory cannot be made, or files in it cannot be written.
    Directory {
        /// The directory.
        directory: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// The data in it cannot be read, or was written by a newer version.
    Data {
        /// The directory.
        directory: PathBuf,
        /// What is wrong with it.
        why: StoreError,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Held { directory, holder } => {
                write!(f, "{} is in use by {holder}", directory.display())
            }
            OpenError::Directory { directory, why } => {
                write!(f, "{} cannot be used: {why}", directory.display())
            }
            OpenError::Data { directory, why } => {
                write!(
                    f,
                    "the data in {} cannot be used: {why}",
                    directory.display()
                )
            }
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Held { .. } => None,
            OpenError::Directory { why, .. } => Some(why),
            OpenError::Data { why, .. } => Some(why),
        }
    }
}

/// An embedded DynamoDB. Clones share it; the data directory is released with the last of them, and with the last client
/// made from them.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

/// Fields are dropped from the top: the schedule ends, the data is closed, then others may open the directory.
pub(crate) struct Inner {
    schedule: Mutex<Option<Schedule>>,
    at_work: Semaphore,
    store: Store,
    _lock: DirectoryLock,
    directory: PathBuf,
    _temporary: Option<TempDir>,
}

/// A directory that is held as long as this is there.
#[derive(Debug)]
pub struct Held {
    _lock: DirectoryLock,
}

/// Makes a directory, if it is not there, and holds it.
fn lock(directory: &Path) -> Result<DirectoryLock, OpenError> {
    let unusable = |why| OpenError::Directory {
        directory: directory.to_owned(),
        why,
    };
    std::fs::create_dir_all(directory).map_err(unusable)?;
    DirectoryLock::take(directory).map_err(|error| match error {
        LockError::Held(holder) => OpenError::Held {
            directory: directory.to_owned(),
            holder,
        },
        LockError::Io(why) => unusable(why),
    })
}

impl Engine {
    /// Opens a data directory, and makes it if it is not there.
    ///
    /// Old stream records are removed and missing indexes are made, so that it may take a moment. No runtime is needed;
    /// nothing goes on in the background before [`start_upkeep`](Self::start_upkeep).
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(directory.as_ref(), None)
    }

    /// Opens an empty one in a directory that is removed with it, for tests and trials. It is on disk, like the real one, but does not wait
    /// for the disk: what is written outlasts the process that wrote it, and not the machine.
    pub fn temporary() -> Result<Self, OpenError> {
        let temporary = tempfile::Builder::new()
            .prefix("tablewright-")
            .tempdir()
            .map_err(|why| OpenError::Directory {
                directory: std::env::temp_dir(),
                why,
            })?;
        let directory = temporary.path().to_owned();
        Self::open_with(&directory, Some(temporary))
    }

    fn open_with(directory: &Path, temporary: Option<TempDir>) -> Result<Self, OpenError> {
        let lock = lock(directory)?;
        let store = match temporary {
            Some(_) => Store::open_fleeting(directory),
            None => Store::open(directory),
        };
        let store = store.map_err(|why| OpenError::Data {
            directory: directory.to_owned(),
            why,
        })?;
        Ok(Engine {
            inner: Arc::new(Inner {
                schedule: Mutex::new(None),
                at_work: Semaphore::new(at_work()),
                store,
                _lock: lock,
                directory: directory.to_owned(),
                _temporary: temporary,
            }),
        })
    }

    /// Whether there is one in a directory, open or not.
    pub fn is_in(directory: impl AsRef<Path>) -> bool {
        Store::file_in(directory.as_ref()).is_file()
    }

    /// Holds a directory in which there is to be no engine, so that nobody opens one there, or holds it as well.
    ///
    /// # Errors
    /// [`OpenError::Held`], [`OpenError::Directory`].
    pub fn hold(directory: impl AsRef<Path>) -> Result<Held, OpenError> {
        let lock = lock(directory.as_ref())?;
        Ok(Held { _lock: lock })
    }

    /// The directory the data is in.
    pub fn directory(&self) -> &Path {
        &self.inner.directory
    }

    /// A client for tables and items. Calls run on tokio's blocking pool.
    pub fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        aws_sdk_dynamodb::Client::new(&self.sdk_config())
    }

    /// A client for change streams. Calls run on tokio's blocking pool.
    pub fn streams(&self) -> aws_sdk_dynamodbstreams::Client {
        aws_sdk_dynamodbstreams::Client::new(&self.sdk_config())
    }

    /// The SDK insists on an address, a region and a signature; nobody looks at them.
    fn sdk_config(&self) -> SdkConfig {
        let credentials = Credentials::new("embedded", "embedded", None, None, "embedded");
        SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .endpoint_url("http://embedded.invalid")
            .region(Region::from_static("embedded"))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .http_client(InProcess::new(self.clone()))
            .build()
    }

    /// Answers one request: the name of an operation, as `PutItem`, and its body in DynamoDB JSON.
    ///
    /// It blocks. Whatever the body is, the answer is one that DynamoDB could have given.
    pub fn dispatch(&self, operation: &str, body: &[u8]) -> Reply {
        self.inner.store.dispatch(operation, body)
    }

    /// [`dispatch`](Self::dispatch) on the blocking pool.
    pub(crate) async fn call(&self, operation: String, body: Vec<u8>) -> Reply {
        let engine = self.clone();
        // A task of its own takes its place among those at work: whoever asked may be paused, and would keep the place from others meanwhile.
        let work = tokio::spawn(async move {
            let working = engine.clone();
            let _place = engine.inner.at_work.acquire().await;
            tokio::task::spawn_blocking(move || working.dispatch(&operation, &body)).await
        });
        match work.await {
            Ok(Ok(reply)) => reply,
            // The runtime is going down, and the work was never begun.
            Ok(Err(_)) | Err(_) => Reply::internal_error("the runtime is shutting down"),
        }
    }

    /// Removes the items whose time to live has passed, and returns how many there were. It blocks.
    pub fn sweep_ttl(&self) -> Result<usize, StoreError> {
        self.inner.store.sweep_ttl()
    }

    /// Removes the stream records that are older than a stream keeps them, and returns how many there were. It blocks.
    pub fn trim_streams(&self) -> Result<usize, StoreError> {
        self.inner.store.trim_streams()
    }

    /// Removes expired items and old stream records now and every minute, until the last clone of the engine is gone.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn start_upkeep(&self) {
        self.start_upkeep_every(upkeep::INTERVAL);
    }

    /// [`start_upkeep`](Self::start_upkeep) at another pace. A schedule that was started before ends.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime, and if the interval is zero.
    pub fn start_upkeep_every(&self, interval: Duration) {
        let schedule = Schedule::start(Arc::downgrade(&self.inner), interval);
        let mut running = self
            .inner
            .schedule
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *running = Some(schedule);
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("directory", &self.inner.directory)
            .finish_non_exhaustive()
    }
}

impl Inner {
    /// One round of what Amazon DynamoDB does by itself. What fails now is tried again in the next round.
    pub(crate) fn upkeep(&self) {
        match self.store.sweep_ttl() {
            Ok(0) => {}
            Ok(items) => tracing::debug!(items, "removed expired items"),
            Err(error) => tracing::warn!(%error, "expired items could not be removed"),
        }
        match self.store.trim_streams() {
            Ok(0) => {}
            Ok(records) => tracing::debug!(records, "removed old stream records"),
            Err(error) => tracing::warn!(%error, "old stream records could not be removed"),
        }
    }
}
