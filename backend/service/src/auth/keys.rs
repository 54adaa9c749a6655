//! The keys of an issuer, those that can have signed a token for us.

use std::collections::HashMap;
use std::sync::Arc;

use jsonwebtoken::jwk::{Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;

/// Keys by their id, all for one algorithm.
#[derive(Debug, Default, Clone)]
pub(super) struct KeySet(HashMap<String, Arc<DecodingKey>>);

#[derive(Deserialize)]
struct Published {
    keys: Vec<serde_json::Value>,
}

impl KeySet {
    /// Reads a JWKS. Keys that are for something else, or of a kind we do not know, are left out.
    pub(super) fn read(json: &[u8], algorithm: Algorithm) -> Result<Self, String> {
        let published: Published =
            serde_json::from_slice(json).map_err(|error| format!("it is no JWKS: {error}"))?;
        let jwks = published.keys.into_iter();
        let jwks = jwks.filter_map(|key| serde_json::from_value::<Jwk>(key).ok());
        let keys: HashMap<_, _> = jwks.filter_map(|jwk| usable(&jwk, algorithm)).collect();
        if keys.is_empty() {
            return Err(format!("it has no key for {algorithm:?}"));
        }
        Ok(KeySet(keys))
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<DecodingKey>> {
        self.0.get(id).cloned()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

fn usable(jwk: &Jwk, algorithm: Algorithm) -> Option<(String, Arc<DecodingKey>)> {
    let common = &jwk.common;
    let signs = matches!(common.public_key_use, None | Some(PublicKeyUse::Signature));
    let fits = common
        .key_algorithm
        .is_none_or(|named| named == KeyAlgorithm::from(algorithm));
    if !signs || !fits {
        return None;
    }
    let id = common.key_id.clone()?;
    let key = DecodingKey::from_jwk(jwk).ok()?;
    // A key of another family cannot be made to check this algorithm: a secret is never made of a public key.
    (key.family() == algorithm.family()).then(|| (id, Arc::new(key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ED: &str = r#"{"kty":"OKP","crv":"Ed25519","kid":"ed","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;

    fn read(keys: &str, algorithm: Algorithm) -> Result<usize, String> {
        let set = KeySet::read(format!("{{\"keys\":[{keys}]}}").as_bytes(), algorithm);
        set.map(|set| set.len())
    }

    #[test]
    fn keys_for_something_else_are_left_out() {
        let encrypts = ED.replace("\"kid\"", "\"use\":\"enc\",\"kid\"");
        let other = ED.replace("\"kid\"", "\"alg\":\"RS256\",\"kid\"");
        let nameless = ED.replace("\"kid\":\"ed\",", "");
        let unknown = r#"{"kty":"AKP","kid":"later","alg":"ML-DSA-44","pub":"x"}"#;
        let secret = r#"{"kty":"oct","kid":"s","k":"c2VjcmV0"}"#;
        let all = [&encrypts, &other, &nameless, unknown, secret, ED].join(",");
        assert_eq!(read(&all, Algorithm::EdDSA), Ok(1));
        for useless in [&encrypts, &other, &nameless, unknown, secret] {
            assert!(read(useless, Algorithm::EdDSA).is_err(), "{useless}");
        }
        assert!(read(ED, Algorithm::RS256).is_err());
        assert!(KeySet::read(b"<html>", Algorithm::RS256).is_err());
    }
}
