//! Who asks: bearer tokens, signed by an issuer whose keys are known.

mod bearer;
mod caller;
mod claims;
mod development;
mod fetch;
mod keys;
mod layer;
mod minted;
mod published;
mod seen;
mod verify;

pub(crate) use self::bearer::Denied;
pub use self::caller::Caller;
pub use self::development::{
    AUDIENCE, DevelopmentIssuer, IssuerError, KEY_FILE, NAME as DEVELOPMENT_ISSUER, Person,
    development_secret,
};
pub(crate) use self::fetch::Fetcher;
pub(crate) use self::layer::{Asking, identify, require};
pub use self::minted::{TokenError, token_for};
pub(crate) use self::verify::Verifier;
