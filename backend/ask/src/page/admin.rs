//! The page of admins: answers that look like abuse, and who was banned.

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error, StrDeserializer};
use tablewright::Uuid;
use tablewright_service::{Form, PageSignIn, Problem, Settings, Write};

use super::html;
use crate::banning::{self, Ban};
use crate::reviewing::{self, Decision, FlaggedAnswer, Verdict};
use crate::state::App;
use crate::who::Admin;

/// How many are shown at once.
const SHOWN: u32 = 20;

pub(super) fn routes(app: &App, settings: &Settings) -> Router {
    Router::new()
        .route("/admin", get(shell))
        .with_state(PageSignIn::of(settings))
        .merge(
            Router::new()
                .route("/page/admin/reviews", get(show).post(decide))
                .route("/page/admin/bans", post(end_ban))
                .with_state(app.clone()),
        )
}

#[derive(Template)]
#[template(path = "admin.html")]
struct Shell {
    here: &'static str,
    sign_in: PageSignIn,
}

async fn shell(State(sign_in): State<PageSignIn>) -> Result<Response, Problem> {
    html(&Shell { here: "", sign_in })
}

struct Review {
    question_id: Uuid,
    fingerprint_hash: String,
    who: String,
    reason: &'static str,
    time: String,
    when: String,
    prompt: String,
    answer: String,
}

#[derive(Template)]
#[template(path = "reviews.html")]
struct Reviews {
    reviews: Vec<Review>,
    more: bool,
    banned: Vec<Banned>,
    more_banned: bool,
}

struct Banned {
    fingerprint_hash: String,
    who: String,
    since: String,
}

impl From<Ban> for Banned {
    fn from(ban: Ban) -> Self {
        Banned {
            who: short(&ban.fingerprint_hash),
            fingerprint_hash: ban.fingerprint_hash,
            since: ban.banned_at.map_or_else(String::new, |at| at.to_string()),
        }
    }
}

/// Enough of what somebody is known by to tell them from others.
fn short(fingerprint_hash: &str) -> String {
    fingerprint_hash.chars().take(8).collect()
}

impl From<FlaggedAnswer> for Review {
    fn from(flagged: FlaggedAnswer) -> Self {
        let seconds = flagged.response_time_ms.map(|ms| ms as f64 / 1000.0);
        let prompt = flagged.prompt;
        Review {
            question_id: flagged.question_id,
            who: short(&flagged.fingerprint_hash),
            fingerprint_hash: flagged.fingerprint_hash,
            reason: match flagged.flag_reason {
                Some(reason) => reason.as_str(),
                // It was never flagged, and waits since the ban was ended that it was the reason for.
                None => "after a ban",
            },
            time: seconds.map_or_else(String::new, |seconds| format!("after {seconds:.1} s")),
            when: flagged.created_at.to_string(),
            prompt: prompt.unwrap_or_else(|| String::from("(the question is gone)")),
            answer: flagged.answer.or(flagged.selected_text).unwrap_or_default(),
        }
    }
}

async fn show(State(app): State<App>, _: Admin) -> Result<Response, Problem> {
    shown(&app).await
}

async fn decide(State(app): State<App>, _: Admin, form: Write<Form>) -> Result<Response, Problem> {
    let said = form.body;
    let question_id = text(&said, "question_id")?.parse();
    let verdict: StrDeserializer<'_, Error> = text(&said, "review")?.into_deserializer();
    let decision = Decision {
        question_id: question_id.map_err(|_| Problem::invalid("question_id", "it is no id"))?,
        fingerprint_hash: text(&said, "fingerprint_hash")?.to_owned(),
        review: Verdict::deserialize(verdict)
            .map_err(|why| Problem::invalid("review", why.to_string()))?,
    };
    reviewing::decide(&app, &decision).await?;
    shown(&app).await
}

async fn end_ban(State(app): State<App>, _: Admin, form: Write<Form>) -> Result<Response, Problem> {
    banning::end(&app, text(&form.body, "fingerprint_hash")?).await?;
    shown(&app).await
}

fn text<'f>(said: &'f Form, name: &'static str) -> Result<&'f str, Problem> {
    let text = said.text(name);
    text.ok_or_else(|| Problem::invalid(name, "it is missing"))
}

async fn shown(app: &App) -> Result<Response, Problem> {
    let (page, bans) = tokio::try_join!(
        reviewing::waiting(app, SHOWN, None),
        banning::banned(app, SHOWN, None),
    )?;
    html(&Reviews {
        more: page.next_cursor.is_some(),
        reviews: page.items.into_iter().map(Review::from).collect(),
        more_banned: bans.next_cursor.is_some(),
        banned: bans.items.into_iter().map(Banned::from).collect(),
    })
}
