//! What is said to a server to send one mail, and whose fault it is when it fails.

use std::time::Duration;

use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{Extension, MailBodyParameter, MailParameter};

use crate::NotSent;

/// How long a server may take to answer a command.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// How long it may take with a whole mail: what RFC 5321 (4.5.3.2.6) asks for, since giving up sooner sends mails twice.
const PATIENCE_WITH_A_MAIL: Duration = Duration::from_secs(600);

/// How far it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Until we may send.
    Greeting,
    /// From whom it is.
    Sender,
    /// To whom it goes, and that it follows.
    Recipient,
    /// The mail itself.
    Content,
}

/// Sends one mail. With [`NotSent::Later`] and [`NotSent::Ever`] both sides have said what they had to say, and go on with the next.
pub(crate) async fn send(
    connection: &mut AsyncSmtpConnection,
    envelope: &Envelope,
    content: &[u8],
) -> Result<(), NotSent> {
    let parameters = parameters(connection, envelope, content)?;
    let from = Mail::new(envelope.from().cloned(), parameters);
    within(Step::Sender, PATIENCE, connection.command(from)).await?;
    for address in envelope.to() {
        let to = Rcpt::new(address.clone(), Vec::new());
        within(Step::Recipient, PATIENCE, connection.command(to)).await?;
    }
    within(Step::Recipient, PATIENCE, connection.command(Data)).await?;
    let content = connection.message(content);
    within(Step::Content, PATIENCE_WITH_A_MAIL, content).await?;
    Ok(())
}

/// What the server must be able to do for this mail.
fn parameters(
    connection: &AsyncSmtpConnection,
    envelope: &Envelope,
    content: &[u8],
) -> Result<Vec<MailParameter>, NotSent> {
    let can = |extension| connection.server_info().supports_feature(extension);
    let mut parameters = Vec::new();
    let mut addresses = envelope.from().into_iter().chain(envelope.to());
    if addresses.any(|address| !AsRef::<str>::as_ref(address).is_ascii()) {
        if !can(Extension::SmtpUtfEight) {
            let why = "the server takes addresses in ASCII only";
            return Err(NotSent::Ever(why.to_owned()));
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    if !content.is_ascii() {
        if !can(Extension::EightBitMime) {
            return Err(NotSent::Ever(String::from("the server takes ASCII only")));
        }
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    Ok(parameters)
}

/// One step, for as long as is reasonable.
pub(crate) async fn within<T>(
    step: Step,
    patience: Duration,
    said: impl Future<Output = Result<T, Error>>,
) -> Result<T, NotSent> {
    match tokio::time::timeout(patience, said).await {
        Ok(answered) => answered.map_err(|error| judged(step, answer(&error), described(&error))),
        Err(_) => {
            let why = format!("no answer for {} seconds", patience.as_secs());
            Err(judged(step, None, why))
        }
    }
}

/// The code of an answer, and whether it is about the whole system of the server ("4.3.1", RFC 3463).
fn answer(error: &Error) -> Option<(u16, bool)> {
    let said = std::error::Error::source(error).map(ToString::to_string);
    let is_of_system = said.is_some_and(|said| said.starts_with("4.3."));
    error.status().map(|code| (u16::from(code), is_of_system))
}

/// Whose fault it is.
fn judged(step: Step, answer: Option<(u16, bool)>, why: String) -> NotSent {
    match (step, answer) {
        (Step::Content, None) => NotSent::Unknown(why),
        (Step::Greeting | Step::Sender, _) | (_, None) => NotSent::Server(why),
        // It closes, it has too much to do, or it does not know us.
        (_, Some((421 | 454 | 530 | 534 | 535 | 538, _) | (400..500, true))) => {
            NotSent::Server(why)
        }
        (_, Some((400..500, false))) => NotSent::Later(why),
        (_, Some(_)) => NotSent::Ever(why),
    }
}

fn described(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server's failures are told from the recipient's, and both from what nobody knows.
    #[test]
    fn the_fault_is_of_who_made_it() {
        let kind = |step, answer| match judged(step, answer, String::new()) {
            NotSent::Server(_) => "server",
            NotSent::Later(_) => "later",
            NotSent::Ever(_) => "ever",
            NotSent::Unknown(_) => "unknown",
        };
        for (step, answer, expected) in [
            (Step::Greeting, None, "server"),
            (Step::Greeting, Some((535, false)), "server"),
            (Step::Sender, None, "server"),
            (Step::Sender, Some((452, false)), "server"),
            (Step::Sender, Some((550, false)), "server"),
            (Step::Recipient, None, "server"),
            (Step::Recipient, Some((421, false)), "server"),
            (Step::Recipient, Some((450, false)), "later"),
            (Step::Recipient, Some((452, false)), "later"),
            (Step::Recipient, Some((452, true)), "server"),
            (Step::Recipient, Some((501, false)), "ever"),
            (Step::Recipient, Some((504, false)), "ever"),
            (Step::Recipient, Some((530, false)), "server"),
            (Step::Recipient, Some((550, false)), "ever"),
            (Step::Content, Some((451, false)), "later"),
            (Step::Content, Some((454, false)), "server"),
            (Step::Content, Some((554, false)), "ever"),
            (Step::Content, None, "unknown"),
        ] {
            assert_eq!(kind(step, answer), expected, "{step:?} {answer:?}");
        }
    }
}
