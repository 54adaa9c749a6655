//! Answering: one transaction for the answer, the question's count and status, and the person's statistics (S2-22, S2-24, C2-12, C2-13).

mod attempt;
mod receipt;

use std::time::Duration;

use tablewright::{Error, Timestamp, Uuid, Versioned};
use tablewright_service::{Kind, Problem};
use tokio::time::{Instant, timeout_at};

use self::attempt::{Stop, conflict};
pub(crate) use self::receipt::Receipt;
use crate::kinds::{ALREADY_ANSWERED, BANNED, QUESTION_OVER};
use crate::limits::{Counted, Limit, Standing};
use crate::model::{
    Question, QuestionKey, QuestionStatus, Response, ResponseFlagReason, ResponseKey, UserStats,
    UserStatsKey,
};
use crate::opened::since_opened;
use crate::rules::abuse::{LOOKED_AT, Suspect, flag};
use crate::rules::answer::NewAnswer;
use crate::rules::life::status_at;
use crate::rules::time_zone::Zone;
use crate::signed::random;
use crate::state::App;
use crate::who::Human;

/// How often a person may answer.
const AN_HOUR: i64 = 30;
const A_MINUTE: i64 = 5;

/// How often it is tried while others are faster. Whoever is, brings the question nearer to its end, and a question takes 50 answers at
/// most: this often nobody loses but by chance.
const ATTEMPTS: u32 = 80;

/// For how long it is tried, and how much longer an attempt may take that has begun. Both are shorter than a request may take.
const PATIENCE: Duration = Duration::from_secs(30);
const TO_END: Duration = Duration::from_secs(5);

/// An answer on its way: all but what depends on how the question and the person are.
struct Answer<'a> {
    human: &'a Human,
    said: &'a NewAnswer,
    /// What it is known by again when the reply of the database was lost.
    response_id: Uuid,
    response_time_ms: i64,
    notified_at: Option<Timestamp>,
    zone: Option<Zone>,
    flag_reason: Option<ResponseFlagReason>,
}

/// How the question and the person are.
struct Seen {
    question: Versioned<Question>,
    stats: Option<Versioned<UserStats>>,
    response: Option<Versioned<Response>>,
}

/// Answers a question, once.
///
/// # Errors
/// 422, 404, 403 `banned`, 409 `already-answered`, 410 `question-over`, 429; then nothing was stored.
pub(crate) async fn answer(
    app: &App,
    human: &Human,
    said: NewAnswer,
) -> Result<(Receipt, Standing), Problem> {
    let said = said.checked()?;
    let now = app.now();
    let response_time_ms = since_opened(&app.signer, &said.opened, said.question_id, human, now)?;
    let seen = look(app, human, said.question_id).await?;
    seen.accepts(now)?;
    said.fits(&seen.question)?;
    let standing = limits(app, human).await?;
    let notices = &app.ask.notices;
    let notice = notices.notice(said.question_id, &human.fingerprint_hash);
    let notified_at = notice.await?.map(|notice| notice.notified_at);
    let answer = Answer {
        human,
        said: &said,
        response_id: Uuid::now_v7(),
        response_time_ms,
        notified_at,
        zone: said.zone(),
        flag_reason: suspicion(app, human, &said, &seen.question, response_time_ms).await?,
    };
    let receipt = answer.store(app, seen).await?;
    metrics::counter!("ask_answers_total").increment(1);
    if answer.flag_reason.is_some() {
        metrics::counter!("ask_answers_flagged_total").increment(1);
    }
    // Nobody waits, perhaps.
    let _ = app.news.send(said.question_id);
    Ok((receipt, standing))
}

impl Answer<'_> {
    /// Stores it, as often as it takes. Those who answer one question here take turns: whoever is faster makes all others try again, and of many at once each
    /// would be tried as often as the question takes answers.
    async fn store(&self, app: &App, mut seen: Seen) -> Result<Receipt, Problem> {
        let until = Instant::now() + PATIENCE;
        let turn = timeout_at(until, app.answering.of(self.said.question_id));
        let turn = turn.await.map_err(|_| given_up(conflict()))?;
        if turn.waited {
            seen = look(app, self.human, self.said.question_id).await?;
            seen.accepts(app.now())?;
        }
        let mut attempt = 0;
        loop {
            // Cut off by what limits every request, it would be told as if nothing was known of it.
            let attempted = timeout_at(until + TO_END, self.attempt(app, &seen)).await;
            let why = match attempted.map_err(|_| Problem::new(Kind::UNCERTAIN))? {
                Ok(receipt) => return Ok(receipt),
                Err(Stop::Ended(problem)) => return Err(problem),
                Err(Stop::Again(why)) => why,
            };
            attempt += 1;
            if attempt >= ATTEMPTS || Instant::now() >= until {
                return Err(given_up(why));
            }
            tokio::time::sleep(jittered(attempt)).await;
            seen = match (look(app, self.human, self.said.question_id).await, &why) {
                (Ok(seen), _) => seen,
                // It may be stored, and nobody can look whether it is.
                (Err(_), Error::Uncertain { .. }) => return Err(why.into()),
                (Err(problem), _) => return Err(problem),
            };
            if let Some(receipt) = self.was_stored(app, &seen) {
                return Ok(receipt);
            }
            seen.accepts(app.now())?;
        }
    }
}

/// Everything an answer depends on, with every write that was acknowledged.
async fn look(app: &App, human: &Human, question_id: Uuid) -> Result<Seen, Problem> {
    let hash = &human.fingerprint_hash;
    let (question, stats, response) = (
        QuestionKey::new(question_id),
        UserStatsKey::new(hash),
        ResponseKey::new(question_id, hash),
    );
    let ask = &app.ask;
    let (question, stats, response) = tokio::try_join!(
        ask.questions.items().read_strong(&question),
        ask.user_stats.items().read_strong(&stats),
        ask.responses.items().read_strong(&response),
    )?;
    Ok(Seen {
        question: question.ok_or_else(|| Problem::not_found("question"))?,
        stats,
        response,
    })
}

impl Seen {
    /// Goes on if the person may answer the question now.
    fn accepts(&self, now: Timestamp) -> Result<(), Problem> {
        let stats = self.stats.as_ref();
        if stats.is_some_and(|stats| stats.banned_at.is_some()) {
            return Err(Problem::new(BANNED));
        }
        if self.response.is_some() {
            return Err(Problem::new(ALREADY_ANSWERED));
        }
        let over = |why: &str| Err(Problem::new(QUESTION_OVER).detail(why));
        match status_at(&self.question, now.seconds()) {
            QuestionStatus::Open | QuestionStatus::Partial => Ok(()),
            QuestionStatus::Closed => over("it has all the answers it needs"),
            QuestionStatus::Expired => over("its time is over"),
        }
    }
}

/// S2-23, C2-19. Of the two, where one stands closer to the end is told.
async fn limits(app: &App, human: &Human) -> Result<Standing, Problem> {
    let [minute, hour] = limits_of(human);
    Ok(minute.take(app).await?.closer(hour.take(app).await?))
}

/// Those of a person: the minute's first, which is over sooner.
pub(crate) fn limits_of(human: &Human) -> [Limit; 2] {
    let who = &human.fingerprint_hash;
    [
        Limit::by_minute(Counted::ANSWERS_AT_ONCE, who, A_MINUTE),
        Limit::hourly(Counted::ANSWERS, who, AN_HOUR),
    ]
}

async fn suspicion(
    app: &App,
    human: &Human,
    said: &NewAnswer,
    question: &Question,
    response_time_ms: i64,
) -> Result<Option<ResponseFlagReason>, Problem> {
    let earlier = match &said.answer {
        None => Vec::new(),
        Some(_) => {
            let answers = &app.ask.responses;
            let answers = answers.answers_of_human(&human.fingerprint_hash);
            answers.limit(LOOKED_AT).page().await?.items
        }
    };
    let suspect = Suspect {
        kind: question.r#type,
        text: said.answer.as_deref(),
        response_time_ms,
    };
    let earlier = earlier
        .iter()
        .filter_map(|earlier| earlier.answer.as_deref());
    Ok(flag(&suspect, earlier))
}

/// Anything up to a bound that grows, so that those who met do not meet again.
fn jittered(attempt: u32) -> Duration {
    let bound = Duration::from_millis(10).saturating_mul(attempt.min(40));
    let share = f64::from(u32::from_be_bytes(random())) / f64::from(u32::MAX);
    bound.mul_f64(share)
}

/// What is told after the last attempt.
fn given_up(why: Error) -> Problem {
    match why {
        Error::Conflict { .. } => Problem::new(Kind::OVERLOADED)
            .retry_after(Duration::from_secs(1))
            .detail("too many answer this question at the same time"),
        why => why.into(),
    }
}
