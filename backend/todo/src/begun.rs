//! Requests of many steps, which cannot have their record in one transaction. The key is claimed before the first step, so that another
//! request with the same key is refused before it has an effect; the answer is kept after the last. Where a process ended in between, the
//! repetition of the request finds the claim and does what is left.

use tablewright::{Change, Error, Once};
use tablewright_service::{Claims, Kind, Problem, ToAnswer};

use crate::model::{AnswerRequest, Idempotency, IdempotencyKey};
use crate::state::App;

/// A request that was begun: its key, if it has one, is its own.
pub(crate) struct Begun<'a> {
    app: &'a App,
    claims: &'a Claims<Idempotency>,
    taken_up: bool,
}

/// What is found under the key of a request.
enum Found {
    Nothing,
    /// The same request, without an answer.
    Begun,
    Answered(Idempotency),
}

/// Claims the key of a request, or takes up what an earlier process left; gives the answer if there is one by now.
pub(crate) async fn begin<'a>(
    app: &'a App,
    claims: &'a Claims<Idempotency>,
) -> Result<Once<Begun<'a>, Idempotency>, Problem> {
    let begun = |taken_up| {
        Once::Done(Begun {
            app,
            claims,
            taken_up,
        })
    };
    let Some(claimed) = claims.claimed() else {
        return Ok(begun(false));
    };
    // A claim that is given up between our two requests is tried once more.
    for _ in 0..2 {
        let records = &app.todo.idempotencies;
        match records.begin_request(Idempotency::begun(claimed)).await {
            Ok(_) => return Ok(begun(false)),
            Err(Error::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        match found(app, claims).await? {
            Found::Nothing => {}
            Found::Begun => return Ok(begun(true)),
            Found::Answered(record) => return Ok(Once::Before(record)),
        }
    }
    Err(Problem::new(Kind::CONFLICT))
}

/// What is found under the key; an error when it is another request's.
async fn found(app: &App, claims: &Claims<Idempotency>) -> Result<Found, Problem> {
    let Some((key, hash)) = key_of(claims) else {
        return Ok(Found::Nothing);
    };
    let record = app.todo.idempotencies.items().read_strong(&key).await?;
    match record {
        None => Ok(Found::Nothing),
        Some(record) if record.request_hash != hash => Err(Error::KeyReused {
            entity: String::from("Idempotency"),
        }
        .into()),
        Some(record) if record.http_status_code.is_none() => Ok(Found::Begun),
        Some(record) => Ok(Found::Answered(record)),
    }
}

fn key_of(claims: &Claims<Idempotency>) -> Option<(IdempotencyKey, &str)> {
    let claimed = claims.claimed()?;
    let key = IdempotencyKey::new(&claimed.caller, &claimed.route, &claimed.key);
    Some((key, &claimed.hash))
}

impl Begun<'_> {
    /// Whether the request was begun before and not ended: some of its steps may be done.
    pub(crate) fn is_taken_up(&self) -> bool {
        self.taken_up
    }

    /// Keeps the answer. Whoever did the same request at the same time and was faster has answered it for both.
    pub(crate) async fn end<O: ToAnswer>(self, output: O) -> Result<Once<O, Idempotency>, Problem> {
        let Some((key, hash)) = key_of(self.claims) else {
            return Ok(Once::Done(output));
        };
        let answer = output.to_answer()?;
        let change = AnswerRequest {
            response_data: Change::Set(Some(answer.kept())),
            http_status_code: Change::Set(Some(answer.status().into())),
        };
        let records = &self.app.todo.idempotencies;
        match records.answer_request(&key, hash, change).await {
            Ok(_) => return Ok(Once::Done(output)),
            Err(Error::NotFound { .. } | Error::Refused { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        match found(self.app, self.claims).await? {
            Found::Answered(record) => Ok(Once::Before(record)),
            // The claim ended with its day while the work went on: it was done, and cannot be told again.
            Found::Nothing | Found::Begun => Ok(Once::Done(output)),
        }
    }

    /// Gives the key free again, for a request that was refused before it did anything. What was taken up may have done something.
    pub(crate) async fn give_up(self) -> Result<(), Problem> {
        let Some((key, hash)) = key_of(self.claims).filter(|_| !self.taken_up) else {
            return Ok(());
        };
        let dropped = self.app.todo.idempotencies.drop_request(&key, hash).await;
        match dropped {
            Ok(_) | Err(Error::NotFound { .. } | Error::Refused { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
