//! Mails that came back.

use axum::extract::State;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::Error;
use tablewright_mail::Mail;
use tablewright_service::{Json, Kind, NoContent, Problem, Routes, Secret, post};

use crate::model::{MailBounced, MailRecordKey, MailRecordState};
use crate::notifier::parts_of_mail_id;
use crate::state::App;

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
            .problem(Kind::UNAUTHENTICATED)
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

async fn bounced(
    State(bounces): State<Bounces>,
    headers: HeaderMap,
    Json(bounce): Json<Bounce>,
) -> Result<NoContent, Problem> {
    let given = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer "));
    let known = bounces.token.as_ref().zip(given);
    if !known.is_some_and(|(token, given)| token.is(given)) {
        return Err(Problem::new(Kind::UNAUTHENTICATED));
    }
    let id = Mail::id_of(&bounce.message_id);
    let parts = id.as_deref().and_then(parts_of_mail_id);
    let (event_id, user_id) = parts.ok_or_else(|| Problem::not_found("mail"))?;
    let key = MailRecordKey::new(event_id, user_id);
    let patch = MailBounced {
        state: MailRecordState::Bounced.into(),
        error: Some(bounce.reason.chars().take(LONGEST).collect()).into(),
    };
    match bounces
        .app
        .tasks
        .mail_records
        .mail_bounced(&key, patch)
        .await
    {
        // It came back already.
        Ok(_) | Err(Error::Refused { .. }) => Ok(NoContent),
        Err(Error::NotFound { .. } | Error::Invalid { .. }) => Err(Problem::not_found("mail")),
        Err(error) => Err(error.into()),
    }
}
