//! The keys of an issuer that publishes them: read at the start, again from time to time, and when a token names an unknown one.

use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use jsonwebtoken::{Algorithm, DecodingKey};
use tokio::sync::Mutex;

use super::bearer::Denied;
use super::fetch::Fetcher;
use super::keys::KeySet;

/// How long unknown ids lead to no further reading. Whoever invents ids must not make us ask the issuer each time.
const GAP: Duration = Duration::from_secs(10);

/// The same while there are no keys at all.
const GAP_WITHOUT_KEYS: Duration = Duration::from_secs(1);

/// The keys of an issuer. What is known is kept while the issuer cannot be reached.
#[derive(Debug)]
pub(super) struct PublishedKeys {
    url: String,
    algorithm: Algorithm,
    fetcher: Fetcher,
    known: RwLock<Arc<KeySet>>,
    /// When an unknown id last led to reading. Held while reading, so that one reads for all.
    asked: Mutex<Option<Instant>>,
}

impl PublishedKeys {
    /// The keys, read in the background from now on.
    pub(super) fn start(url: &str, algorithm: Algorithm, refresh: Duration) -> Arc<Self> {
        let keys = Arc::new(PublishedKeys {
            url: url.to_owned(),
            algorithm,
            fetcher: Fetcher::new(),
            known: RwLock::default(),
            asked: Mutex::new(None),
        });
        tokio::spawn(keep_up(Arc::downgrade(&keys), refresh));
        keys
    }

    /// The key of an id.
    pub(super) async fn find(&self, id: &str) -> Result<Arc<DecodingKey>, Denied> {
        if let Some(key) = self.known().get(id) {
            return Ok(key);
        }
        let mut asked = self.asked.lock().await;
        // Somebody else may have read meanwhile.
        let known = self.known();
        if let Some(key) = known.get(id) {
            return Ok(key);
        }
        let gap = match known.is_empty() {
            true => GAP_WITHOUT_KEYS,
            false => GAP,
        };
        if asked.is_none_or(|at| at.elapsed() >= gap) {
            self.read().await;
            *asked = Some(Instant::now());
        }
        let known = self.known();
        match known.get(id) {
            Some(key) => Ok(key),
            None if known.is_empty() => Err(Denied::NoKeys),
            None => Err(Denied::BadToken("the token is signed with an unknown key")),
        }
    }

    pub(super) fn are_known(&self) -> bool {
        !self.known().is_empty()
    }

    fn known(&self) -> Arc<KeySet> {
        let known = self.known.read();
        Arc::clone(&known.unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the keys. What cannot be read leaves those that are known.
    async fn read(&self) -> bool {
        let read = self.fetcher.get(&self.url).await;
        let read = read.and_then(|json| KeySet::read(&json, self.algorithm));
        let outcome = if read.is_ok() { "read" } else { "failed" };
        metrics::counter!("service_jwks_reads_total", "outcome" => outcome).increment(1);
        match read {
            Ok(keys) => {
                tracing::debug!(keys = keys.len(), "read the keys of the issuer");
                *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
                true
            }
            Err(why) => {
                tracing::warn!(url = self.url, why, "the keys of the issuer cannot be read");
                false
            }
        }
    }
}

/// Reads the keys now and from time to time, sooner after a failure, until nobody has them any more.
async fn keep_up(keys: Weak<PublishedKeys>, refresh: Duration) {
    let mut wait = GAP_WITHOUT_KEYS;
    loop {
        let Some(keys) = keys.upgrade() else { return };
        let asked = keys.asked.lock().await;
        let read = keys.read().await;
        drop(asked);
        drop(keys);
        wait = if read {
            refresh
        } else {
            (wait * 2).min(refresh)
        };
        tokio::time::sleep(wait).await;
    }
}
