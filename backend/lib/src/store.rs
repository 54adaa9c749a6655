//! The one way to DynamoDB: a client, a clock, patience, and the key cursors are sealed with.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use tablewright_descriptor::Table;

use crate::capacity::Meter;
use crate::clock::{Clock, SystemClock};
use crate::cursor::Seal;
use crate::error::Result;
use crate::retry::Patience;

/// The longest one attempt of a request may take, unless the client says otherwise.
const ATTEMPT: Duration = Duration::from_secs(30);

/// What is done without one, as the metrics name it.
pub(crate) const NO_PATTERN: &str = "none";

/// What repositories read from and write to. A copy is cheap.
///
/// ```no_run
/// # async fn example(client: aws_sdk_dynamodb::Client) {
/// let store = tablewright::Store::new(client);
/// let (store, meter) = store.metered();
/// // … calls …
/// println!("{} read units", meter.used().read_units);
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Store {
    shared: Arc<Shared>,
    meter: Option<Meter>,
    /// On behalf of which access pattern.
    pattern: &'static str,
    /// Whether an item whose time has passed is there as long as it is stored.
    sees_expired: bool,
}

#[derive(Debug)]
struct Shared {
    client: Client,
    clock: Arc<dyn Clock>,
    patience: Patience,
    seal: Seal,
    table_prefix: String,
    last_deleted: Arc<AtomicI64>,
    brings_items: AtomicBool,
}

/// How a [`Store`] is made.
#[derive(Debug)]
#[must_use]
pub struct StoreBuilder {
    client: Client,
    clock: Arc<dyn Clock>,
    patience: Patience,
    secret: Option<Vec<u8>>,
    table_prefix: String,
}

impl Store {
    /// A store with the machine's clock, the usual patience, and cursors that end with the process.
    pub fn new(client: Client) -> Self {
        Store::builder(client).build()
    }

    /// A store of one's own making.
    pub fn builder(client: Client) -> StoreBuilder {
        StoreBuilder {
            client,
            clock: Arc::new(SystemClock),
            patience: Patience::default(),
            secret: None,
            table_prefix: String::new(),
        }
    }

    /// The same store, and a meter of what is used through it.
    #[must_use]
    pub fn metered(&self) -> (Store, Meter) {
        let meter = Meter::default();
        let store = Store {
            meter: Some(meter.clone()),
            ..self.clone()
        };
        (store, meter)
    }

    /// The same store without a meter.
    #[must_use]
    pub fn unmetered(&self) -> Store {
        Store {
            meter: None,
            ..self.clone()
        }
    }

    /// The client. It does not try again by itself: the store does, since it knows what may be repeated.
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// Milliseconds since 1970, by the store's clock.
    pub fn now_millis(&self) -> i64 {
        self.shared.clock.now_millis()
    }

    /// The name a table of a model has in this store.
    pub fn table_name(&self, table: &Table) -> String {
        format!("{}{}", self.shared.table_prefix, table.name)
    }

    /// A cursor for a list that is made of more than one query: a place in it, sealed as the cursors of queries are. It says nothing to its holder, and is good for this
    /// question of this caller only.
    ///
    /// ```no_run
    /// # fn example(store: &tablewright::Store) -> tablewright::Result<()> {
    /// let cursor = store.seal_cursor("after the third", "tasks by ids", "ada");
    /// assert_eq!(store.open_cursor(&cursor, "tasks by ids", "ada")?, "after the third");
    /// # Ok(())
    /// # }
    /// ```
    pub fn seal_cursor(&self, place: impl Into<String>, question: &str, caller: &str) -> String {
        self.seal().close_own(place.into(), question, caller)
    }

    /// The place a cursor of [`Store::seal_cursor`] is for.
    ///
    /// # Errors
    /// [`Error::BadCursor`](crate::Error::BadCursor) where it is another question's or caller's, or was changed.
    pub fn open_cursor(&self, cursor: &str, question: &str, caller: &str) -> Result<String> {
        self.seal().open_own(cursor, question, caller)
    }

    pub(crate) fn patience(&self) -> &Patience {
        &self.shared.patience
    }

    /// The highest token of an item that was deleted through this store.
    pub(crate) fn last_deleted(&self) -> &Arc<AtomicI64> {
        &self.shared.last_deleted
    }

    pub(crate) fn seal(&self) -> &Seal {
        &self.shared.seal
    }

    /// Whether the endpoint has once brought the item with a refusal of a single write. Then one that brings none says that there is none.
    pub(crate) fn brings_items(&self) -> &AtomicBool {
        &self.shared.brings_items
    }

    /// The same store on behalf of an access pattern of the model, by which the cost of what it does is told. What is generated says it by itself.
    #[must_use]
    pub fn on_behalf_of(&self, pattern: &'static str) -> Store {
        self.for_pattern(pattern)
    }

    /// The same store on behalf of an access pattern, which its metrics name.
    pub(crate) fn for_pattern(&self, pattern: &'static str) -> Store {
        Store {
            pattern,
            ..self.clone()
        }
    }

    /// The same store, to which what is stored is there, its time passed or not.
    pub(crate) fn seeing_expired(&self) -> Store {
        Store {
            sees_expired: true,
            ..self.clone()
        }
    }

    /// The moment by which it is judged whether an item's time has passed, in milliseconds since 1970.
    pub(crate) fn expiry_millis(&self) -> i64 {
        match self.sees_expired {
            // Nothing ends before time began.
            true => 0,
            false => self.now_millis(),
        }
    }

    pub(crate) fn pattern(&self) -> &'static str {
        self.pattern
    }

    pub(crate) fn meter(&self) -> Option<&Meter> {
        self.meter.as_ref()
    }
}

impl StoreBuilder {
    /// With another clock.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// With more or less patience.
    pub fn patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// With cursors sealed by a secret, so that other processes and later ones accept them.
    pub fn cursor_secret(mut self, secret: impl Into<Vec<u8>>) -> Self {
        self.secret = Some(secret.into());
        self
    }

    /// With table names that begin with an environment's name.
    pub fn table_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.table_prefix = prefix.into();
        self
    }

    /// The store.
    pub fn build(self) -> Store {
        // The SDK would repeat a write whose answer was lost without telling, and a condition would then fail on the write itself.
        let mut config = self
            .client
            .config()
            .to_builder()
            .retry_config(RetryConfig::disabled());
        // A connection that hangs would outlast all patience; the SDK waits for ever unless told otherwise.
        let timeouts = self.client.config().timeout_config();
        if timeouts.is_none_or(|set| set.operation_attempt_timeout().is_none()) {
            let timeouts = timeouts.map_or_else(TimeoutConfig::builder, TimeoutConfig::to_builder);
            config = config.timeout_config(timeouts.operation_attempt_timeout(ATTEMPT).build());
        }
        let config = config.build();
        Store {
            shared: Arc::new(Shared {
                client: Client::from_conf(config),
                clock: self.clock,
                patience: self.patience,
                seal: self
                    .secret
                    .map_or_else(Seal::for_this_process, |secret| Seal::from_secret(&secret)),
                table_prefix: self.table_prefix,
                last_deleted: Arc::default(),
                brings_items: AtomicBool::new(false),
            }),
            meter: None,
            pattern: NO_PATTERN,
            sees_expired: false,
        }
    }
}
