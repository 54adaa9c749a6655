//! The caller, for handlers.

use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use http::request::Parts;

use super::bearer::Denied;
use super::layer::Asking;
use crate::observe::Observed;
use crate::problem::Problem;

const LONGEST_SUBJECT: usize = 128;

/// Who asks, by the claims of an accepted token. Handlers take it as an argument; `Option<Caller>` where one need not sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caller {
    /// The subject: who it is, and stays.
    pub sub: String,
    /// The address, if the token has one.
    pub email: Option<String>,
    /// Whether the issuer has checked that the address is theirs. What is not checked says nothing about a person.
    pub email_verified: bool,
    /// The name, if the token has one.
    pub name: Option<String>,
    /// The groups, from `cognito:groups`.
    pub groups: Vec<String>,
}

impl Caller {
    /// Somebody known by their subject only.
    pub fn new(sub: impl Into<String>) -> Self {
        Caller {
            sub: sub.into(),
            email: None,
            email_verified: false,
            name: None,
            groups: Vec::new(),
        }
    }

    /// Whether a text can be a subject: 1 to 128 letters, digits and `-_.:@|+=/~`, as the type `id` of our models.
    pub fn is_subject(text: &str) -> bool {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:@|+=/~".contains(&byte);
        (1..=LONGEST_SUBJECT).contains(&text.len()) && text.bytes().all(fits)
    }

    /// Makes them known as those who ask, where a service has a way of its own to know them: from here on, whatever takes a caller takes
    /// them, and they are in the log. An argument of a handler says so in its `FromRequestParts`, and stands before those that need it.
    pub fn asks(self, parts: &mut Parts) {
        if let Some(observed) = parts.extensions.get::<Observed>() {
            observed.is_from(&self.sub);
        }
        parts.extensions.insert(Asking(Ok(Arc::new(self))));
    }

    /// Whether they are in a group.
    pub fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|known| known == group)
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match parts.extensions.get::<Asking>() {
            Some(Asking(Ok(caller))) => Ok(Caller::clone(caller)),
            Some(Asking(Err(denied))) => Err(denied.clone().into()),
            None => Err(Problem::internal("the route is not part of a `Service`")),
        }
    }
}

impl<S: Sync> OptionalFromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Option<Self>, Problem> {
        match parts.extensions.get::<Asking>() {
            // A token that is not accepted is told, not ignored.
            Some(Asking(Err(Denied::NoToken))) => Ok(None),
            _ => <Caller as FromRequestParts<S>>::from_request_parts(parts, state)
                .await
                .map(Some),
        }
    }
}
