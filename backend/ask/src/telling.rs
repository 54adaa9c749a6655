//! How people are told, as the settings say.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tablewright_http::is_private;
use tablewright_local::Endpoint;
use tablewright_push::{Fcm, Folder, Pusher, ServiceAccount};
use tablewright_service::{Setting, Settings, SettingsError, duration, page_address};

use crate::dispatcher::{Pace, Sending};

/// How often it is looked for questions that are over, or due to be told of again.
const SWEEP_EVERY: Duration = Duration::from_secs(30);

/// What `sweep_every` may be. A question is marked within a minute.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(60);

/// The settings this takes.
pub(crate) const SETTINGS: [Setting; 5] = [
    Setting::plain(
        "fcm_credentials",
        "a file",
        "none: notifications are files in `push_folder`",
        "The key file of a service account of Firebase, by which notifications are sent.",
    ),
    Setting::plain(
        "fcm_endpoint",
        "an address",
        Fcm::ENDPOINT,
        "Where Firebase Cloud Messaging is.",
    )
    .checked(|text| endpoint(text).map(drop)),
    Setting::plain(
        "push_folder",
        "a folder",
        "`push` in the folder of the embedded engine, else .tablewright/push",
        "Where notifications are kept when there are no `fcm_credentials`.",
    ),
    Setting::plain(
        "page_url",
        "an address",
        "with the development issuer http://127.0.0.1 and the port of the service; else none, and notifications have no links",
        "Where people find the page of the service, for links in notifications.",
    )
    .checked(|text| page_address(text).map(drop)),
    Setting::plain(
        "sweep_every",
        "`100ms` to `1m`",
        "30s",
        "How often it is looked for questions whose time is over, and for those of which others are to be told.",
    )
    .checked(|text| duration(SHORTEST..=LONGEST)(text).map(drop)),
];

/// How people are told, and how often it is looked for whom.
#[derive(Debug)]
pub struct Telling {
    pub(crate) sending: Sending,
    pub(crate) sweep_every: Duration,
}

impl Telling {
    /// As the settings say.
    ///
    /// # Errors
    /// [`SettingsError`] for one that cannot be used.
    pub fn of(settings: &Settings) -> Result<Self, SettingsError> {
        let sweep_every = settings.own("sweep_every", duration(SHORTEST..=LONGEST))?;
        let sending = Sending {
            pusher: pusher(settings)?,
            page: settings
                .own("page_url", page_address)?
                .or_else(|| own_page(settings)),
            pace: Pace::default(),
        };
        Ok(Telling {
            sending,
            sweep_every: sweep_every.unwrap_or(SWEEP_EVERY),
        })
    }
}

fn pusher(settings: &Settings) -> Result<Pusher, SettingsError> {
    let folder = settings.own("push_folder", |folder| Ok(PathBuf::from(folder)))?;
    let endpoint = settings.own("fcm_endpoint", endpoint)?;
    let endpoint = endpoint.as_deref().unwrap_or(Fcm::ENDPOINT);
    let account = settings.own("fcm_credentials", account)?;
    Ok(match account {
        Some(account) => Pusher::Fcm(Fcm::new(account, endpoint)),
        None => {
            let folder = folder.unwrap_or_else(|| match &settings.endpoint {
                Endpoint::Embedded(data) => data.join("push"),
                _ => PathBuf::from(".tablewright/push"),
            });
            Pusher::Folder(Folder::new(folder))
        }
    })
}

fn account(file: &str) -> Result<ServiceAccount, String> {
    let text = fs::read_to_string(file);
    let text = text.map_err(|error| format!("{file} cannot be read: {error}"))?;
    ServiceAccount::of_json(&text).map_err(|error| format!("{file} is {error}"))
}

pub(crate) fn endpoint(url: &str) -> Result<String, String> {
    match is_private(url) {
        true => Ok(url.to_owned()),
        false => Err(String::from("it is not https, nor on this machine")),
    }
}

/// On somebody's own machine the page is where the service listens.
fn own_page(settings: &Settings) -> Option<String> {
    let port = settings.listen.port();
    let own = settings.is_development() && port != 0;
    own.then(|| format!("http://127.0.0.1:{port}"))
}
