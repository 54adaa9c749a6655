//! The end of the service, or of the time a request has, for handlers that wait for something else.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::api::Input;

/// Tells a handler that waits for something that the service ends, or under AWS Lambda the call: then it answers what it can.
#[derive(Debug, Clone, Default)]
pub struct Ending {
    told: Option<watch::Receiver<bool>>,
    at: Option<Instant>,
}

impl Ending {
    /// When this says so.
    pub(super) fn told_by(told: watch::Receiver<bool>) -> Self {
        Ending {
            told: Some(told),
            at: None,
        }
    }

    /// At a moment.
    #[cfg(feature = "lambda")]
    pub(crate) fn at(moment: Instant) -> Self {
        Ending {
            told: None,
            at: Some(moment),
        }
    }

    /// Is ready when the service ends, or when it is time to answer, and never where neither can be.
    pub async fn begun(&mut self) {
        let told = async {
            match &mut self.told {
                // The sender is gone when all has ended.
                Some(end) => drop(end.wait_for(|end| *end).await),
                None => std::future::pending().await,
            }
        };
        let over = async {
            match self.at {
                Some(moment) => tokio::time::sleep_until(moment).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = told => {}
            () = over => {}
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
