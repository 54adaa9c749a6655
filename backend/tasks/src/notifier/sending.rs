//! One mail: sent, put where mails wait, or sent on beside the records where the server is slow with it.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tablewright_mail::{Mail, NotSent};
use tablewright_stream::{Did, Failure};
use tokio::time::timeout;

use super::claim::{Claim, Claimed};
use super::news::OneMail;
use super::story::Story;
use super::turns::{OnesTurn, SLOW};
use super::{Fate, Inner, Notifier, count, line, mail_id, text};
use crate::model::{User, UserStatus};

/// A mail on its way, with the turn of its person: it is the next one's when it is written down what became of this one.
type OnItsWay = Pin<Box<dyn Future<Output = (Result<Fate, Failure>, OnesTurn)> + Send>>;

impl Notifier {
    /// Tells one, or lets the mail wait: then it is done as far as the stream is concerned.
    pub(super) async fn tell_or_wait(
        &self,
        story: &Arc<Story>,
        user_id: &str,
    ) -> Result<Did, Failure> {
        let (inner, mail) = (&self.0, story.to(user_id));
        let now = inner.claims.now();
        if let Some(due_at) = inner.lines.behind(&mail).await? {
            inner.lines.put(&mail, now, due_at).await?;
            return Ok(Did::Nothing);
        }
        let Some(turn) = inner.turns.soon(user_id).await else {
            // The server is slow with another mail to them. Here it would hold up those of others.
            inner.lines.put(&mail, now, now).await?;
            return Ok(Did::Nothing);
        };
        let mut sending = self.on_its_way(story, user_id, turn);
        let (fate, _turn) = match timeout(SLOW, &mut sending).await {
            Ok(sent) => sent,
            Err(_) => match self.goes_on_beside(sending, &mail).await {
                None => return Ok(Did::Nothing),
                Some(sending) => sending.await,
            },
        };
        match fate? {
            Fate::Sent => Ok(Did::Something),
            Fate::Over => Ok(Did::Nothing),
            Fate::Waits(due_at) => {
                inner.lines.put(&mail, now, due_at).await?;
                Ok(Did::Nothing)
            }
            Fate::Elsewhere(why) => Err(Failure::World(why.to_owned())),
        }
    }

    fn on_its_way(&self, story: &Arc<Story>, user_id: &str, turn: OnesTurn) -> OnItsWay {
        let (inner, story) = (Arc::clone(&self.0), Arc::clone(story));
        let user_id = user_id.to_owned();
        Box::pin(async move { (inner.send(&story, &user_id).await, turn) })
    }

    /// Lets a mail the server is slow with be sent on beside the records, which it holds up no longer. It is put where mails wait before: should this process die, somebody sends it from there, and
    /// later mails of its task to its person come after it. Gives back what must be waited for here.
    async fn goes_on_beside(&self, sending: OnItsWay, mail: &OneMail<'_>) -> Option<OnItsWay> {
        let inner = &self.0;
        let place = inner.beside.place_for_slow();
        let Some(place) = place.filter(|_| inner.attends.load(Ordering::Relaxed)) else {
            return Some(sending);
        };
        let now = inner.claims.now();
        let waiting = match inner.lines.put(mail, now, now + line::LOOKS).await {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::warn!(%error, "a mail the server is slow with could not be put where mails wait");
                return Some(sending);
            }
        };
        let beside = Arc::clone(inner);
        let work = Box::pin(async move {
            let (fate, _turn) = sending.await;
            drop(place);
            if let Err(failure) = beside.after(&waiting, fate).await {
                tracing::warn!(%failure, "a mail the server was slow with waits");
            }
        });
        if let Err(work) = inner.beside.begin(work) {
            // Nothing more is begun: it has the time that is left for this record.
            work.await;
        }
        None
    }
}

impl Inner {
    /// The right to send a mail, or what becomes of it without us.
    pub(super) async fn claim(&self, mail: &OneMail<'_>) -> Result<Result<Claim, Fate>, Failure> {
        Ok(match self.claims.claim(mail).await? {
            Claimed::Ours(claim) => Ok(claim),
            Claimed::Waits(until) => Err(Fate::Waits(until)),
            Claimed::Elsewhere(why) => Err(Fate::Elsewhere(why)),
            Claimed::GivenUp(why) => {
                is_given_up(mail, why);
                Err(Fate::Over)
            }
            Claimed::Over => Err(Fate::Over),
        })
    }

    /// Sends a mail to one person, if it is to be sent and by us.
    pub(super) async fn send(&self, story: &Story, user_id: &str) -> Result<Fate, Failure> {
        let told = &story.to(user_id);
        let claim = match self.claim(told).await? {
            Ok(claim) => claim,
            Err(fate) => return Ok(fate),
        };
        // As of now, not as of the event (S1-46).
        let user = self.tasks.users.recipient(told.user_id).await?;
        let Some(user) = user.filter(|user| user.user_status == UserStatus::Active) else {
            self.claims.unsent(claim, "the user is not active").await?;
            return Ok(Fate::Over);
        };
        let mail = self.mail(story, &user)?;
        if !claim.is_good() {
            let why = "it took too long to be sent before somebody else may send it";
            // Nothing was sent: that is no attempt.
            self.claims.failed(claim, why).await?;
            return Err(Failure::World(why.to_owned()));
        }
        let mut sending = pin!(self.mailer.send(&self.from, &mail));
        let sent = loop {
            tokio::select! {
                biased;
                () = self.claims.keep(&claim) => {
                    // Nothing more is sent before this is known.
                    if !self.claims.is_still_ours(&claim).await {
                        return Err(Failure::World(String::from("another notifier has taken over the mail")));
                    }
                }
                sent = &mut sending => break sent,
            }
        };
        self.settle(claim, sent, told).await
    }

    async fn settle(
        &self,
        claim: Claim,
        sent: Result<(), NotSent>,
        mail: &OneMail<'_>,
    ) -> Result<Fate, Failure> {
        let (event, user) = (mail.event_id, mail.user_id);
        match sent {
            Ok(()) => {
                count("sent");
                self.claims.sent(claim).await?;
                Ok(Fate::Sent)
            }
            Err(NotSent::Server(why)) => {
                self.claims.failed(claim, &why).await?;
                Err(Failure::World(why))
            }
            Err(NotSent::Ever(why)) => {
                count("unsent");
                tracing::warn!(event, user, %why, "a mail is refused");
                self.claims.refused(claim, mail, &why).await?;
                Ok(Fate::Over)
            }
            Err(not_sent) => {
                let why = not_sent.to_string();
                let waits = match not_sent {
                    NotSent::Unwelcome(_) | NotSent::Unclear(_) => {
                        self.claims.perhaps_not_taken(claim, mail, &why).await?
                    }
                    _ => self.claims.not_taken(claim, mail, &why).await?,
                };
                if let Some(due_at) = waits {
                    count("waiting");
                    tracing::info!(event, user, %why, "a mail was not taken, and waits");
                    return Ok(Fate::Waits(due_at));
                }
                count("unsent");
                tracing::warn!(event, user, %why, "a mail was not taken so often that it is given up");
                Ok(Fate::Over)
            }
        }
    }

    fn mail(&self, story: &Story, user: &User) -> Result<Mail, Failure> {
        let (task, actor) = (&story.task, story.actor.as_ref());
        let written = text::write(&story.news, task, actor, user, self.page.as_deref());
        let written = written.map_err(|error| Failure::Record(error.to_string()))?;
        Ok(Mail {
            id: mail_id(&story.event_id, &user.user_id),
            name: user.name.clone(),
            address: user.email.to_string(),
            subject: written.subject,
            text: written.text,
            html: written.html,
            thread: Some(format!("task.{}", task.task_id)),
        })
    }
}

/// Counts and logs a mail that is given up without being tried again.
pub(super) fn is_given_up(mail: &OneMail<'_>, why: &str) {
    count("unsent");
    let (event, user) = (mail.event_id, mail.user_id);
    tracing::warn!(event, user, why, "a mail is given up");
}
