//! The sweeper: what is past its deadline is marked as expired, and leaves the feed (S2-25, C2-8). No read and no rule depends on it.

use std::time::Instant;

use tablewright::{Change, Error, Uuid, Versioned};

use crate::model::{ExpireQuestion, Question, QuestionKey, QuestionStatus};
use crate::rules::life::KEPT_EXPIRED;
use crate::state::App;

/// Marks questions whose time is over.
#[derive(Debug, Clone)]
pub struct Sweeper(App);

impl Sweeper {
    /// One that marks in the tables of a service, and tells those who wait in this process.
    pub fn new(app: &App) -> Self {
        Sweeper(app.clone())
    }

    /// Marks every question that is overdue; gives how many it were. Several sweepers do no harm.
    ///
    /// # Errors
    /// When they cannot be looked for or written. The next time goes on where this one ended.
    pub async fn sweep(&self) -> Result<u64, Error> {
        self.sweep_until(None).await
    }

    /// As [`Sweeper::sweep`], with no question begun from this moment on.
    ///
    /// # Errors
    /// As [`Sweeper::sweep`].
    pub async fn sweep_until(&self, begins_until: Option<Instant>) -> Result<u64, Error> {
        let questions = &self.0.ask.questions;
        let now = self.0.now().seconds();
        let mut overdue = questions.overdue_questions(now).all();
        let mut marked = 0;
        while begins_until.is_none_or(|end| Instant::now() < end)
            && let Some(question) = overdue.next().await
        {
            if mark(&self.0, question?.question_id, now).await? {
                marked += 1;
            }
        }
        Ok(marked)
    }
}

/// Marks one question whose time is over, and gives its agent the place back; both in one transaction, so that it is given back once. Whether it was marked now.
pub(crate) async fn mark(app: &App, question_id: Uuid, now: i64) -> Result<bool, Error> {
    let over = |question: &Versioned<Question>| {
        Ok::<_, Error>(ExpireQuestion {
            status: Change::Set(QuestionStatus::Expired),
            place: Change::Set(None),
            purge_at: Change::Set(question.expires_at + KEPT_EXPIRED),
        })
    };
    let key = QuestionKey::new(question_id);
    match app.ask.questions.expire_question(&key, now, over).await {
        Ok(_) => {
            metrics::counter!("ask_questions_expired_total").increment(1);
            // Nobody waits: nobody needs to hear.
            let _ = app.news.send(question_id);
            Ok(true)
        }
        // The last answer came in time, or another was faster.
        Err(Error::Refused { .. } | Error::NotFound { .. } | Error::Conflict { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
