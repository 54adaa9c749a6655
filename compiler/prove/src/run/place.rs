//! Where a proof runs: tables of its own, under a name nobody else has, gone when it is over.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Config;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use tablewright::descriptor::{Schema, Table};
use tablewright::{Clock, Error, Patience, Store, Ulid, tables};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::error::{ProveError, of_request};
use super::hand::patiently;

/// What the names of all tables of all proofs begin with.
pub const PREFIX: &str = "tablewright-prove-";

/// So long the first answer of an endpoint is waited for, which needs nothing but a list.
const FIRST_ANSWER: Duration = Duration::from_secs(5);

/// So long any other answer is waited for, unless the client says otherwise: what goes unanswered is sent again, and nobody should sit through that.
const ANSWER: Duration = Duration::from_secs(10);

/// So long an endpoint may be silent when it is to remove tables.
const SILENCE: Duration = Duration::from_secs(20);

/// Where a proof runs. Its tables are removed by [`Place::clear`], whatever became of the proof.
#[derive(Debug, Clone)]
pub struct Place {
    client: Client,
    prefix: String,
    settles_within: Duration,
    patience: Patience,
    /// Held while tables are made, also when nobody waits for them any more: what is cleared away then is all there is.
    making: Arc<Mutex<()>>,
    /// Whether a table was asked for: before that there is nothing to clear away.
    begun: Arc<AtomicBool>,
}

/// The one moment of a proof.
#[derive(Debug)]
struct Moment(i64);

impl Clock for Moment {
    fn now_millis(&self) -> i64 {
        self.0
    }
}

impl Place {
    /// A new place at an endpoint. `settles_within` is how long an index may lag behind its table there; on the embedded engine not at all.
    pub fn new(client: Client, settles_within: Duration) -> Self {
        Place {
            // As the store has it, so that nothing is sent twice without our knowing.
            client: Store::new(impatient(&client)).client().clone(),
            prefix: format!("{PREFIX}{}-", Ulid::new()).to_lowercase(),
            settles_within,
            patience: Patience::default(),
            making: Arc::default(),
            begun: Arc::default(),
        }
    }

    /// With more or less patience for an endpoint that is busy.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// What the names of its tables begin with.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// A place for other tables of the same schema, which is cleared with this one. Its names begin with a word that no table's does.
    pub(crate) fn beside(&self, word: &str, schema: &Schema) -> Self {
        let mut word = word.to_owned();
        while schema.tables.iter().any(|one| one.name.starts_with(&word)) {
            word.push('-');
        }
        Place {
            prefix: format!("{}{word}", self.prefix),
            ..self.clone()
        }
    }

    /// How long an index may lag behind its table.
    pub(crate) fn settles_within(&self) -> Duration {
        self.settles_within
    }

    /// The store of the proof, at one moment for ever: what ends, and what is written when, is the same in every run.
    pub(crate) fn store(&self, now: i64) -> Store {
        Store::builder(self.client.clone())
            .table_prefix(&self.prefix)
            .clock(Moment(now))
            .patience(self.patience)
            .build()
    }

    /// Makes the tables of a schema: keys and indexes as they are. Without TTL, which would remove by today's clock what is alive at the
    /// proof's moment; and without stream, backups and protection, which no answer depends on.
    pub(crate) async fn make_tables(&self, schema: &Schema) -> Result<(), ProveError> {
        let tables = schema.tables.iter().map(|table| {
            Arc::new(Table {
                ttl: None,
                stream: None,
                recovery: false,
                deletion_protection: false,
                ..Table::clone(table)
            })
        });
        let schema = Schema {
            tables: tables.collect(),
            ..schema.clone()
        };
        let store = self.store(0);
        // Who cannot be reached makes no table, and leaves none behind.
        let soon = answers_within(&self.client, FIRST_ANSWER);
        let ask = || {
            let soon = Config::builder().timeout_config(soon.clone());
            let request = self.client.list_tables().limit(1).customize();
            request.config_override(soon).send()
        };
        let reached = patiently(false, ask).await;
        reached.map_err(|error| ProveError::Endpoint {
            doing: "asking the endpoint for its tables".to_owned(),
            why: of_request(&error),
        })?;
        self.begun.store(true, Ordering::SeqCst);
        // Held before the task begins: who clears away waits for it, whenever the proof is stopped.
        let made = Arc::clone(&self.making).lock_owned().await;
        // On its own, so that it comes to an end when the proof is stopped.
        let made = tokio::spawn(async move {
            let _made = made;
            tables::bring_up_to_date(&store, &schema).await
        });
        match made.await {
            Ok(made) => made.map(drop).map_err(ProveError::Tables),
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
        }
    }

    /// Removes every table of this place.
    ///
    /// # Errors
    /// [`LeftBehind`], when some may still be there.
    pub async fn clear(&self) -> Result<(), LeftBehind> {
        let _made = self.making.lock().await;
        if !self.begun.load(Ordering::SeqCst) {
            return Ok(());
        }
        let mut why = None;
        let mut silent = 0;
        let began = Instant::now();
        for attempt in 0..10_u32 {
            match self.tables().await {
                Ok(tables) if tables.is_empty() => return Ok(()),
                Ok(tables) => {
                    (why, silent) = (None, 0);
                    let mut forbidden = 0;
                    for table in &tables {
                        let deleted = self.client.delete_table().table_name(table).send().await;
                        if let Err(error) = deleted {
                            let error = of_request(&error);
                            forbidden += usize::from(is_forbidden(&error));
                            why = Some(error.to_string());
                        }
                    }
                    // Who may not is not allowed to a moment later either.
                    if forbidden == tables.len() {
                        break;
                    }
                }
                Err(error) => {
                    why = Some(error.to_string());
                    silent += 1;
                }
            }
            // An endpoint that is gone does not come back while somebody waits.
            if silent >= 4 || silent > 0 && began.elapsed() >= SILENCE {
                break;
            }
            // A table that is being deleted is listed until it is gone.
            let wait = Duration::from_millis(50 * 2_u64.pow(attempt.min(6)));
            tokio::time::sleep(wait.min(Duration::from_secs(3))).await;
        }
        let left = match silent {
            0 => self.tables().await.ok(),
            _ => None,
        };
        match left {
            Some(tables) if tables.is_empty() => Ok(()),
            _ => {
                let why = why.unwrap_or_else(|| "they are still being deleted".to_owned());
                Err(self.left_behind(&why))
            }
        }
    }

    /// What is to be said of its tables when nobody waits for their end.
    pub fn left_behind(&self, why: &str) -> LeftBehind {
        LeftBehind {
            prefix: self.prefix.clone(),
            why: why.to_owned(),
        }
    }

    /// The names of its tables. Names are listed in order, so only those behind the prefix are looked at.
    async fn tables(&self) -> Result<Vec<String>, Error> {
        let mut found = Vec::new();
        // The prefix itself is shorter than every name that begins with it.
        let mut after = Some(self.prefix.trim_end_matches('-').to_owned());
        loop {
            let request = self.client.list_tables();
            let listed = request
                .set_exclusive_start_table_name(after)
                .send()
                .await
                .map_err(|error| of_request(&error))?;
            let names = listed.table_names();
            let ours = names.iter().filter(|name| name.starts_with(&self.prefix));
            found.extend(ours.cloned());
            after = listed.last_evaluated_table_name;
            let past = after
                .as_deref()
                .is_some_and(|name| !name.starts_with(&self.prefix) && name > self.prefix.as_str());
            if after.is_none() || past {
                return Ok(found);
            }
        }
    }
}

/// The client, with an end to its waiting.
fn impatient(client: &Client) -> Client {
    let config = client.config().to_builder();
    let timeouts = answers_within(client, ANSWER);
    Client::from_conf(config.timeout_config(timeouts).build())
}

/// What the client waits for, an answer no longer than this, or than it would anyway.
fn answers_within(client: &Client, most: Duration) -> TimeoutConfig {
    let set = client.config().timeout_config();
    let own = set.and_then(|set| set.operation_attempt_timeout());
    let builder = set.map_or_else(TimeoutConfig::builder, TimeoutConfig::to_builder);
    let wait = own.map_or(most, |own| own.min(most));
    builder.operation_attempt_timeout(wait).build()
}

fn is_forbidden(error: &Error) -> bool {
    matches!(error, Error::Backend { code, .. } if code == "AccessDeniedException")
}

/// Tables of a proof that could not be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftBehind {
    /// What their names begin with.
    pub prefix: String,
    /// Why.
    pub why: String,
}

impl fmt::Display for LeftBehind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the tables {}… may be left behind: {}",
            self.prefix, self.why
        )
    }
}

impl std::error::Error for LeftBehind {}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::config::BehaviorVersion;

    use super::*;

    /// Who never answers is waited for a few seconds, and asked once: the SDK alone would wait for ever.
    #[test]
    fn no_request_of_a_place_waits_for_ever() {
        let config = Config::builder().behavior_version(BehaviorVersion::latest());
        let place = Place::new(Client::from_conf(config.build()), Duration::ZERO);
        let timeouts = place.client.config().timeout_config();
        let attempt = timeouts.and_then(|set| set.operation_attempt_timeout());
        assert_eq!(attempt, Some(ANSWER));
        let first = answers_within(&place.client, FIRST_ANSWER);
        assert_eq!(first.operation_attempt_timeout(), Some(FIRST_ANSWER));
        let retries = place.client.config().retry_config();
        assert_eq!(retries.map(|set| set.max_attempts()), Some(1));
    }
}
