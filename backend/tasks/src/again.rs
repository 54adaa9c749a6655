//! A mail that was given up, sent again (C1-20).

use tablewright::{Error, Failed, Once};
use tablewright_service::{Kind, Problem};

use crate::kinds::DEACTIVATED;
use crate::model::{
    Idempotency, MailRecordKey, MailRecordState, SendMailAgainInput, SendMailAgainMailRecord,
    UndeliveredMail, UndeliveredMailKey, UndeliveredMailNews, UserKey, UserStatus, WaitingMail,
    WaitingMailNews,
};
use crate::notifier::MAIL_KEPT;
use crate::state::App;
use crate::who::Known;

/// Puts a mail that was given up where mails wait, to be sent as soon as the others of its line are. Its attempts begin anew.
pub(crate) async fn send_again(
    app: &App,
    by: &Known,
    event_id: &str,
    user_id: &str,
    claim: Option<Idempotency>,
) -> Result<Once<(), Idempotency>, Problem> {
    let mails = &app.tasks.undelivered_mails;
    let found = match mails.undelivered_mail(event_id, user_id).await {
        Err(Error::Invalid { .. }) => return Err(Problem::not_found("mail")),
        found => found?,
    };
    let Some(found) = found else {
        return Err(why_not(app, event_id, user_id).await?);
    };
    let waiting_mail = waiting(app, &found).ok_or_else(|| {
        refused("it came back, or was given up by a version that did not keep what it said")
    })?;
    if let Some(why) = nobody_to_tell(app, &waiting_mail).await? {
        return Err(refused(why));
    }
    let input = SendMailAgainInput {
        mail_record: SendMailAgainMailRecord {
            state: MailRecordState::Failed.into(),
            refusals: 0.into(),
            // One that nobody took for four weeks would be given up again at once.
            expires_at: waiting_mail.expires_at.into(),
        },
        waiting_mail,
        claim,
    };
    let caller = UserKey::new(by.id());
    let record = MailRecordKey::new(event_id, user_id);
    let undelivered = UndeliveredMailKey::new(event_id, user_id);
    let sent = app
        .tasks
        .send_mail_again(&caller, &record, &undelivered, &input);
    match sent.await {
        Ok(once) => Ok(once),
        Err(Failed::Error(error)) => Err(error.into()),
        Err(Failed::Refused(refused)) if refused.user.is_some() => Err(Problem::new(DEACTIVATED)),
        // Somebody else was faster, it came back, or it is forgotten.
        Err(Failed::Refused(_)) => Err(why_not(app, event_id, user_id).await?),
    }
}

/// Why nobody would be sent this mail: whoever is told that it is sent should not wait for it. It is judged again when it is sent.
async fn nobody_to_tell(app: &App, mail: &WaitingMail) -> Result<Option<&'static str>, Problem> {
    let tasks = &app.tasks;
    let Some(task) = tasks.tasks.task(mail.task_id).await? else {
        return Ok(Some("the task is gone"));
    };
    let user = tasks.users.recipient(&mail.user_id).await?;
    if user.is_none_or(|user| user.user_status != UserStatus::Active) {
        return Ok(Some("whom it is to is not active"));
    }
    let told_as_creator = mail.news != WaitingMailNews::Assigned && task.created_by == mail.user_id;
    let assignment = tasks.assignments.assignment(mail.task_id, &mail.user_id);
    match told_as_creator || assignment.await?.is_some() {
        true => Ok(None),
        false => Ok(Some("whom it is to does not work on the task any more")),
    }
}

/// Why a mail cannot be sent again.
async fn why_not(app: &App, event_id: &str, user_id: &str) -> Result<Problem, Problem> {
    let record = app.tasks.mail_records.mail_record(event_id, user_id).await;
    let record = record?.map(|record| record.state);
    Ok(match record {
        None => Problem::not_found("mail"),
        Some(MailRecordState::Sent) => refused("it was sent"),
        Some(MailRecordState::Claimed | MailRecordState::Failed) => refused("it is being sent"),
        Some(MailRecordState::Bounced) => refused("it was sent, and came back"),
        Some(MailRecordState::Unsent) => {
            refused("whom it was to was not active, or nobody is to know of it any more")
        }
    })
}

fn refused(why: &str) -> Problem {
    Problem::new(Kind::REFUSED).detail(why)
}

/// The mail as it waits; none where it is not known what it said.
fn waiting(app: &App, mail: &UndeliveredMail) -> Option<WaitingMail> {
    let now = app.now();
    Some(WaitingMail {
        task_id: mail.task_id?,
        user_id: mail.user_id.clone(),
        // Not the place it had: whoever was frozen while it left that would take it from there now.
        sequence: the_next(mail.sequence.as_deref()?),
        event_id: mail.event_id.clone(),
        news: match mail.news? {
            UndeliveredMailNews::Assigned => WaitingMailNews::Assigned,
            UndeliveredMailNews::Open => WaitingMailNews::Open,
            UndeliveredMailNews::InProgress => WaitingMailNews::InProgress,
            UndeliveredMailNews::Completed => WaitingMailNews::Completed,
            UndeliveredMailNews::Closed => WaitingMailNews::Closed,
        },
        actor: mail.actor.clone(),
        due_at: now,
        expires_at: now + MAIL_KEPT,
    })
}

/// The number after a number, with as many digits; the last is its own next.
fn the_next(number: &str) -> String {
    let mut digits = number.as_bytes().to_vec();
    for digit in digits.iter_mut().rev() {
        match digit {
            b'0'..=b'8' => {
                *digit += 1;
                break;
            }
            _ => *digit = b'0',
        }
    }
    match digits.iter().all(|digit| *digit == b'0') {
        true => number.to_owned(),
        false => digits.into_iter().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::the_next;

    #[test]
    fn a_mail_that_is_sent_again_is_right_after_where_it_was() {
        for (number, next) in [("0001", "0002"), ("0199", "0200"), ("9999", "9999")] {
            assert_eq!(the_next(number), next);
        }
    }
}
