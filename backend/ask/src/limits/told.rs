//! Every reply of a limited route says where one stands: also what is refused before anything is counted, and what is told again.

use axum::extract::{FromRequestParts as _, MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use http::Method;
use http::request::Parts;
use tablewright_service::{Address, Problem};

use super::{LIMIT_HEADER, Limit, Standing};
use crate::addresses;
use crate::answering;
use crate::state::App;
use crate::subscribing;
use crate::who::{Human, KnownAgent};

/// What a route is limited by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Questions,
    Polls,
    Answers,
    Reads,
    People,
    Devices,
    Tokens,
}

/// The pages that count as reads of an address.
const PAGES: [&str; 7] = [
    "/",
    "/questions/{question_id}",
    "/skip",
    "/thanks",
    "/leaderboard",
    "/me",
    "/settings",
];

impl By {
    fn of(method: &Method, path: &str) -> Option<By> {
        Some(match (method.as_str(), path) {
            ("POST", "/agent/questions") => By::Questions,
            ("GET", path) if path.starts_with("/agent/") => By::Polls,
            ("POST", "/human/people") => By::People,
            ("POST", "/human/responses") => By::Answers,
            ("POST", "/human/push/subscriptions") => By::Devices,
            ("PUT", "/human/push/subscriptions/{subscription_id}") => By::Tokens,
            ("GET", path) if path.starts_with("/human/") => By::Reads,
            ("GET", path) if PAGES.contains(&path) => By::Reads,
            ("POST", "/questions/{question_id}") => By::Answers,
            ("POST", "/settings/devices") => By::Devices,
            ("POST", "/page/agent/questions") => By::Questions,
            _ => return None,
        })
    }

    /// The limits of whoever asks. An agent or a person whom nobody knows has none.
    async fn limits(self, app: &App, asked: &mut Parts) -> Result<Vec<Limit>, Problem> {
        Ok(match self {
            By::Questions => {
                let agent = KnownAgent::from_request_parts(asked, app).await?;
                vec![agent.questions()]
            }
            By::Polls => {
                let agent = KnownAgent::from_request_parts(asked, app).await?;
                vec![agent.polls()]
            }
            By::Answers => {
                let human = Human::known(&app.signer, &asked.headers);
                human.map_or_else(Vec::new, |human| answering::limits_of(&human).into())
            }
            By::Reads => vec![addresses::reads_of(address(asked, app).await)],
            By::People => vec![addresses::people_of(address(asked, app).await)],
            By::Tokens => vec![addresses::devices_of(address(asked, app).await)],
            By::Devices => {
                let human = Human::known(&app.signer, &asked.headers);
                let own = human.as_ref().map(subscribing::devices_of);
                let there = addresses::devices_of(address(asked, app).await);
                [there].into_iter().chain(own).collect()
            }
        })
    }

    /// Where whoever asked stands, without using anything.
    async fn standing(self, app: &App, asked: &mut Parts) -> Result<Option<Standing>, Problem> {
        let mut closest: Option<Standing> = None;
        for limit in self.limits(app, asked).await? {
            let standing = limit.look(app).await?;
            closest = Some(closest.map_or(standing, |closest| closest.closer(standing)));
        }
        Ok(closest)
    }
}

async fn address(asked: &mut Parts, app: &App) -> Address {
    let Ok(address) = Address::from_request_parts(asked, app).await;
    address
}

/// Adds where one stands to whatever does not say it yet.
pub(crate) async fn everywhere(app: App, request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    let by = path.and_then(|path| By::of(request.method(), path.as_str()));
    let Some(by) = by else {
        return next.run(request).await;
    };
    let (parts, body) = request.into_parts();
    let mut asked = parts.clone();
    let mut response = next.run(Request::from_parts(parts, body)).await;
    if response.headers().contains_key(LIMIT_HEADER) {
        return response;
    }
    // Where it cannot be read now, the reply is still the reply.
    if let Ok(Some(standing)) = by.standing(&app, &mut asked).await {
        response.headers_mut().extend(standing.headers());
    }
    response
}
