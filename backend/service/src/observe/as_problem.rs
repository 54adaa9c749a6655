//! Whatever refuses a request, callers get a problem: also from axum, which answers in plain text.

use axum::body::{Body, to_bytes};
use axum::response::Response;
use http::{HeaderValue, header};

use crate::problem::{Kind, MEDIA_TYPE, Problem};

/// The longest text of a refusal that is passed on.
const LONGEST: usize = 1024;

/// The response with the id of the request, as a problem if it refuses.
pub(super) async fn as_problem(mut response: Response, request_id: &str) -> Response {
    if !response.status().is_client_error() && !response.status().is_server_error() {
        return response;
    }
    // A page that tells people of it in its own way; what it tells of is logged all the same.
    if is_page(&response) {
        return response;
    }
    let problem = match response.extensions().get::<Problem>() {
        Some(problem) => problem.clone(),
        // A page or a document of the handler's own.
        None if !is_plain(&response) => return response,
        None => {
            let status = response.status();
            let text = to_bytes(std::mem::take(response.body_mut()), LONGEST).await;
            let text = String::from_utf8(text.unwrap_or_default().to_vec()).unwrap_or_default();
            let kind = Kind::of_status(status.as_u16());
            let mut problem = Problem::new(kind.unwrap_or(Kind::UNNAMED));
            if kind == Some(Kind::METHOD_NOT_ALLOWED) {
                // Which these are axum adds later.
                let why = "the address takes those of the header Allow";
                problem = problem.field("method", why);
            }
            match text.as_str() {
                "" => problem,
                text if status.is_server_error() => problem.cause(text),
                text => problem.detail(text),
            }
        }
    };
    let mut body = problem.body();
    body.status = response.status().as_u16();
    if let (true, Some(reason)) = (
        problem.kind() == Kind::UNNAMED,
        response.status().canonical_reason(),
    ) {
        reason.clone_into(&mut body.title);
    }
    body.request_id = Some(request_id.to_owned());
    let body = serde_json::to_vec(&body).expect("texts and numbers are JSON");
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    *response.body_mut() = Body::from(body);
    response.extensions_mut().insert(problem);
    response
}

fn is_page(response: &Response) -> bool {
    let media_type = response.headers().get(header::CONTENT_TYPE);
    media_type.is_some_and(|value| value.as_bytes().starts_with(b"text/html"))
}

fn is_plain(response: &Response) -> bool {
    let media_type = response.headers().get(header::CONTENT_TYPE);
    media_type.is_none_or(|value| value.as_bytes().starts_with(b"text/plain"))
}
