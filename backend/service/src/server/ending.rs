//! The end of the service, for handlers that wait for something else.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;
use tokio::sync::watch;

use crate::api::Input;

/// Tells a handler that waits for something that the service ends: then it answers what it can.
#[derive(Debug, Clone, Default)]
pub struct Ending(pub(super) Option<watch::Receiver<bool>>);

impl Ending {
    /// Is ready when the service ends, and never where nobody ends it.
    pub async fn begun(&mut self) {
        match &mut self.0 {
            // The sender is gone when all has ended.
            Some(end) => drop(end.wait_for(|end| *end).await),
            None => std::future::pending().await,
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Ending {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let known = parts.extensions.get::<Ending>();
        Ok(known.cloned().unwrap_or_default())
    }
}

impl Input for Ending {}
