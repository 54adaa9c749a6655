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

/// Sends one mail. With [`NotSent::Later`], [`NotSent::Ever`] and [`NotSent::Unwelcome`] both sides have said what they had to say, and go on with the next.
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

/// What an answer is about, as its enhanced code says (RFC 3463).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    /// The whole system of the server: "4.3.1".
    System,
    /// What it does not want, be it from us or to them: "5.7.1".
    Policy,
    /// This mail, or it does not say.
    Mail,
}

/// The code of an answer, and what it is about.
fn answer(error: &Error) -> Option<(u16, About)> {
    let said = std::error::Error::source(error).map(ToString::to_string);
    let about = match said.unwrap_or_default() {
        said if said.starts_with("4.3.") => About::System,
        said if said.starts_with("5.7.") => About::Policy,
        _ => About::Mail,
    };
    error.status().map(|code| (u16::from(code), about))
}

/// Whose fault it is.
fn judged(step: Step, answer: Option<(u16, About)>, why: String) -> NotSent {
    match (step, answer) {
        (Step::Content, None) => NotSent::Unknown(why),
        (Step::Greeting | Step::Sender, _) => NotSent::Server(why),
        // It is silent or closes, has trouble of its own or does not know us; or it is so only for this recipient, whose mailboxes it cannot look up.
        (_, None | Some((421 | 454 | 530 | 534 | 535 | 538, _) | (400..500, About::System))) => {
            NotSent::Unclear(why)
        }
        (_, Some((400..500, _))) => NotSent::Later(why),
        // So Amazon SES answers for an address that is not verified, and for an account that is paused.
        (_, Some((_, About::Policy))) | (Step::Content, Some((554, _))) => NotSent::Unwelcome(why),
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
            NotSent::Unwelcome(_) => "unwelcome",
            NotSent::Unclear(_) => "unclear",
        };
        for (step, answer, expected) in [
            (Step::Greeting, None, "server"),
            (Step::Greeting, Some((535, About::Mail)), "server"),
            (Step::Sender, None, "server"),
            (Step::Sender, Some((452, About::Mail)), "server"),
            (Step::Sender, Some((550, About::Mail)), "server"),
            (Step::Recipient, None, "unclear"),
            (Step::Recipient, Some((421, About::Mail)), "unclear"),
            (Step::Recipient, Some((450, About::Mail)), "later"),
            (Step::Recipient, Some((452, About::Mail)), "later"),
            (Step::Recipient, Some((452, About::System)), "unclear"),
            (Step::Recipient, Some((501, About::Mail)), "ever"),
            (Step::Recipient, Some((504, About::Mail)), "ever"),
            (Step::Recipient, Some((530, About::Mail)), "unclear"),
            (Step::Recipient, Some((550, About::Mail)), "ever"),
            (Step::Content, Some((451, About::Mail)), "later"),
            (Step::Content, Some((454, About::Mail)), "unclear"),
            (Step::Content, Some((552, About::Mail)), "ever"),
            (Step::Content, Some((554, About::Mail)), "unwelcome"),
            (Step::Content, Some((550, About::Policy)), "unwelcome"),
            (Step::Recipient, Some((550, About::Policy)), "unwelcome"),
            (Step::Recipient, Some((554, About::Mail)), "ever"),
            (Step::Content, None, "unknown"),
        ] {
            assert_eq!(kind(step, answer), expected, "{step:?} {answer:?}");
        }
    }
}
