//! From the header to the caller, once for each request.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::bearer::{Denied, token};
use super::{Caller, Verifier};
use crate::observe::Observed;
use crate::problem::Problem;

/// Who asks, or why that is not known. It goes with every request.
#[derive(Debug, Clone)]
pub(crate) struct Asking(pub(crate) Result<Arc<Caller>, Denied>);

impl Asking {
    /// Who makes a request.
    pub(crate) fn of(request: &Request) -> Result<&Caller, Problem> {
        match request.extensions().get::<Asking>() {
            Some(Asking(Ok(caller))) => Ok(caller),
            Some(Asking(Err(denied))) => Err(denied.clone().into()),
            None => Err(Problem::internal("the route is not part of a `Service`")),
        }
    }
}

/// Finds out who asks, and refuses nobody: routes decide that.
pub(crate) async fn identify(
    State(verifier): State<Arc<Verifier>>,
    mut request: Request,
    next: Next,
) -> Response {
    let asking = match token(request.headers()) {
        Ok(token) => verifier.caller(token).await,
        Err(denied) => Err(denied),
    };
    if let (Ok(caller), Some(observed)) = (&asking, request.extensions().get::<Observed>()) {
        observed.is_from(&caller.sub);
    }
    request.extensions_mut().insert(Asking(asking));
    next.run(request).await
}

/// Refuses whoever is not known.
pub(crate) async fn require(request: Request, next: Next) -> Response {
    match Asking::of(&request) {
        Ok(_) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}
