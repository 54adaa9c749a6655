//! What a service is told: from the environment and a file, checked as a whole before anything starts.

mod elsewhere;
mod error;
mod forms;
mod read;
mod secret;
mod sources;
mod table;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use jsonwebtoken::Algorithm;
use tablewright::Store;
use tablewright_local::Endpoint;

use crate::About;

pub use self::elsewhere::is_known;
pub use self::error::{Fault, SettingsError};
pub(crate) use self::forms::is_safe;
pub use self::forms::{duration, number, page_address};
pub use self::secret::Secret;
pub use self::sources::{FILE_VARIABLE, Sources};
pub use self::table::{Check, KIT, Setting, markdown};

/// What a service is told.
///
/// ```
/// # use tablewright_service::{About, Settings, Sources};
/// # const ABOUT: About = About { name: "notes", title: "Notes", about: "", version: "1", port: 8090 };
/// let sources = Sources::none().variable("PORT", "80o0").variable("TABLEWRIGHT_RATE", "-1");
/// let refused = Settings::from_sources(&ABOUT, &[], &sources).unwrap_err();
/// assert_eq!(refused.to_string(), "the service does not start with these settings:
///   port (PORT): `80o0` is no number from 0 to 65535
///   rate (TABLEWRIGHT_RATE): `-1` is no number from 0 to 1000000");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// Whose they are.
    pub about: About,
    /// Where to listen.
    pub listen: SocketAddr,
    /// Where the tables are.
    pub endpoint: Endpoint,
    /// What the names of the tables begin with.
    pub table_prefix: String,
    /// What cursors are sealed with.
    pub cursor_secret: Option<Secret>,
    /// Whose tokens are accepted.
    pub issuer: Issuer,
    /// Which web pages may call.
    pub cors_origins: Vec<String>,
    /// How much a request may be, and how long it may take.
    pub limits: Limits,
    /// How long after the signal to end all goes on as before.
    pub shutdown_delay: Duration,
    /// How long requests that were accepted may take to end.
    pub shutdown_timeout: Duration,
    /// Whether the service ends with its standard input.
    pub end_with_input: bool,
    /// How many connections are open at once.
    pub max_connections: usize,
    /// How often one caller may ask.
    pub rate: Option<Rate>,
    /// How many proxies stand before the service.
    pub forwarded_hops: usize,
    /// What is logged.
    pub log: String,
    /// How it is logged.
    pub log_format: LogFormat,
    /// Where a process that serves nobody shows its numbers.
    pub metrics_address: Option<SocketAddr>,
    /// What must be sent to read the metrics.
    pub metrics_token: Option<Secret>,
    own: BTreeMap<&'static str, (Setting, Option<sources::Found>)>,
    /// Variables that look like settings and are none, of this service or of another.
    pub(crate) unknown: Vec<String>,
}

/// Whose tokens are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Issuer {
    /// The one of this machine, with a key in a folder. For loopback only.
    Development {
        /// Where its key is.
        keys: PathBuf,
    },
    /// One that publishes its keys.
    Published(Published),
}

/// An issuer that publishes its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The claim `iss` of its tokens.
    pub issuer: String,
    /// Where its keys are.
    pub jwks_url: String,
    /// For whom tokens must be.
    pub audience: Vec<String>,
    /// The public client as which pages sign people in.
    pub client: Option<String>,
    /// What they are signed with.
    pub algorithm: Algorithm,
    /// How far clocks may be apart.
    pub leeway: Duration,
    /// How often the keys are read again.
    pub refresh: Duration,
}

/// How much a request may be, and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest body, in bytes.
    pub body: usize,
    /// The longest headers, in bytes.
    pub header: usize,
    /// How long a connection may wait for the next request.
    pub idle_timeout: Duration,
    /// How long a body may take.
    pub body_timeout: Duration,
    /// How long all may take.
    pub request_timeout: Duration,
}

/// How often one caller may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Requests a second, in the long run.
    pub per_second: u32,
    /// Requests at once.
    pub burst: u32,
}

/// How things are logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    Auto,
    /// An object a line.
    Json,
    /// For people.
    Text,
}

impl Settings {
    /// What the environment of this process and its file say. `own` are the settings the service has besides those of the kit.
    ///
    /// # Errors
    /// [`SettingsError`]: every setting that cannot be used, with the reason.
    pub fn load(about: &About, own: &[Setting]) -> Result<Self, SettingsError> {
        Settings::from_sources(about, own, &Sources::of_process()?)
    }

    /// A setting of the service's own, read by `form`; nothing when nothing is said.
    ///
    /// # Errors
    /// [`SettingsError`] with what `form` has against it, or when the service has no such setting.
    pub fn own<T>(
        &self,
        name: &str,
        form: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, SettingsError> {
        let fault = |origin: &str, why: String| {
            SettingsError::Refused(vec![Fault {
                setting: name.to_owned(),
                origin: origin.to_owned(),
                why,
            }])
        };
        let Some((setting, found)) = self.own.get(name) else {
            let why = String::from("the service does not declare it");
            return Err(fault("", why));
        };
        let Some(found) = found else { return Ok(None) };
        form(&found.text)
            .map(Some)
            .map_err(|why| fault(&found.origin, setting.told(why)))
    }

    /// A store as these settings want it: its table names, and its cursors.
    pub fn store(&self, client: aws_sdk_dynamodb::Client) -> Store {
        let mut store = Store::builder(client).table_prefix(&self.table_prefix);
        if let Some(secret) = &self.cursor_secret {
            store = store.cursor_secret(secret.reveal());
        }
        store.build()
    }

    /// Whether tokens are those of the development issuer.
    pub fn is_development(&self) -> bool {
        matches!(self.issuer, Issuer::Development { .. })
    }

    fn is_on_loopback(host: IpAddr) -> bool {
        host.is_loopback()
    }
}
