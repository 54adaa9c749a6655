//! The page of admins: answers that look like abuse.

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error, StrDeserializer};
use tablewright::Uuid;
use tablewright_service::{Form, PageSignIn, Problem, Settings, Write};

use super::html;
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
}

impl From<FlaggedAnswer> for Review {
    fn from(flagged: FlaggedAnswer) -> Self {
        let seconds = flagged.response_time_ms.map(|ms| ms as f64 / 1000.0);
        let prompt = flagged.prompt;
        Review {
            question_id: flagged.question_id,
            who: flagged.fingerprint_hash.chars().take(8).collect(),
            fingerprint_hash: flagged.fingerprint_hash,
            reason: flagged.flag_reason.map_or("", |reason| reason.as_str()),
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
    let text = |name: &'static str| {
        let text = said.text(name);
        text.ok_or_else(|| Problem::invalid(name, "it is missing"))
    };
    let question_id = text("question_id")?.parse();
    let verdict: StrDeserializer<'_, Error> = text("review")?.into_deserializer();
    let decision = Decision {
        question_id: question_id.map_err(|_| Problem::invalid("question_id", "it is no id"))?,
        fingerprint_hash: text("fingerprint_hash")?.to_owned(),
        review: Verdict::deserialize(verdict)
            .map_err(|why| Problem::invalid("review", why.to_string()))?,
    };
    reviewing::decide(&app, &decision).await?;
    shown(&app).await
}

async fn shown(app: &App) -> Result<Response, Problem> {
    let page = reviewing::waiting(app, SHOWN, None).await?;
    html(&Reviews {
        more: page.next_cursor.is_some(),
        reviews: page.items.into_iter().map(Review::from).collect(),
    })
}
