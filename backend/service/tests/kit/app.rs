//! The service under test: notes, each a caller's own.

use std::time::Duration;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tablewright::{Entity as _, Store, Ulid, Versioned};
use tablewright_service::{
    About, Answer, Caller, Claimed, Created, Cursor, ETag, IfMatch, IfNoneMatch, Json, Kind, Limit,
    Listing, NoContent, Params, Path, Problem, Record, Replayable, Routes, Service, Settings,
    Tagged, Write, delete, get, patch, post,
};

use crate::model::{ChangeNote, Idempotency, IdempotencyKey, Note, NoteKey, Notes};

pub(crate) const ABOUT: About = About {
    name: "notes",
    title: "Notes",
    about: "People keep their own notes.",
    version: "1.0.0",
    port: 8090,
};

const SEALED: Kind = Kind {
    slug: "sealed",
    status: 409,
    title: "The note is sealed",
    about: "Notes with five stars are not changed.",
};

impl Record for Idempotency {
    fn key_of(claimed: &Claimed) -> IdempotencyKey {
        IdempotencyKey::new(&claimed.caller, &claimed.route, &claimed.key)
    }

    fn record(claimed: &Claimed, answer: &Answer) -> Self {
        Idempotency {
            user_id: claimed.caller.clone(),
            route: claimed.route.clone(),
            request_id: claimed.key.clone(),
            request_hash: claimed.hash.clone(),
            response_data: answer.kept(),
            http_status_code: answer.status().into(),
            created_at: claimed.created_at,
            ttl: claimed.expires_at,
        }
    }

    fn hash(&self) -> &str {
        &self.request_hash
    }

    fn answer(&self) -> Result<Answer, Problem> {
        Answer::given_again(self.http_status_code, &self.response_data)
    }
}

/// What a new note says.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewNote {
    /// 1 to 200 characters.
    text: String,
    /// 0 to 5.
    #[serde(default)]
    stars: i64,
}

/// What changes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoteChange {
    text: Option<String>,
    stars: Option<i64>,
}

/// A note.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct NoteView {
    note_id: Ulid,
    text: String,
    stars: i64,
}

impl NoteView {
    fn of(note: &Note) -> Self {
        NoteView {
            note_id: note.note_id,
            text: note.text.clone(),
            stars: note.stars,
        }
    }
}

fn location(note: &Note) -> String {
    format!("/api/v1/notes/{}", note.note_id)
}

async fn write_note(
    State(notes): State<Notes>,
    caller: Caller,
    write: Write<NewNote>,
) -> Result<Replayable<Created<NoteView>>, Problem> {
    let work = async |claims: tablewright_service::Claims<Idempotency>| {
        let note = Note {
            user_id: caller.sub,
            note_id: Ulid::new(),
            text: write.body.text.clone(),
            stars: write.body.stars,
        };
        let created = Created::new(NoteView::of(&note), location(&note));
        let done = notes.notes.write_note(note, claims.of(&created)?).await?;
        Ok(done.map(|note| created.etag(ETag::of(&note))))
    };
    write.once(notes.store(), work).await
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

async fn list_notes(
    State(notes): State<Notes>,
    caller: Caller,
    Params(asked): Params<Asked>,
) -> Result<Json<Listing<NoteView>>, Problem> {
    let cursor = asked.cursor.as_ref().map(Cursor::as_str);
    let query = notes.notes.notes(&caller.sub).caller(&caller.sub);
    let page = query.limit(asked.limit.get()).after(cursor).page().await?;
    Ok(Json(Listing::of(page, |note| NoteView::of(&note))))
}

async fn read_note(
    State(notes): State<Notes>,
    caller: Caller,
    Path(note_id): Path<Ulid>,
    known: IfNoneMatch,
) -> Result<axum::response::Response, Problem> {
    let note = notes.notes.note(&caller.sub, note_id).await?;
    let note = note.ok_or_else(|| Problem::not_found("note"))?;
    if known.has(&note) {
        return Ok(axum::response::IntoResponse::into_response(Answer::empty(
            304,
        )));
    }
    let (etag, body) = (ETag::of(&note), NoteView::of(&note));
    Ok(axum::response::IntoResponse::into_response(Tagged {
        body,
        etag,
    }))
}

async fn change_note(
    State(notes): State<Notes>,
    caller: Caller,
    Path(note_id): Path<Ulid>,
    meant: IfMatch,
    write: Write<NoteChange>,
) -> Result<Replayable<Tagged<NoteView>>, Problem> {
    let key = NoteKey::new(&caller.sub, note_id);
    let work = async |claims: tablewright_service::Claims<Idempotency>| {
        let change = |note: &Versioned<Note>| {
            meant.check(note)?;
            if note.stars == 5 {
                return Err(Problem::new(SEALED));
            }
            let mut changed = note.data.clone();
            changed.text = write.body.text.clone().unwrap_or(changed.text);
            changed.stars = write.body.stars.unwrap_or(changed.stars);
            let answer = Json(NoteView::of(&changed));
            let change = ChangeNote {
                text: changed.text.into(),
                stars: changed.stars.into(),
            };
            Ok((change, claims.of(&answer)?))
        };
        let done = notes.notes.change_note(&key, change).await?;
        Ok(done.map(|note| Tagged {
            etag: ETag::of(&note),
            body: NoteView::of(&note),
        }))
    };
    write.once(notes.store(), work).await
}

async fn delete_note(
    State(notes): State<Notes>,
    caller: Caller,
    Path(note_id): Path<Ulid>,
    write: Write<()>,
) -> Result<Replayable<NoContent>, Problem> {
    let key = NoteKey::new(&caller.sub, note_id);
    let work = async |claims: tablewright_service::Claims<Idempotency>| {
        let done = notes.notes.delete_note(&key, claims.of(&NoContent)?);
        Ok(done.await?.map(|_| NoContent))
    };
    write.once(notes.store(), work).await
}

/// Who one is.
#[derive(Debug, Serialize, JsonSchema)]
struct Me {
    sub: String,
    email: Option<String>,
    email_verified: bool,
    name: Option<String>,
    groups: Vec<String>,
}

async fn me(caller: Caller) -> Json<Me> {
    Json(Me {
        sub: caller.sub,
        email: caller.email,
        email_verified: caller.email_verified,
        name: caller.name,
        groups: caller.groups,
    })
}

/// It does not ask who calls, and is still for callers only.
async fn careless() -> Json<&'static str> {
    Json("done")
}

async fn panics() -> Json<()> {
    panic!("the secret of the handler");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Slowly {
    millis: u64,
}

async fn slow(Params(asked): Params<Slowly>) -> Json<&'static str> {
    tokio::time::sleep(Duration::from_millis(asked.millis)).await;
    Json("done")
}

async fn hello(caller: Option<Caller>) -> Json<String> {
    Json(caller.map_or_else(|| String::from("stranger"), |caller| caller.sub))
}

async fn echo(Json(body): Json<Echo>) -> Json<Echo> {
    Json(body)
}

/// The same in and out, but that one may be left out when it comes in.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Echo {
    #[serde(default)]
    text: String,
    inner: Option<Vec<Inner>>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Inner {
    number: u8,
}

async fn page() -> axum::response::Html<&'static str> {
    axum::response::Html("<p>notes")
}

async fn plain_refusal() -> (http::StatusCode, &'static str) {
    (http::StatusCode::IM_A_TEAPOT, "short and stout")
}

fn routes() -> Routes<Notes> {
    Routes::new("Notes", "Things worth keeping.")
        .route(post("/notes", write_note).summary("Write a note"))
        .route(
            get("/notes", list_notes)
                .summary("The caller's notes")
                .problem(Kind::BAD_CURSOR),
        )
        .route(
            get("/notes/{note_id}", read_note)
                .summary("A note")
                .answers::<NoteView>(200, "The note")
                .problem(Kind::NOT_FOUND),
        )
        .route(
            patch("/notes/{note_id}", change_note)
                .summary("Change a note")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::CONFLICT)
                .problem(SEALED),
        )
        .route(
            delete("/notes/{note_id}", delete_note)
                .summary("Delete a note")
                .problem(Kind::NOT_FOUND),
        )
        .route(get("/me", me).summary("Who one is"))
        .route(get("/careless", careless).summary("For callers, though it does not ask"))
        .route(get("/panic", panics).summary("Breaks off"))
        .route(get("/slow", slow).summary("Takes its time"))
        .route(post("/echo", echo).summary("The same again"))
}

fn open_routes() -> Routes {
    let heading = Routes::new("Greetings", "For everybody.");
    heading.route(get("/hello", hello).summary("Says hello"))
}

/// The service on a store.
pub(crate) fn service(settings: Settings, store: &Store) -> Service {
    let pages = axum::Router::new()
        .route("/", axum::routing::get(page))
        .route("/teapot", axum::routing::get(plain_refusal));
    let notes = Notes::new(store);
    Service::new(settings)
        .unwrap()
        .tables(store, &[Note::descriptor(), Idempotency::descriptor()])
        .routes(routes().with_state(notes).under("/api/v1"))
        .open_routes(open_routes())
        .pages(pages)
        .problems(&[SEALED])
}
