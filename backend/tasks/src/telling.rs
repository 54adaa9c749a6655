//! Who is told what happens, as the settings say.

use std::path::PathBuf;
use std::time::Duration;

use tablewright_http::is_private;
use tablewright_local::{Endpoint, aws_settings};
use tablewright_mail::{BadAddress, Folder, Mailer, Sender, Smtp};
use tablewright_service::{
    Fault, Setting, Settings, SettingsError, duration, number, page_address,
};
use tablewright_stream::events::{EventBridge, EventLog, LogError, Secret, Webhook};

use crate::notifier::Sending;

/// How long whoever sends a mail may give no sign of life.
const STALE: Duration = Duration::from_secs(20);

/// How many seconds to wait after a server has not taken a mail, each time: some take from strangers what is sent again after five minutes. Mails of the same task to the same person wait meanwhile.
const AGAIN: [u64; 5] = [1, 10, 60, 330, 330];

/// What `mail_stale` may be.
const SHORTEST: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(600);

/// From whom mails are that nobody sends.
const FROM: &str = "Tasks <noreply@localhost.localdomain>";

const DAY: Duration = Duration::from_secs(24 * 3600);

/// The settings this takes.
pub(crate) const SETTINGS: [Setting; 10] = [
    setting(
        "smtp_url",
        "`smtps://USER:PASSWORD@HOST`, `smtp://USER:PASSWORD@HOST:587?tls=required`",
        "none: mails are files in `mail_folder`",
        true,
        "The server that sends mails. Amazon SES is one. `smtp://` alone is not encrypted: with a password it is for a server on this machine only.",
    )
    .checked(|text| server(text).map(drop))
    .explained(),
    setting(
        "mail_from",
        "an address, as `Tasks <noreply@example.org>`",
        FROM,
        false,
        "From whom mails are. With `smtp_url` it must be said.",
    )
    .checked(|text| sender(text).map(drop)),
    setting(
        "mail_folder",
        "a folder",
        "`mail` in the folder of the embedded engine, else .tablewright/mail",
        false,
        "Where mails are kept when there is no `smtp_url`.",
    ),
    setting(
        "mail_stale",
        "`2s` to `10m`",
        "20s",
        false,
        "How long a process that sends a mail may give no sign of life before another sends it. A server that is slow is waited for, up to ten minutes.",
    )
    .checked(|text| duration(SHORTEST..=LONGEST)(text).map(drop)),
    setting(
        "page_url",
        "an address",
        "none: mails have no links",
        false,
        "Where people find the page of the service, for links in mails.",
    )
    .checked(|text| page_address(text).map(drop)),
    setting(
        "bounce_token",
        "16 characters or more",
        "none: nobody can say that a mail came back",
        true,
        "What must be sent as bearer token to say that a mail came back.",
    )
    .checked(|text| bounce_token(text).map(drop)),
    setting(
        "events_log",
        "a folder, or `none`",
        "`events/tasks` in the folder of the embedded engine, else none",
        false,
        "Where events are written down, to be told again.",
    ),
    setting(
        "events_days",
        "1 to 3650",
        "7",
        false,
        "For how many days `events_log` has them.",
    )
    .checked(|text| days(text).map(drop)),
    setting(
        "events_webhook",
        "an address and a secret, `https://HOST/PATH whsec_…`; another secret may follow",
        "none",
        true,
        "Who gets every event by POST, signed.",
    )
    .checked(|text| webhook(text).map(drop)),
    setting(
        "events_bus",
        "a name or an ARN",
        "none",
        false,
        "The bus of Amazon EventBridge that gets every event.",
    ),
];

const fn setting(
    name: &'static str,
    form: &'static str,
    default: &'static str,
    secret: bool,
    about: &'static str,
) -> Setting {
    match secret {
        true => Setting::secret(name, form, default, about),
        false => Setting::plain(name, form, default, about),
    }
}

/// Who is told.
#[derive(Debug)]
pub struct Telling {
    pub(crate) sending: Sending,
    pub(crate) log: Option<EventLog>,
    pub(crate) webhook: Option<Webhook>,
    pub(crate) bus: Option<EventBridge>,
}

/// Why nobody can be told.
#[derive(Debug)]
pub enum TellingError {
    /// A setting cannot be used.
    Settings(SettingsError),
    /// The log of events cannot be written.
    Log(LogError),
}

impl Telling {
    /// As the settings say.
    ///
    /// # Errors
    /// [`TellingError`]
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub async fn of(settings: &Settings) -> Result<Self, TellingError> {
        let sending = sending(settings).map_err(TellingError::Settings)?;
        let days = settings.own("events_days", days);
        let days = days.map_err(TellingError::Settings)?.unwrap_or(7);
        let folder = log_folder(settings).map_err(TellingError::Settings)?;
        let log = folder.map(|folder| EventLog::open(folder, DAY * days));
        let webhook = settings.own("events_webhook", webhook);
        let bus = settings.own("events_bus", |bus| Ok(bus.to_owned()));
        let bus = match bus.map_err(TellingError::Settings)? {
            Some(bus) => Some(EventBridge::new(&aws_settings().await, bus)),
            None => None,
        };
        Ok(Telling {
            sending,
            log: log.transpose().map_err(TellingError::Log)?,
            webhook: webhook.map_err(TellingError::Settings)?,
            bus,
        })
    }
}

impl Telling {
    /// How mails are sent, for those who tell nobody else.
    pub fn into_sending(self) -> Sending {
        self.sending
    }
}

fn sending(settings: &Settings) -> Result<Sending, SettingsError> {
    let folder = settings.own("mail_folder", |folder| Ok(PathBuf::from(folder)))?;
    let folder = folder
        .or_else(|| data_folder(settings).map(|data| data.join("mail")))
        .unwrap_or_else(|| PathBuf::from(".tablewright/mail"));
    let server = settings.own("smtp_url", server)?;
    let from = settings.own("mail_from", sender)?;
    if from.is_none() && server.is_some() {
        // A server on the way would not take what is from nowhere.
        return Err(fault("mail_from", "with `smtp_url` it must be said"));
    }
    let from = from.map_or_else(|| sender(FROM).map_err(|why| fault("mail_from", &why)), Ok)?;
    if server.is_none() {
        tracing::info!(folder = %folder.display(), "mails are files: there is no `smtp_url`");
    }
    Ok(Sending {
        mailer: server.map_or_else(|| Mailer::Folder(Folder::new(folder)), Mailer::Smtp),
        from,
        page: settings.own("page_url", page_address)?,
        stale: settings
            .own("mail_stale", duration(SHORTEST..=LONGEST))?
            .unwrap_or(STALE),
        again: AGAIN.map(Duration::from_secs).to_vec(),
    })
}

fn fault(setting: &str, why: &str) -> SettingsError {
    SettingsError::Refused(vec![Fault {
        setting: setting.to_owned(),
        origin: String::new(),
        why: why.to_owned(),
    }])
}

fn log_folder(settings: &Settings) -> Result<Option<PathBuf>, SettingsError> {
    let said = settings.own("events_log", |folder| Ok(folder.to_owned()))?;
    Ok(match said.as_deref() {
        Some("none") => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => data_folder(settings).map(|data| data.join("events/tasks")),
    })
}

fn data_folder(settings: &Settings) -> Option<PathBuf> {
    match &settings.endpoint {
        Endpoint::Embedded(folder) => Some(folder.clone()),
        _ => None,
    }
}

fn server(url: &str) -> Result<Smtp, String> {
    Smtp::new(url).map_err(|error| error.to_string())
}

fn days(text: &str) -> Result<u32, String> {
    number(1..=3650)(text)
}

/// What those who tell of bounces must know.
pub(crate) fn bounce_token(text: &str) -> Result<tablewright_service::Secret, String> {
    match text.chars().count() {
        16.. => Ok(tablewright_service::Secret::new(text)),
        _ => Err(String::from("it is too short")),
    }
}

fn sender(text: &str) -> Result<Sender, String> {
    text.parse().map_err(|error: BadAddress| error.to_string())
}

/// `https://HOST/PATH whsec_… whsec_…`
fn webhook(text: &str) -> Result<Webhook, String> {
    let mut words = text.split_whitespace();
    let url = words.next().filter(|url| is_private(url));
    let url =
        url.ok_or("there is no address, or it is not https; only on this machine it may be http")?;
    let secrets: Result<Vec<Secret>, _> = words.map(str::parse).collect();
    let secrets = secrets.map_err(|error| error.to_string())?;
    match secrets.is_empty() {
        true => Err(String::from("there is no secret")),
        false => Ok(Webhook::new(url, secrets)),
    }
}

#[cfg(test)]
mod tests {
    use super::is_private;

    #[test]
    fn events_go_in_clear_to_nobody_else() {
        for good in [
            "https://example.org/hook",
            "http://localhost:9000/h",
            "http://127.0.0.1/h",
            "http://[::1]:80/h",
        ] {
            assert!(is_private(good), "{good}");
        }
        for bad in [
            "http://localhost.evil.example/h",
            "http://127.0.0.1.evil.example/h",
            "http://example.org/h",
            "http://127.0.0.1@evil.example/h",
            "ftp://localhost/h",
            "localhost",
            "",
        ] {
            assert!(!is_private(bad), "{bad}");
        }
    }
}
