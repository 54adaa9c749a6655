//! Whether a token is one of ours: its algorithm, its key, its signature, its time, its issuer and its audience.

use std::sync::Arc;
use std::time::Duration;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};

use super::Caller;
use super::bearer::Denied;
use super::claims::Claims;
use super::development::{AUDIENCE, DevelopmentIssuer, IssuerError, NAME};
use super::keys::KeySet;
use super::published::PublishedKeys;
use super::seen::{SeenTokens, now};
use crate::settings::Issuer;

/// The same clock on both sides.
const DEVELOPMENT_LEEWAY: Duration = Duration::from_secs(5);

/// Judges tokens.
#[derive(Debug)]
pub(crate) struct Verifier {
    keys: Keys,
    algorithm: Algorithm,
    validation: Validation,
    audience: Vec<String>,
    seen: SeenTokens,
}

#[derive(Debug)]
enum Keys {
    Own(KeySet, String),
    Published(Arc<PublishedKeys>),
}

impl Verifier {
    /// The verifier of an issuer. It begins to read the keys, and does not wait for them.
    pub(crate) fn start(issuer: &Issuer) -> Result<Self, IssuerError> {
        Ok(match issuer {
            Issuer::Development { keys } => {
                let jwks = DevelopmentIssuer::open(keys)?.jwks();
                let keys = KeySet::read(jwks.as_bytes(), Algorithm::EdDSA)
                    .expect("the development issuer has one key of this kind");
                let audience = vec![String::from(AUDIENCE)];
                let (algorithm, leeway) = (Algorithm::EdDSA, DEVELOPMENT_LEEWAY);
                Verifier::new(Keys::Own(keys, jwks), algorithm, NAME, audience, leeway)
            }
            Issuer::Published(published) => {
                let algorithm = published.algorithm;
                let keys = PublishedKeys::start(&published.jwks_url, algorithm, published.refresh);
                let audience = published.audience.clone();
                let (issuer, leeway) = (&published.issuer, published.leeway);
                Verifier::new(Keys::Published(keys), algorithm, issuer, audience, leeway)
            }
        })
    }

    fn new(
        keys: Keys,
        algorithm: Algorithm,
        issuer: &str,
        audience: Vec<String>,
        leeway: Duration,
    ) -> Self {
        let mut validation = Validation::new(algorithm);
        validation.leeway = leeway.as_secs();
        validation.validate_nbf = true;
        // Ours to judge, since Cognito's access tokens have none.
        validation.validate_aud = false;
        validation.set_issuer(&[issuer]);
        validation.set_required_spec_claims(&["exp", "iss", "sub"]);
        Verifier {
            keys,
            algorithm,
            validation,
            audience,
            seen: SeenTokens::default(),
        }
    }

    /// The bearer of a token.
    pub(crate) async fn caller(&self, token: &str) -> Result<Arc<Caller>, Denied> {
        // Nothing but the id of the key is believed before the signature is checked.
        let header = decode_header(token).map_err(|_| {
            Denied::BadToken("the token is none, or of an algorithm we do not know")
        })?;
        if header.alg != self.algorithm {
            return Err(Denied::BadToken("the token is of another algorithm"));
        }
        if header.crit.is_some() {
            return Err(Denied::BadToken("the token needs what we do not know"));
        }
        let id = header
            .kid
            .ok_or(Denied::BadToken("the token does not name its key"))?;
        let key = self.key(&id).await?;
        if let Some(caller) = self.seen.bearer(token, &key) {
            return Ok(caller);
        }
        let checked = decode::<Claims>(token, &key, &self.validation);
        let claims = checked.map_err(|error| Denied::BadToken(reason(error.kind())))?;
        // The library counts whole seconds, and takes a token for good in the second of its end.
        let leeway = self.validation.leeway.saturating_mul(1000);
        let until = claims.claims.ends().saturating_add(leeway);
        if until <= now() {
            return Err(Denied::BadToken(EXPIRED));
        }
        let caller = Arc::new(claims.claims.caller(&self.audience)?);
        self.seen.remember(token, key, Arc::clone(&caller), until);
        Ok(caller)
    }

    async fn key(&self, id: &str) -> Result<Arc<DecodingKey>, Denied> {
        match &self.keys {
            Keys::Own(keys, _) => keys
                .get(id)
                .ok_or(Denied::BadToken("the token is signed with an unknown key")),
            Keys::Published(keys) => keys.find(id).await,
        }
    }

    /// Whether tokens can be judged.
    pub(crate) fn is_ready(&self) -> bool {
        match &self.keys {
            Keys::Own(..) => true,
            Keys::Published(keys) => keys.are_known(),
        }
    }

    /// The keys of the development issuer, to be published on loopback.
    pub(crate) fn development_jwks(&self) -> Option<&str> {
        match &self.keys {
            Keys::Own(_, jwks) => Some(jwks),
            Keys::Published(_) => None,
        }
    }
}

const EXPIRED: &str = "the token has expired";

fn reason(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::ExpiredSignature => EXPIRED,
        ErrorKind::ImmatureSignature => "the token is not valid yet",
        ErrorKind::InvalidIssuer => "the token is of another issuer",
        ErrorKind::InvalidSignature => "the signature of the token is wrong",
        ErrorKind::MissingRequiredClaim(_) => {
            "the token lacks a claim: exp, iss and sub are needed"
        }
        _ => "the token cannot be read",
    }
}
