//! What people do, one file a group.

mod questions;
mod responses;
mod scores;
mod subscriptions;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use tablewright_service::{Address, Created, Kind, Problem, Routes, post};

use crate::addresses;
use crate::limits::Limited;
use crate::state::App;
use crate::who::NewHuman;

pub(super) fn routes() -> Routes<App> {
    let people = Routes::new(
        "People",
        "People answer, once each and without an account, and earn points.",
    );
    let people = people.route(
        post("/human/people", make_person)
            .summary("Become a person")
            .about(
                "The token is all there is to know them by; keep it. Only a hash of it is stored.",
            )
            .problem(Kind::RATE_LIMITED),
    );
    let people = questions::add_to(people);
    let people = responses::add_to(people);
    let people = scores::add_to(people);
    subscriptions::add_to(people)
}

/// Somebody new.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Token {
    /// What the person sends: `Authorization: Bearer aahp_…`.
    token: String,
}

/// S2-26, C2-11
async fn make_person(
    State(app): State<App>,
    address: Address,
) -> Result<Limited<Created<Token>>, Problem> {
    let standing = addresses::makes_a_person(&app, address).await?;
    let NewHuman { token } = NewHuman::new(&app.signer);
    Ok(Limited {
        answer: Created::new(Token { token }, "/human/stats"),
        standing: Some(standing),
    })
}
