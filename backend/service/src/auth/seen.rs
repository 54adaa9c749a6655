//! Tokens that were found good, so that a caller's signature is checked once and not with every request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::digest::{SHA256, digest};
use jsonwebtoken::DecodingKey;

use super::Caller;

/// The most bytes that are kept of tokens: some ten thousand callers, or fewer that are in many groups.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// What a token takes besides the texts of its caller: the entry, its place in the map, and what the texts are kept in.
const EACH: usize = 512;

/// What a token is known by. The token itself is a credential, and is not kept.
type Mark = [u8; 32];

/// A token that was found good.
#[derive(Debug, Clone)]
struct Good {
    caller: Arc<Caller>,
    /// The key that signed it. The same key read anew is another one here: then the signature is checked again.
    key: Arc<DecodingKey>,
    /// When it is no longer good, in milliseconds since 1970.
    until: u64,
}

impl Good {
    /// About how many bytes it takes.
    fn size(&self) -> usize {
        let Caller {
            sub,
            email,
            name,
            groups,
            ..
        } = &*self.caller;
        let texts = [email, name].into_iter().flatten().chain(groups);
        let texts = texts.map(|text| text.len() + size_of::<String>());
        EACH + sub.len() + texts.sum::<usize>()
    }
}

/// The tokens that were found good, by what they are known by. Only tokens with a good signature get in.
#[derive(Debug, Default)]
pub(super) struct SeenTokens(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    tokens: HashMap<Mark, Good>,
    bytes: usize,
}

impl Seen {
    fn keep(&mut self, keeps: impl Fn(&Good) -> bool) {
        self.tokens.retain(|_, good| keeps(good));
        self.bytes = self.tokens.values().map(Good::size).sum();
    }
}

impl SeenTokens {
    /// The bearer of a token that was found good with this key, and still is.
    pub(super) fn bearer(&self, token: &str, key: &Arc<DecodingKey>) -> Option<Arc<Caller>> {
        self.bearer_at(token, key, now())
    }

    fn bearer_at(&self, token: &str, key: &Arc<DecodingKey>, now: u64) -> Option<Arc<Caller>> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let good = seen.tokens.get(&mark(token))?;
        let holds = now < good.until && Arc::ptr_eq(&good.key, key);
        holds.then(|| Arc::clone(&good.caller))
    }

    /// Remembers a token that is good until then.
    pub(super) fn remember(
        &self,
        token: &str,
        key: Arc<DecodingKey>,
        caller: Arc<Caller>,
        until: u64,
    ) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let good = Good { caller, key, until };
        let size = good.size();
        if seen.bytes + size > MOST_BYTES {
            let now = now();
            seen.keep(|good| now < good.until);
        }
        if seen.bytes + size > MOST_BYTES {
            seen.keep(|_| false);
        }
        let before = seen.tokens.insert(mark(token), good);
        seen.bytes = seen.bytes + size - before.map_or(0, |before| before.size());
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

/// Milliseconds since 1970, by the clock that judges tokens.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(u64::MAX, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
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
        let mut crowd = Caller::new("ada");
        crowd.groups = (0..100).map(|group| format!("{group:080}")).collect();
        let crowd = Arc::new(crowd);
        let remember = |token: usize, until| {
            let (own, crowd) = (Arc::clone(&own), Arc::clone(&crowd));
            seen.remember(&token.to_string(), own, crowd, until);
        };
        let kept = || {
            let seen = seen.0.lock().unwrap();
            let bytes: usize = seen.tokens.values().map(Good::size).sum();
            assert_eq!(seen.bytes, bytes);
            assert!(bytes <= MOST_BYTES, "{bytes}");
            seen.tokens.len()
        };
        remember(0, u64::MAX);
        remember(0, u64::MAX);
        assert_eq!(kept(), 1, "the same once");
        let mut token = 1;
        while kept() == token {
            remember(token, 1);
            token += 1;
        }
        // Each has more than eight kilobytes: there is room for hundreds, and those that have ended go first.
        assert!((300..1000).contains(&token), "{token}");
        assert_eq!(kept(), 2);
        for token in token..3 * token {
            remember(token, u64::MAX);
            kept();
        }
    }
}
