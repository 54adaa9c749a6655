//! Writes that may be repeated: one effect and one answer for each `Idempotency-Key`.

use std::fmt::Write as _;
use std::marker::PhantomData;

use aws_lc_rs::digest::{Context, SHA256};
use axum::body::Bytes;
use axum::extract::{FromRequest, MatchedPath, Request};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::json;
use tablewright::{Claim, Earlier, Once, Store};

use crate::answer::{Answer, ToAnswer};
use crate::api::{Input, Operation, Output};
use crate::auth::Asking;
use crate::page::Form;
use crate::problem::{Kind, Problem};
use crate::request::{parse, read_body, require_json};

/// The header with the key of a request.
pub const KEY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// The header of an answer that was given before.
pub const REPLAYED_HEADER: HeaderName = HeaderName::from_static("idempotency-replayed");

/// How long an answer is kept, in seconds: a repetition after that is a new request.
pub const KEPT_SECONDS: i64 = 24 * 60 * 60;

const LONGEST_KEY: usize = 255;

/// The longest name of a route in the records of the models.
const LONGEST_ROUTE: usize = 100;

/// Which request of which caller: what its record is found by, and what tells it from another with the same key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claimed {
    /// Who asks.
    pub caller: String,
    /// The method and the route, as `PATCH /tasks/{task_id}`.
    pub route: String,
    /// The key the caller gave.
    pub key: String,
    /// The hash of all that makes the request another: method, address, caller, the version that is meant, and body. SHA-256, in hexadecimal.
    pub hash: String,
    /// When it was made, in seconds since 1970.
    pub created_at: i64,
    /// When the record ends, in seconds since 1970.
    pub expires_at: i64,
}

/// The entity of a model that remembers answers. A service says once how its own generated entity does that;
/// `docs/services.md` shows how.
pub trait Record: Claim {
    /// Where the record of a request is.
    fn key_of(claimed: &Claimed) -> Self::Key;

    /// The record of a request with its answer.
    fn record(claimed: &Claimed, answer: &Answer) -> Self;

    /// The hash of the request it is of.
    fn hash(&self) -> &str;

    /// Whether it has an answer. A request of several transactions claims its key with a record that has none, before the first of them,
    /// and gives it one after the last; until then a repetition goes on with the work.
    fn is_answered(&self) -> bool {
        true
    }

    /// The pattern of the model that reads it, by which its cost is told.
    fn pattern() -> &'static str {
        &Self::descriptor().name
    }

    /// The answer it remembers: [`Answer::given_again`] with its status and its text.
    ///
    /// # Errors
    /// When it cannot be read.
    fn answer(&self) -> Result<Answer, Problem>;
}

/// A request that writes: its body, and its idempotency key if it has one. `Write<()>` has no body.
///
/// [`Write::once`] does the work, or gives the answer that was given before.
#[derive(Debug, Clone)]
pub struct Write<T> {
    /// The body.
    pub body: T,
    asked: Option<Asked>,
}

/// A request with a key, before the store's clock has been asked.
#[derive(Debug, Clone)]
struct Asked {
    caller: String,
    route: String,
    key: String,
    hash: String,
}

/// Makes the record of a request, once its answer is known.
#[derive(Debug, Clone)]
pub struct Claims<R> {
    claimed: Option<Claimed>,
    record: PhantomData<fn() -> R>,
}

impl<R: Record> Claims<R> {
    /// The record to write with the effect; none if the request has no key.
    ///
    /// # Errors
    /// When the answer cannot be written as JSON.
    pub fn of(&self, answer: &impl ToAnswer) -> Result<Option<R>, Problem> {
        let claimed = self.claimed.as_ref();
        let record = claimed.map(|claimed| Ok(R::record(claimed, &answer.to_answer()?)));
        record.transpose()
    }

    /// Which request it is, if it has a key.
    pub fn claimed(&self) -> Option<&Claimed> {
        self.claimed.as_ref()
    }
}

/// An answer that may have been given before; then it has the header `Idempotency-Replayed: true`.
#[derive(Debug, Clone)]
pub struct Replayable<O> {
    answer: Answer,
    replayed: bool,
    output: PhantomData<fn() -> O>,
}

impl<T> Write<T> {
    /// Does `work` once for each key, and answers as it did the first time. `work` computes its answer first, takes the record of it from
    /// [`Claims::of`], and writes it in the transaction that has the effect.
    ///
    /// # Errors
    /// What `work` says; 422 when the key was used for another request.
    pub async fn once<R, O, F>(
        &self,
        store: &Store,
        work: impl FnOnce(Claims<R>) -> F,
    ) -> Result<Replayable<O>, Problem>
    where
        R: Record,
        O: ToAnswer,
        F: Future<Output = Result<Once<O, R>, Problem>>,
    {
        let claimed = self.asked.as_ref().map(|asked| {
            let created_at = store.now_millis().div_euclid(1000);
            Claimed {
                caller: asked.caller.clone(),
                route: asked.route.clone(),
                key: asked.key.clone(),
                hash: asked.hash.clone(),
                created_at,
                expires_at: created_at.saturating_add(KEPT_SECONDS),
            }
        });
        let claims = Claims {
            claimed: claimed.clone(),
            record: PhantomData,
        };
        let done = match &claimed {
            None => work(claims).await?,
            Some(claimed) => {
                let earlier = |record: &R| match record.hash() == claimed.hash {
                    false => Earlier::OfAnother,
                    true if record.is_answered() => Earlier::Answered,
                    true => Earlier::Begun,
                };
                let key = R::key_of(claimed);
                store
                    .on_behalf_of(R::pattern())
                    .once_or_resumed(&key, earlier, || work(claims))
                    .await?
            }
        };
        match done {
            Once::Done(output) => Ok(Replayable::new(output.to_answer()?, false)),
            Once::Before(record) => {
                let record = tablewright::Stored::data(&record);
                Ok(Replayable::new(record.answer()?, true))
            }
        }
    }
}

impl<O> Replayable<O> {
    fn new(answer: Answer, replayed: bool) -> Self {
        Replayable {
            answer,
            replayed,
            output: PhantomData,
        }
    }

    /// Whether it was given before.
    pub fn is_replayed(&self) -> bool {
        self.replayed
    }
}

impl<O> IntoResponse for Replayable<O> {
    fn into_response(self) -> Response {
        let mut response = self.answer.into_response();
        if self.replayed {
            let value = HeaderValue::from_static("true");
            response.headers_mut().insert(REPLAYED_HEADER, value);
        }
        response
    }
}

impl<O: Output> Output for Replayable<O> {
    fn describe(operation: &mut Operation<'_>) {
        O::describe(operation);
        operation.problem(&Kind::KEY_REUSED);
    }
}

impl<S: Sync, T: DeserializeOwned + 'static> FromRequest<S> for Write<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let has_body = std::any::TypeId::of::<T>() != std::any::TypeId::of::<()>();
        if has_body {
            require_json(request.headers())?;
        }
        let write = of_bytes(request, has_body).await?;
        Ok(Write {
            body: parse(&write.body)?,
            asked: write.asked,
        })
    }
}

/// A form of a page, which may be sent twice as well.
impl<S: Sync> FromRequest<S> for Write<Form> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let write = of_bytes(request, true).await?;
        Ok(Write {
            body: Form::of_text(&write.body)?,
            asked: write.asked,
        })
    }
}

/// A request that writes, its body as it came; `null` where it has none.
async fn of_bytes(request: Request, has_body: bool) -> Result<Write<Bytes>, Problem> {
    let key = key_of(request.headers())?;
    let asked = key.map(|key| Asking::of(&request).map(|caller| (key, caller.sub.clone())));
    let asked = asked.transpose()?;
    let method = request.method().to_string();
    let address = request.uri().path_and_query().map(ToString::to_string);
    let matched = request.extensions().get::<MatchedPath>();
    let route = matched.map_or("", MatchedPath::as_str);
    let mut route = format!("{method} {route}");
    route.truncate(route.floor_char_boundary(LONGEST_ROUTE));
    let [meant, not_meant] = meant(request.headers());
    let mut body = read_body(request).await?;
    if !has_body {
        no_body(&body)?;
        body = Bytes::from_static(b"null");
    }
    let asked = asked.map(|(key, caller)| Asked {
        hash: hash(
            &[
                &method,
                &address.unwrap_or_default(),
                &caller,
                &meant,
                &not_meant,
            ],
            &body,
        ),
        caller,
        route,
        key,
    });
    Ok(Write { body, asked })
}

/// Which version is meant, as the request says it: of another version it is another request.
fn meant(headers: &HeaderMap) -> [String; 2] {
    [http::header::IF_MATCH, http::header::IF_NONE_MATCH].map(|name| {
        let said = headers.get_all(name).iter();
        let said = said.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        said.collect::<Vec<_>>().join(",")
    })
}

/// Refuses what would not be looked at.
fn no_body(body: &[u8]) -> Result<(), Problem> {
    match body.trim_ascii() {
        b"" | b"{}" => Ok(()),
        _ => Err(Problem::invalid("body", "this request has no body")),
    }
}

/// The key of a request: 1 to 255 visible characters.
fn key_of(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut sent = headers.get_all(KEY_HEADER).iter();
    let Some(key) = sent.next() else {
        return Ok(None);
    };
    let refused = |why: &str| Problem::new(Kind::MALFORMED).field("Idempotency-Key", why);
    if sent.next().is_some() {
        return Err(refused("it is there twice"));
    }
    let fits = |key: &&str| {
        (1..=LONGEST_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let key = key.to_str().ok().filter(fits);
    match key {
        Some(key) => Ok(Some(key.to_owned())),
        None => Err(refused(
            "it has 1 to 255 visible characters, as a UUID has, and no spaces",
        )),
    }
}

/// SHA-256 in hexadecimal, of texts and a body with their lengths, so that no two requests have one text.
fn hash(texts: &[&str], body: &[u8]) -> String {
    let mut context = Context::new(&SHA256);
    for part in texts.iter().map(|text| text.as_bytes()).chain([body]) {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    let mut hash = String::with_capacity(64);
    for byte in context.finish().as_ref() {
        write!(hash, "{byte:02x}").expect("a string takes all that is written to it");
    }
    hash
}

impl<T: JsonSchema + 'static> Input for Write<T> {
    fn describe(operation: &mut Operation<'_>) {
        let about = "Makes it safe to send the request again: it is done once, and answered the same, for 24 hours.";
        let schema =
            json!({ "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" });
        operation.header("Idempotency-Key", about, schema);
        operation.problem(&Kind::MALFORMED);
        if std::any::TypeId::of::<T>() != std::any::TypeId::of::<()>() {
            return operation.body::<T>();
        }
        // A body that is there all the same is read, to be refused.
        for kind in [Kind::TOO_SLOW, Kind::TOO_LARGE, Kind::INVALID] {
            operation.problem(&kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_request_differs_from_another_in_all_that_makes_it() {
        let all = [
            hash(&["POST", "/tasks", "ada"], b"{}"),
            hash(&["PUT", "/tasks", "ada"], b"{}"),
            hash(&["POST", "/tasks?x", "ada"], b"{}"),
            hash(&["POST", "/tasks", "bob"], b"{}"),
            hash(&["POST", "/tasks", "ada"], b"{ }"),
            hash(&["POST", "/task", "sada"], b"{}"),
        ];
        for (position, hash) in all.iter().enumerate() {
            assert_eq!(hash.len(), 64);
            assert!(!all[..position].contains(hash));
        }
    }

    #[test]
    fn a_key_is_what_can_be_seen() {
        let given = |value: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.append(KEY_HEADER, HeaderValue::from_bytes(value).unwrap());
            key_of(&headers)
        };
        assert_eq!(given(b"0b6c-a").unwrap().as_deref(), Some("0b6c-a"));
        assert_eq!(given(&[b'k'; 255]).unwrap().map(|key| key.len()), Some(255));
        assert_eq!(key_of(&HeaderMap::new()).unwrap(), None);
        for refused in [&b""[..], &[b'k'; 256], b"a b", b"a\tb", "é".as_bytes()] {
            assert_eq!(given(refused).unwrap_err().status(), 400, "{refused:?}");
        }
    }
}
