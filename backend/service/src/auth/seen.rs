//! Tokens that were found good, so that a caller's signature is checked once and not with every request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::digest::{SHA256, digest};
use jsonwebtoken::DecodingKey;

use super::Caller;

/// The most tokens that are remembered, some hundred bytes each.
const MOST: usize = 10_000;

/// What a token is known by. The token itself is a credential, and is not kept.
type Mark = [u8; 32];

/// A token that was found good.
#[derive(Debug, Clone)]
struct Good {
    caller: Arc<Caller>,
    /// The key that signed it. The same key read anew is another one here: then the signature is checked again.
    key: Arc<DecodingKey>,
    /// The second from which on it is no longer good.
    until: u64,
}

/// The tokens that were found good, by what they are known by. Only tokens with a good signature get in.
#[derive(Debug, Default)]
pub(super) struct SeenTokens(Mutex<HashMap<Mark, Good>>);

impl SeenTokens {
    /// The bearer of a token that was found good with this key, and still is.
    pub(super) fn bearer(&self, token: &str, key: &Arc<DecodingKey>) -> Option<Arc<Caller>> {
        self.bearer_at(token, key, now())
    }

    fn bearer_at(&self, token: &str, key: &Arc<DecodingKey>, now: u64) -> Option<Arc<Caller>> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let good = seen.get(&mark(token))?;
        let holds = now < good.until && Arc::ptr_eq(&good.key, key);
        holds.then(|| Arc::clone(&good.caller))
    }

    /// Remembers a token that is good until a second.
    pub(super) fn remember(
        &self,
        token: &str,
        key: Arc<DecodingKey>,
        caller: Arc<Caller>,
        until: u64,
    ) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST {
            let now = now();
            seen.retain(|_, good| now < good.until);
        }
        if seen.len() >= MOST {
            seen.clear();
        }
        let good = Good { caller, key, until };
        seen.insert(mark(token), good);
    }
}

fn mark(token: &str) -> Mark {
    let hash = digest(&SHA256, token.as_bytes());
    let (mark, _) = hash
        .as_ref()
        .split_first_chunk()
        .expect("a hash has 32 bytes");
    *mark
}

/// Seconds since 1970, by the clock that judges tokens.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(u64::MAX, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Arc<DecodingKey> {
        Arc::new(DecodingKey::from_secret(b"x"))
    }

    #[test]
    fn a_token_is_known_until_it_ends_and_while_its_key_is() {
        let (seen, own) = (SeenTokens::default(), key());
        let ada = Arc::new(Caller::new("ada"));
        seen.remember("a.b.c", Arc::clone(&own), Arc::clone(&ada), 100);
        assert_eq!(seen.bearer_at("a.b.c", &own, 99), Some(ada));
        assert_eq!(seen.bearer_at("a.b.c", &own, 100), None, "it has ended");
        assert_eq!(seen.bearer_at("a.b.d", &own, 99), None, "another token");
        assert_eq!(seen.bearer_at("a.b.c", &key(), 99), None, "another key");
    }

    #[test]
    fn not_more_tokens_are_kept_than_fit() {
        let (seen, own) = (SeenTokens::default(), key());
        let ada = Arc::new(Caller::new("ada"));
        let remember = |token: usize, until| {
            seen.remember(
                &token.to_string(),
                Arc::clone(&own),
                Arc::clone(&ada),
                until,
            );
        };
        let kept = || seen.0.lock().unwrap().len();
        remember(0, u64::MAX);
        for token in 1..MOST {
            remember(token, 1);
        }
        assert_eq!(kept(), MOST);
        // Those that have ended go first.
        remember(MOST, u64::MAX);
        assert_eq!(kept(), 2);
        for token in MOST..3 * MOST {
            remember(token, u64::MAX);
        }
        assert!(kept() <= MOST);
    }
}
