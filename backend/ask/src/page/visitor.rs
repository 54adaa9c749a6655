//! Who looks at a page: somebody with a cookie, or somebody who is given one when they do something for which they must be known.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, header};
use tablewright_service::{Address, Problem};

use crate::addresses;
use crate::state::App;
use crate::who::{COOKIE, Human, NewHuman};

/// How long a cookie is kept after the last visit, in seconds: browsers keep none for longer than 400 days.
const KEPT: u32 = 400 * 86_400;

/// Somebody who is known from now on.
pub(super) struct Visitor {
    pub(super) human: Human,
    /// The cookie they are given, if they had none.
    new: Option<NewHuman>,
}

impl Visitor {
    /// Who a request is from, by its cookie.
    pub(super) fn known(app: &App, headers: &HeaderMap) -> Option<Human> {
        Human::of_cookie(&app.signer, headers)
    }

    /// The same, or somebody new. So many an hour come from one address.
    pub(super) async fn welcome(
        app: &App,
        headers: &HeaderMap,
        address: Address,
    ) -> Result<Self, Problem> {
        if let Some(human) = Visitor::known(app, headers) {
            return Ok(Visitor { human, new: None });
        }
        addresses::makes_a_person(app, address).await?;
        let new = NewHuman::new(&app.signer);
        let human = Human::of_token(&app.signer, &new.token);
        let human = human.ok_or_else(|| Problem::internal("a token of ours is none"))?;
        Ok(Visitor {
            human,
            new: Some(new),
        })
    }

    /// The page, with the cookie if it is new. `secure` is whether it is sent over https only.
    pub(super) fn shown(self, mut page: Response, secure: bool) -> Response {
        if let Some(NewHuman { token }) = self.new {
            give(&mut page, &token, secure);
        }
        page
    }
}

/// Whoever comes with a cookie gets it again with each page, so that who comes now and then is never forgotten. Parts of pages and forms are without.
pub(super) async fn remembered(app: App, request: Request, next: Next) -> Response {
    let is_visit = request.method() == Method::GET && !request.headers().contains_key("x-part");
    let known = Human::with_cookie(&app.signer, request.headers()).filter(|_| is_visit);
    let token = known.map(|(_, token)| token.to_owned());
    let mut page = next.run(request).await;
    if let Some(token) = token {
        give(&mut page, &token, app.https_only);
    }
    page
}

fn give(page: &mut Response, token: &str, secure: bool) {
    let secure = if secure { "; Secure" } else { "" };
    let cookie =
        format!("{COOKIE}={token}; Path=/; Max-Age={KEPT}; HttpOnly; SameSite=Lax{secure}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        page.headers_mut().append(header::SET_COOKIE, cookie);
    }
}
