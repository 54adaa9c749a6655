//! Mails that wait, with what a server said of them, for those who can do something about it.

use tablewright_service::Problem;

use crate::model::{MailRecordKey, WaitingMail};
use crate::state::App;

/// A mail that waits.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) mail: WaitingMail,
    /// Why it was not sent when it was tried the last time; none where it waits behind another, or is on its way.
    pub(crate) answer: Option<String>,
}

/// Some of the mails that wait, those first that are looked at next, and where the others begin.
pub(crate) async fn waiting(
    app: &App,
    caller: &str,
    limit: u32,
    cursor: Option<&str>,
) -> Result<(Vec<Waiting>, Option<String>), Problem> {
    let query = app.tasks.waiting_mails.mails_waiting();
    let query = query.caller(caller).limit(limit).after(cursor);
    let page = query.page().await?;
    let mails = page.items.iter();
    let keys = mails.map(|mail| MailRecordKey::new(&mail.event_id, &mail.user_id));
    let keys: Vec<MailRecordKey> = keys.collect();
    let records = app.tasks.mail_records.records_of_mails_waiting(&keys);
    let answers = records.await?.into_iter().map(|record| record?.error);
    let both = page.items.into_iter().zip(answers);
    let waiting = both.map(|(mail, answer)| Waiting { mail, answer });
    Ok((waiting.collect(), page.next))
}
