//! An admin, by a token of the issuer.

use axum::extract::FromRequestParts;
use http::request::Parts;
use tablewright_service::{Caller, Input, Kind, Operation, Problem};

use crate::state::App;

/// The group of those who may look at what was flagged, and hand out keys.
const GROUP: &str = "Admins";

/// Somebody whose token says that they are an admin.
#[derive(Debug, Clone)]
pub(crate) struct Admin;

impl FromRequestParts<App> for Admin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let caller = <Caller as FromRequestParts<App>>::from_request_parts(parts, app).await?;
        match caller.is_in(GROUP) {
            true => Ok(Admin),
            false => Err(Problem::new(Kind::FORBIDDEN).detail("only an admin may do this")),
        }
    }
}

impl Input for Admin {
    fn describe(operation: &mut Operation<'_>) {
        operation.signed_in(true);
        operation.problem(&Kind::FORBIDDEN);
    }
}
