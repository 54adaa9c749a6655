//! What a browser needs to become a device that Firebase knows: the public words of an app. The page has them, and its script registers the browser.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tablewright_service::{Fault, Setting, Settings, SettingsError};

use crate::telling::endpoint;

const INSTALLATIONS: &str = "https://firebaseinstallations.googleapis.com";
const REGISTRATIONS: &str = "https://fcmregistrations.googleapis.com";

/// Said together, or not at all.
const WORDS: [&str; 4] = ["fcm_project", "fcm_app", "fcm_api_key", "fcm_vapid_key"];

/// The settings this takes.
pub(crate) const SETTINGS: [Setting; 6] = [
    Setting::plain(
        WORDS[0],
        "letters, digits and `-`",
        "none: browsers cannot register by themselves",
        "The id of the project of Firebase. This and the next three are said together, with `fcm_credentials`, and are no secrets: the page has them.",
    )
    .checked(|text| word(text, "-").map(drop)),
    Setting::plain(
        WORDS[1],
        "as `1:123:web:abc`",
        "none",
        "The id of the web app of that project.",
    )
    .checked(|text| word(text, "-:.").map(drop)),
    Setting::plain(
        WORDS[2],
        "letters, digits, `-` and `_`",
        "none",
        "The API key of the web app.",
    )
    .checked(|text| word(text, "-_").map(drop)),
    Setting::plain(
        WORDS[3],
        "87 letters, digits, `-` and `_`",
        "none",
        "The public key of the project's web push certificate.",
    )
    .checked(|text| public_key(text).map(drop)),
    Setting::plain(
        "fcm_installations",
        "an address",
        INSTALLATIONS,
        "Where a browser becomes an installation of the app.",
    )
    .checked(|text| endpoint(text).map(drop)),
    Setting::plain(
        "fcm_registrations",
        "an address",
        REGISTRATIONS,
        "Where an installation gets its token.",
    )
    .checked(|text| endpoint(text).map(drop)),
];

/// An app of Firebase, as a browser must know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WebApp {
    pub(crate) project: String,
    pub(crate) app: String,
    pub(crate) api_key: String,
    pub(crate) vapid_key: String,
    pub(crate) installations: String,
    pub(crate) registrations: String,
}

impl WebApp {
    /// As the settings say, if they do.
    ///
    /// # Errors
    /// [`SettingsError`] for a word that cannot be used, and for those that are missing when others are there.
    pub(crate) fn of(settings: &Settings) -> Result<Option<Self>, SettingsError> {
        let project = settings.own(WORDS[0], |text| word(text, "-"))?;
        let app = settings.own(WORDS[1], |text| word(text, "-:."))?;
        let api_key = settings.own(WORDS[2], |text| word(text, "-_"))?;
        let vapid_key = settings.own(WORDS[3], public_key)?;
        let installations = settings.own("fcm_installations", endpoint)?;
        let registrations = settings.own("fcm_registrations", endpoint)?;
        let credentials = settings.own("fcm_credentials", |file| Ok(file.to_owned()))?;
        let said = [
            (WORDS[0], project.is_some()),
            (WORDS[1], app.is_some()),
            (WORDS[2], api_key.is_some()),
            (WORDS[3], vapid_key.is_some()),
        ];
        if said.iter().all(|(_, there)| !there) {
            return Ok(None);
        }
        let missing = said
            .into_iter()
            .chain([("fcm_credentials", credentials.is_some())]);
        let missing = missing.filter(|(_, there)| !there);
        let missing: Vec<Fault> = missing.map(|(name, _)| lacks(name)).collect();
        let (Some(project), Some(app), Some(api_key), Some(vapid_key), []) =
            (project, app, api_key, vapid_key, &missing[..])
        else {
            return Err(SettingsError::Refused(missing));
        };
        Ok(Some(WebApp {
            project,
            app,
            api_key,
            vapid_key,
            installations: address(installations, INSTALLATIONS),
            registrations: address(registrations, REGISTRATIONS),
        }))
    }

    /// Whom the page of notifications may ask besides the service itself.
    pub(crate) fn origins(&self) -> Vec<String> {
        let both = [&self.installations, &self.registrations].into_iter();
        let mut origins: Vec<String> = both.filter_map(|address| origin(address)).collect();
        origins.dedup();
        origins
    }
}

fn lacks(name: &str) -> Fault {
    Fault {
        setting: name.to_owned(),
        origin: String::new(),
        why: format!(
            "it is missing: for browsers to register, {} and fcm_credentials are said together",
            WORDS.join(", ")
        ),
    }
}

fn word(text: &str, signs: &str) -> Result<String, String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || signs.contains(letter);
    match (1..=200).contains(&text.len()) && text.chars().all(fits) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "it has letters and digits and any of `{signs}`, and nothing else"
        )),
    }
}

/// A point of the curve P-256, not compressed.
fn public_key(text: &str) -> Result<String, String> {
    match URL_SAFE_NO_PAD.decode(text).as_deref() {
        Ok([4, point @ ..]) if point.len() == 64 => Ok(text.to_owned()),
        _ => Err(String::from(
            "it is no public key of a web push certificate",
        )),
    }
}

fn address(said: Option<String>, usual: &str) -> String {
    let address = said.unwrap_or_else(|| usual.to_owned());
    address.trim_end_matches('/').to_owned()
}

fn origin(address: &str) -> Option<String> {
    let uri: http::Uri = address.parse().ok()?;
    Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?))
}
