//! Requests of many steps, which cannot have their record in one transaction. The key is claimed before the first step, so that another
//! request with the same key is refused before it has an effect; the answer is kept after the last. Who is at work holds the claim, and
//! says so every few seconds. A repetition waits for the answer; where nobody holds the claim any more, it finds what was chosen and does
//! what is left.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use tablewright::{Change, Error, Once};
use tablewright_service::{Claims, Kind, Problem, ToAnswer};

use crate::model::{AnswerRequest, HoldRequest, Idempotency, IdempotencyKey};
use crate::state::App;

/// How long a claim is held by somebody of whom nothing is heard, in seconds.
const HELD_SECONDS: i64 = 10;

/// How often who is at work says so.
const HOLD_EVERY: Duration = Duration::from_secs(3);

/// The first wait for the answer of another, and the longest.
const WAITS: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(1)];

/// A request that was begun: its key, if it has one, is its own. Whoever drops it before its end lets go of the key.
pub(crate) struct Begun<'a> {
    app: &'a App,
    claims: &'a Claims<Idempotency>,
    /// The claim of who began it, where that was another.
    taken_up: Option<Idempotency>,
    /// Until when the claim is held, by what is stored.
    held_until: AtomicI64,
    /// Whether it is to be let go.
    is_held: AtomicBool,
    /// When the answer is due.
    until: Instant,
}

/// What is found under the key of a request.
enum Found {
    Nothing,
    /// The same request, without an answer.
    Begun(Idempotency),
    Answered(Idempotency),
}

/// Claims the key of a request, or takes up what an earlier process left; gives the answer if there is one by now.
pub(crate) async fn begin<'a>(
    app: &'a App,
    claims: &'a Claims<Idempotency>,
) -> Result<Once<Begun<'a>, Idempotency>, Problem> {
    let mut begun = Begun {
        app,
        claims,
        taken_up: None,
        held_until: AtomicI64::default(),
        is_held: AtomicBool::default(),
        until: Instant::now() + app.time_to_work(),
    };
    let Some(claimed) = claims.claimed() else {
        return Ok(Once::Done(begun));
    };
    let [mut wait, longest] = WAITS;
    let mut is_free = true;
    loop {
        if is_free {
            let until = app.now().saturating_add(HELD_SECONDS);
            begun.held_until.store(until, Ordering::Relaxed);
            let claim = Idempotency {
                held_until: Some(until),
                ..Idempotency::begun(claimed)
            };
            match app.todo.idempotencies.begin_request(claim).await {
                Ok(_) => {
                    begun.is_held.store(true, Ordering::Relaxed);
                    return Ok(Once::Done(begun));
                }
                Err(Error::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let found = found(app, claims).await?;
        is_free = matches!(found, Found::Nothing);
        match found {
            Found::Answered(record) => return Ok(Once::Before(record)),
            Found::Begun(record) => {
                let left = record.held_until.filter(|until| *until <= app.now());
                if let Some(held_until) = left {
                    begun.held_until.store(held_until, Ordering::Relaxed);
                    if begun.hold(HELD_SECONDS, Change::Keep).await? {
                        begun.taken_up = Some(record);
                        begun.is_held.store(true, Ordering::Relaxed);
                        return Ok(Once::Done(begun));
                    }
                }
            }
            // It was given up between our two requests.
            Found::Nothing => {}
        }
        if Instant::now() + wait >= begun.until {
            return Err(at_work());
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(longest);
    }
}

/// Another process does the same request at this moment.
fn at_work() -> Problem {
    Problem::new(Kind::CONFLICT)
        .detail("the same request is being worked on: send it again in a moment, and it is answered as that one")
        .field("Idempotency-Key", "a request with this key is being worked on")
        .retry_after(Duration::from_secs(1))
}

/// There was no time for all of it. What is done is done, and the claim is let go.
fn unfinished() -> Problem {
    Problem::new(Kind::TIMEOUT)
        .detail("A part of it is done, and there was no time for the rest. Send the request again, and it goes on.")
        .retry_after(Duration::from_secs(1))
}

/// What is found under the key; an error when it is another request's.
async fn found(app: &App, claims: &Claims<Idempotency>) -> Result<Found, Problem> {
    let Some(claimed) = claims.claimed() else {
        return Ok(Found::Nothing);
    };
    let (caller, route) = (&claimed.caller, &claimed.route);
    let records = &app.todo.idempotencies;
    let record = records
        .idempotent_answer(caller, route, &claimed.key)
        .await?;
    match record {
        None => Ok(Found::Nothing),
        Some(record) if record.request_hash != claimed.hash => Err(Error::KeyReused {
            entity: String::from("Idempotency"),
        }
        .into()),
        Some(record) if record.http_status_code.is_none() => Ok(Found::Begun(record)),
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
        self.taken_up.is_some()
    }

    /// When the request that was taken up began, in seconds since 1970: what it asks for and was done since may be its own work.
    pub(crate) fn taken_up_since(&self) -> Option<i64> {
        self.taken_up.as_ref().map(|claim| claim.created_at)
    }

    /// What the request that was taken up had chosen.
    pub(crate) fn chosen(&self) -> Option<&str> {
        self.taken_up.as_ref()?.chosen.as_deref()
    }

    /// When to stop, so that there is an answer in time.
    pub(crate) fn until(&self) -> Instant {
        self.until
    }

    /// Keeps what the request is about, for whoever takes it up.
    pub(crate) async fn choose(&self, chosen: String) -> Result<(), Problem> {
        match self.hold(HELD_SECONDS, Change::Set(Some(chosen))).await? {
            true => Ok(()),
            false => Err(at_work()),
        }
    }

    /// Does the work, and holds the claim as long as it goes on. What fails lets go of it, so that a repetition goes on at once.
    pub(crate) async fn work<T>(
        &self,
        work: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let mut work = pin!(work);
        let done = loop {
            if let Ok(done) = tokio::time::timeout(HOLD_EVERY, &mut work).await {
                break done;
            }
            // Both go on: what the work has under way may be what saying it waits for. What cannot be said now is said the next time: the claim is held for longer.
            let mut hold = pin!(self.hold(HELD_SECONDS, Change::Keep));
            let (held, done) = tokio::select! {
                held = &mut hold => (held, None),
                done = &mut work => (hold.await, Some(done)),
            };
            if let Ok(false) = held {
                return Err(at_work());
            }
            if let Some(done) = done {
                break done;
            }
        };
        if done.is_err() {
            self.let_go().await;
        }
        done
    }

    /// The same work, given up when the answer is due: of what can be taken up wherever it broke off.
    pub(crate) async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let done = tokio::time::timeout_at(self.until.into(), work).await;
        done.unwrap_or_else(|_| Err(unfinished()))
    }

    /// Holds the claim from now on for so long; whether it was ours still.
    async fn hold(&self, seconds: i64, chosen: Change<Option<String>>) -> Result<bool, Error> {
        let seen = self.held_until.load(Ordering::Relaxed);
        let held = hold(self.app, self.claims, seen, seconds, chosen).await?;
        if let Some(until) = held {
            self.held_until.store(until, Ordering::Relaxed);
        }
        Ok(held.is_some())
    }

    /// Lets whoever comes next take it up at once. Where that cannot be said, they wait until the claim is held no more.
    async fn let_go(&self) {
        let _ = self.hold(0, Change::Keep).await;
        self.is_held.store(false, Ordering::Relaxed);
    }

    /// Keeps the answer. Whoever took the request up meanwhile answers it for both.
    pub(crate) async fn end<O: ToAnswer>(self, output: O) -> Result<Once<O, Idempotency>, Problem> {
        let ended = self.keep(output).await;
        self.is_held.store(false, Ordering::Relaxed);
        ended
    }

    async fn keep<O: ToAnswer>(&self, output: O) -> Result<Once<O, Idempotency>, Problem> {
        let Some((key, hash)) = key_of(self.claims) else {
            return Ok(Once::Done(output));
        };
        let answer = output.to_answer()?;
        let change = AnswerRequest {
            response_data: Change::Set(Some(answer.kept())),
            http_status_code: Change::Set(Some(answer.status().into())),
            chosen: Change::Set(None),
            held_until: Change::Set(None),
        };
        let held = self.held_until.load(Ordering::Relaxed);
        let records = &self.app.todo.idempotencies;
        match records.answer_request(&key, hash, held, change).await {
            Ok(_) => return Ok(Once::Done(output)),
            Err(Error::NotFound { .. } | Error::Refused { .. }) => {}
            Err(error) => {
                self.let_go().await;
                return Err(error.into());
            }
        }
        match found(self.app, self.claims).await? {
            Found::Answered(record) => Ok(Once::Before(record)),
            Found::Begun(_) => Err(at_work()),
            // The claim ended with its day while the work went on: it was done, and cannot be told again.
            Found::Nothing => Ok(Once::Done(output)),
        }
    }

    /// Gives the key free again, for a request that was refused before it did anything. What was taken up may have done something.
    pub(crate) async fn give_up(self) -> Result<(), Problem> {
        let Some((key, hash)) = key_of(self.claims) else {
            return Ok(());
        };
        if self.is_taken_up() {
            self.let_go().await;
            return Ok(());
        }
        let dropped = self.app.todo.idempotencies.drop_request(&key, hash).await;
        self.is_held.store(false, Ordering::Relaxed);
        match dropped {
            Ok(_) | Err(Error::NotFound { .. } | Error::Refused { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// A request that is given up on the way, since it took too long or nobody waits for it any more, is taken up at once when it is sent again.
impl Drop for Begun<'_> {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        if *self.is_held.get_mut() {
            let (app, claims) = (self.app.clone(), self.claims.clone());
            let seen = *self.held_until.get_mut();
            runtime.spawn(async move { hold(&app, &claims, seen, 0, Change::Keep).await });
        }
    }
}

/// Holds a claim for so many seconds from now on, if it is held until `seen`; until when. Without a key there is nothing to hold.
async fn hold(
    app: &App,
    claims: &Claims<Idempotency>,
    seen: i64,
    seconds: i64,
    chosen: Change<Option<String>>,
) -> Result<Option<i64>, Error> {
    let until = app.now().saturating_add(seconds);
    let Some((key, hash)) = key_of(claims) else {
        return Ok(Some(until));
    };
    let change = HoldRequest {
        held_until: Change::Set(Some(until)),
        chosen,
    };
    let records = &app.todo.idempotencies;
    match records.hold_request(&key, hash, seen, change).await {
        Ok(_) => Ok(Some(until)),
        Err(Error::NotFound { .. } | Error::Refused { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
