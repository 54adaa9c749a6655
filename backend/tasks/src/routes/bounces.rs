//! Mails that came back.

use axum::extract::{FromRequestParts, State};
use http::header::AUTHORIZATION;
use http::request::Parts;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::Error;
use tablewright_mail::Mail;
use tablewright_service::{Input, Json, Kind, NoContent, Operation, Problem, Routes, Secret, post};

use crate::model::{MailBounced, MailRecordKey, MailRecordState};
use crate::notifier::parts_of_mail_id;
use crate::state::App;
use crate::undelivered;

/// How much of a reason is kept, in characters.
const LONGEST: usize = 500;

/// Who may say that a mail came back.
#[derive(Debug, Clone)]
pub(crate) struct Bounces {
    pub(crate) app: App,
    pub(crate) token: Option<Secret>,
}

pub(crate) fn routes(bounces: Bounces) -> Routes {
    let routes = Routes::new("Mail", "For the service that sends mails.").route(
        post("/mail/bounces", bounced)
            .summary("Say that a mail came back")
            .about("With the setting `bounce_token` as bearer token. It is written down with the mail; said again, nothing changes.")
            .problem(Kind::NOT_FOUND),
    );
    routes.with_state(bounces).under(super::UNDER)
}

/// A mail that came back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Bounce {
    /// The `Message-ID` it had.
    message_id: String,
    /// Why it came back.
    reason: String,
}

/// Whoever has the token. Nothing of anybody else is read.
struct Trusted;

impl FromRequestParts<Bounces> for Trusted {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, bounces: &Bounces) -> Result<Self, Problem> {
        let given = parts.headers.get(AUTHORIZATION);
        let given = given.and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.split_once(' '));
        let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer"));
        let given = given.map(|(_, token)| token.trim_start());
        let known = bounces.token.as_ref().zip(given);
        match known.is_some_and(|(token, given)| token.is(given)) {
            true => Ok(Trusted),
            false => Err(Problem::new(Kind::UNAUTHENTICATED)),
        }
    }
}

impl Input for Trusted {
    fn describe(operation: &mut Operation<'_>) {
        operation.problem(&Kind::UNAUTHENTICATED);
    }
}

async fn bounced(
    State(bounces): State<Bounces>,
    Trusted: Trusted,
    Json(bounce): Json<Bounce>,
) -> Result<NoContent, Problem> {
    let id = Mail::id_of(&bounce.message_id);
    let parts = id.as_deref().and_then(parts_of_mail_id);
    let (event_id, user_id) = parts.ok_or_else(|| Problem::not_found("mail"))?;
    let key = MailRecordKey::new(event_id, user_id);
    let patch = MailBounced {
        state: MailRecordState::Bounced.into(),
        error: Some(bounce.reason.chars().take(LONGEST).collect()).into(),
    };
    let app = &bounces.app;
    match app.tasks.mail_records.mail_bounced(&key, patch).await {
        // It came back already; whoever said so may not have come to the end of it.
        Ok(_) | Err(Error::Refused { .. }) => {}
        Err(Error::NotFound { .. } | Error::Invalid { .. }) => {
            return Err(Problem::not_found("mail"));
        }
        Err(error) => return Err(error.into()),
    }
    undelivered::came_back(&app.tasks, &key, &bounce.reason, app.now()).await?;
    Ok(NoContent)
}
