//! A mail, and the message it becomes.

use std::fmt;
use std::str::FromStr;

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};
use tablewright_outbox::file_name;

use crate::NotSent;

const AUTO_SUBMITTED: HeaderName = HeaderName::new_from_ascii_str("Auto-Submitted");

/// The longest subject, in characters.
const LONGEST: usize = 200;

/// A mail to one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// What it is known by, wherever it is: letters, digits, `.`, `-` and `_`.
    pub id: String,
    /// The name of the person, if it is known.
    pub name: Option<String>,
    /// Their address.
    pub address: String,
    /// What it is about.
    pub subject: String,
    /// What it says.
    pub text: String,
    /// The same for those whose programs show it.
    pub html: String,
    /// The id of what it belongs to: mails with the same are shown together.
    pub thread: Option<String>,
}

/// From whom mails are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender(Mailbox);

impl Sender {
    /// The address, without a name.
    pub fn address(&self) -> &str {
        self.0.email.as_ref()
    }
}

/// Why an address is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadAddress(String);

impl FromStr for Sender {
    type Err = BadAddress;

    /// `noreply@example.org`, or `Tasks <noreply@example.org>`.
    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let mailbox = text.parse();
        mailbox.map(Sender).map_err(|_| BadAddress(text.to_owned()))
    }
}

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no mail address", self.0)
    }
}

impl std::error::Error for BadAddress {}

impl Mail {
    /// Whether a mail can be addressed so. Whoever takes addresses from others asks before anybody relies on them.
    ///
    /// ```
    /// use tablewright_mail::Mail;
    ///
    /// assert!(Mail::can_go_to("ada@example.org"));
    /// assert!(!Mail::can_go_to("a..b@example.org"));
    /// ```
    pub fn can_go_to(address: &str) -> bool {
        address.parse::<Address>().is_ok()
    }

    /// The `Message-ID` of the mail of an id, from a sender.
    pub fn message_id(id: &str, from: &Sender) -> String {
        format!("<{}@{}>", file_name(id), from.0.email.domain())
    }

    /// The id of the mail with this `Message-ID`; none when it is no mail of ours.
    pub fn id_of(message_id: &str) -> Option<String> {
        let (id, _) = message_id
            .trim()
            .trim_matches(['<', '>'])
            .rsplit_once('@')?;
        let mut parts = id.split('=');
        let mut read = parts.next()?.to_owned();
        while let Some(code) = parts.next() {
            let code = u32::from_str_radix(code, 16).ok();
            read.push(char::from_u32(code?)?);
            read.push_str(parts.next()?);
        }
        Some(read)
    }

    pub(crate) fn message(&self, from: &Sender) -> Result<Message, NotSent> {
        let address: Result<Address, _> = self.address.parse();
        let address =
            address.map_err(|_| NotSent::Ever(BadAddress(self.address.clone()).to_string()))?;
        let name = self.name.as_deref().map(on_one_line);
        let to = Mailbox::new(name.filter(|name| !name.is_empty()), address);
        let mut message = Message::builder()
            .message_id(Some(Mail::message_id(&self.id, from)))
            .from(from.0.clone())
            .to(to)
            .subject(on_one_line(&self.subject))
            // RFC 3834: who is away does not answer it.
            .raw_header(HeaderValue::new(
                AUTO_SUBMITTED,
                String::from("auto-generated"),
            ));
        if let Some(thread) = &self.thread {
            message = message.references(Mail::message_id(thread, from));
        }
        let body = MultiPart::alternative_plain_html(self.text.clone(), self.html.clone());
        let message = message.multipart(body);
        message.map_err(|error| NotSent::Ever(error.to_string()))
    }
}

/// Without whatever ends a line or steers a terminal, and not longer than people read.
fn on_one_line(text: &str) -> String {
    let plain = text.chars().map(|c| {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            ' '
        } else {
            c
        }
    });
    let plain: String = plain.collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match plain.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &plain[..end]),
        None => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail() -> Mail {
        Mail {
            id: String::from("e1.TaskAssigned.ada"),
            name: Some(String::from("Ada")),
            address: String::from("ada@example.org"),
            subject: String::from("A task for you"),
            text: String::from("Hello\n"),
            html: String::from("<p>Hello</p>"),
            thread: Some(String::from("task-1")),
        }
    }

    fn sender() -> Sender {
        "Tasks <noreply@example.org>".parse().unwrap()
    }

    fn head(mail: &Mail) -> String {
        let message = mail.message(&sender()).unwrap().formatted();
        let message = String::from_utf8(message).unwrap();
        message.split("\r\n\r\n").next().unwrap().to_owned()
    }

    #[test]
    fn a_mail_is_known_by_its_id() {
        let head = head(&mail());
        assert!(
            head.contains("Message-ID: <e1.TaskAssigned.ada@example.org>"),
            "{head}"
        );
        assert!(head.contains("References: <task-1@example.org>"), "{head}");
        assert!(head.contains("From: Tasks <noreply@example.org>"), "{head}");
        assert!(head.contains("To: Ada <ada@example.org>"), "{head}");
    }

    /// Header injection: whatever stands in a name, a subject or an id, no header comes of it.
    #[test]
    fn no_header_comes_of_what_others_wrote() {
        let hostile = "x\r\nBcc: eve@example.org\r\n\r\n<script>\u{0}\u{2028}";
        let mut mail = mail();
        mail.name = Some(hostile.to_owned());
        mail.subject = hostile.to_owned();
        mail.id = hostile.to_owned();
        mail.thread = Some(hostile.to_owned());
        let head = head(&mail);
        for line in head.split("\r\n") {
            let name = line.split(':').next().unwrap();
            let ours = [
                "Message-ID",
                "References",
                "From",
                "To",
                "Subject",
                "Auto-Submitted",
                "Date",
                "MIME-Version",
                "Content-Type",
            ];
            assert!(ours.contains(&name) || line.starts_with(' '), "{head}");
        }
        assert!(head.contains("Auto-Submitted: auto-generated"), "{head}");
        assert!(mail.message(&sender()).unwrap().envelope().to().len() == 1);
        for address in [
            "ada@example.org\r\nBcc: eve@example.org",
            "ada@example.org, eve@example.org",
            "",
            "@",
            "ada",
            "ada@example.org>\r\nRCPT TO:<eve@example.org",
        ] {
            mail.address = address.to_owned();
            assert!(
                matches!(mail.message(&sender()), Err(NotSent::Ever(_))),
                "{address}"
            );
        }
    }

    #[test]
    fn an_id_is_read_from_what_it_became() {
        for id in ["a.b-c_1", "e1.TaskAssigned.google|1=2@x é"] {
            assert_eq!(
                Mail::id_of(&Mail::message_id(id, &sender())).as_deref(),
                Some(id)
            );
        }
        assert_eq!(
            Mail::id_of("<0100018e-ses@email.amazonses.com>").as_deref(),
            Some("0100018e-ses")
        );
        for none in ["", "<a>", "<=zz=@x>", "<=41@x>"] {
            assert_eq!(Mail::id_of(none), None, "{none}");
        }
    }

    #[test]
    fn subjects_are_not_endless() {
        assert_eq!(on_one_line(&"é".repeat(500)).chars().count(), LONGEST + 1);
        assert_eq!(on_one_line(" a\t\nb "), "a b");
    }
}
