//! The sweeper: what is past its deadline is marked as expired, and leaves the feed (S2-25, C2-8). No read and no rule depends on it.

use tablewright::{Change, Error, Versioned};

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
        let questions = &self.0.ask.questions;
        let now = self.0.now().seconds();
        let mut overdue = questions.overdue_questions(now).all();
        let mut marked = 0;
        while let Some(question) = overdue.next().await {
            let id = question?.question_id;
            let over = |question: &Versioned<Question>| {
                Ok::<_, Error>(ExpireQuestion {
                    status: Change::Set(QuestionStatus::Expired),
                    purge_at: Change::Set(question.expires_at + KEPT_EXPIRED),
                })
            };
            let key = QuestionKey::new(id);
            match questions.expire_question(&key, now, over).await {
                Ok(_) => {
                    marked += 1;
                    // Nobody waits: nobody needs to hear.
                    let _ = self.0.news.send(id);
                }
                // The last answer came in time, or another was faster.
                Err(Error::Refused { .. } | Error::NotFound { .. } | Error::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        metrics::counter!("ask_questions_expired_total").increment(marked);
        Ok(marked)
    }
}
