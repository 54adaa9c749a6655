//! Signing people in at the configured issuer: OpenID Connect's authorization code flow with PKCE, for a public client.
//!
//! The browser makes the secrets and keeps them; the service finds the endpoints and exchanges the code, so that a page need not be allowed to ask anybody else.

mod discovery;
mod exchange;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::header;
use serde::Serialize;

use self::discovery::Discovery;
use self::exchange::Handed;
use crate::auth::{Denied, Fetcher, Verifier};
use crate::problem::{Kind, Problem};
use crate::request::Json;
use crate::settings::{Issuer, Published};

/// What a page asks for: who they are, by what address, and how they are called.
const SCOPE: &str = "openid email profile";

/// What signing in needs.
#[derive(Debug)]
struct SignIn {
    published: Published,
    client: String,
    discovery: Discovery,
    fetcher: Fetcher,
    verifier: Arc<Verifier>,
}

/// Where a page sends people, and what it says there.
#[derive(Debug, Serialize)]
struct Begin {
    authorization_endpoint: String,
    client_id: String,
    scope: &'static str,
    issuer: String,
}

/// What a page gets for a code.
#[derive(Serialize)]
struct Given {
    token: String,
}

/// The routes of signing in, where there is a client to do it as.
pub(crate) fn routes(issuer: &Issuer, verifier: &Arc<Verifier>) -> Option<Router> {
    let Issuer::Published(published) = issuer else {
        return None;
    };
    let sign_in = SignIn {
        client: published.client.clone()?,
        discovery: Discovery::new(published),
        published: published.clone(),
        fetcher: Fetcher::new(),
        verifier: Arc::clone(verifier),
    };
    Some(
        Router::new()
            .route("/page/sign-in", get(begin).post(finish))
            .with_state(Arc::new(sign_in))
            .route("/page/sign-in.js", get(script)),
    )
}

async fn begin(State(sign_in): State<Arc<SignIn>>) -> Result<Json<Begin>, Problem> {
    let endpoints = sign_in.discovery.endpoints(&sign_in.fetcher).await?;
    Ok(Json(Begin {
        authorization_endpoint: endpoints.authorization.clone(),
        client_id: sign_in.client.clone(),
        scope: SCOPE,
        issuer: sign_in.published.issuer.clone(),
    }))
}

async fn finish(
    State(sign_in): State<Arc<SignIn>>,
    Json(handed): Json<Handed>,
) -> Result<Json<Given>, Problem> {
    let form = handed.form(&sign_in.client)?;
    let endpoints = sign_in.discovery.endpoints(&sign_in.fetcher).await?;
    let tokens = exchange::exchange(&sign_in.fetcher, &endpoints.token, form).await?;
    // An id token is for the client. Where the service is somebody else, the access token is for it.
    let is_client = sign_in.published.audience.contains(&sign_in.client);
    let token = match is_client {
        true => tokens.id_token,
        false => tokens.access_token,
    };
    let token =
        token.ok_or_else(|| exchange::not_understood("the token that is needed is missing"))?;
    // Told here, or the first request of the page would only say that one should sign in again.
    match sign_in.verifier.caller(&token).await {
        Ok(_) => Ok(Json(Given { token })),
        Err(Denied::BadToken(why)) => Err(Problem::new(Kind::SIGN_IN_REFUSED)
            .detail(format!(
                "the issuer gave a token that is not accepted here: {why}"
            ))
            .cause(why)),
        Err(other) => Err(other.into()),
    }
}

async fn script() -> Response {
    // Short: a new version of the program must not meet an old script.
    let headers = [
        (header::CONTENT_TYPE, "text/javascript"),
        (header::CACHE_CONTROL, "public, max-age=60"),
    ];
    (headers, include_str!("sign_in/sign_in.js")).into_response()
}
