//! From what was found to settings: every fault is told, not only the first.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use jsonwebtoken::Algorithm;
use tablewright_local::{DEFAULT_DIRECTORY, Endpoint};
use tracing_subscriber::filter::LevelFilter;

use super::sources::Found;
use super::table::KIT;
use super::{
    Fault, Issuer, Limits, LogFormat, Published, Rate, Secret, Setting, Settings, SettingsError,
    Sources, forms,
};
use crate::About;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const TENTH: Duration = Duration::from_millis(100);

/// The shortest secret: what is shorter can be guessed.
const SHORTEST_SECRET: usize = 16;

struct Reader {
    found: BTreeMap<&'static str, Found>,
    faults: Vec<Fault>,
}

impl Reader {
    /// The value of a setting; its default where nothing is said, or what is said cannot be used.
    fn take<T>(&mut self, name: &str, default: T, form: impl Fn(&str) -> Result<T, String>) -> T {
        self.maybe(name, form).unwrap_or(default)
    }

    fn maybe<T>(&mut self, name: &str, form: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let found = self.found.get(name)?;
        match form(&found.text) {
            Ok(value) => Some(value),
            Err(why) => {
                let origin = found.origin.clone();
                self.fault(name, origin, why);
                None
            }
        }
    }

    /// Looks at a setting of the service's own, which the service reads later.
    fn check(&mut self, setting: &Setting) {
        let (Some(found), Some(check)) = (self.found.get(setting.name), setting.check.0) else {
            return;
        };
        if let Err(why) = check(&found.text) {
            let origin = found.origin.clone();
            self.fault(setting.name, origin, setting.told(why));
        }
    }

    fn fault(&mut self, setting: &str, origin: impl Into<String>, why: impl Into<String>) {
        self.faults.push(Fault {
            setting: setting.to_owned(),
            origin: origin.into(),
            why: why.into(),
        });
    }

    fn origin(&self, name: &str) -> String {
        let found = self.found.get(name);
        found.map(|found| found.origin.clone()).unwrap_or_default()
    }
}

impl Settings {
    /// Where the key of the development issuer is, by these sources: what programs need to know that make tokens for a service.
    ///
    /// # Errors
    /// [`SettingsError`] when a setting that says it cannot be used.
    pub fn development_keys(about: &About, sources: &Sources) -> Result<PathBuf, SettingsError> {
        let said = ["endpoint", "issuer_keys"];
        let said = KIT.iter().filter(|setting| said.contains(&setting.name));
        let mut reader = Reader {
            found: BTreeMap::new(),
            faults: Vec::new(),
        };
        let mut in_file = sources.in_file(about.name)?;
        for setting in said {
            let written = in_file.remove(setting.name).and_then(Result::ok);
            let found = sources.in_environment(about.name, setting.name);
            if let Some(found) = found.or(written) {
                reader.found.insert(setting.name, found);
            }
        }
        let endpoint = endpoint(&mut reader);
        let keys = issuer_keys(&mut reader, &endpoint);
        match reader.faults.is_empty() {
            true => Ok(keys),
            false => Err(SettingsError::Refused(reader.faults)),
        }
    }

    /// What these sources say.
    ///
    /// # Errors
    /// [`SettingsError`]: every setting that cannot be used, with the reason.
    pub fn from_sources(
        about: &About,
        own: &[Setting],
        sources: &Sources,
    ) -> Result<Self, SettingsError> {
        let mut reader = gather(about, own, sources)?;
        let unknown = sources.unknown(own);
        for setting in own {
            reader.check(setting);
        }
        let names: Vec<&str> = own.iter().map(|setting| setting.name).collect();
        let own = own.iter().map(|setting| {
            let found = reader.found.remove(setting.name);
            (setting.name, (*setting, found))
        });
        let own: BTreeMap<_, _> = own.collect();
        let host = reader.take("host", IpAddr::from([127, 0, 0, 1]), |text| {
            let bare = text.trim_start_matches('[').trim_end_matches(']');
            bare.parse()
                .map_err(|_| format!("`{text}` is no IP address"))
        });
        let port = reader.take("port", about.port, forms::number(0..=u16::MAX));
        let endpoint = endpoint(&mut reader);
        let issuer = issuer(&mut reader, host, &endpoint);
        let settings = Settings {
            about: *about,
            listen: SocketAddr::new(host, port),
            table_prefix: reader.take("table_prefix", String::new(), table_prefix),
            cursor_secret: reader.maybe("cursor_secret", secret),
            issuer,
            cors_origins: reader.take("cors_origins", Vec::new(), |text| {
                let origins = forms::list(text);
                origins.iter().map(|entry| forms::origin(entry)).collect()
            }),
            limits: limits(&mut reader),
            shutdown_delay: reader.take(
                "shutdown_delay",
                Duration::ZERO,
                forms::duration(Duration::ZERO..=5 * MINUTE),
            ),
            shutdown_timeout: reader.take(
                "shutdown_timeout",
                Duration::from_secs(25),
                forms::duration(Duration::ZERO..=15 * MINUTE),
            ),
            end_with_input: reader.take("end_with_input", false, forms::word(YES_OR_NO)),
            max_connections: reader.take("max_connections", 4096, forms::number(1..=1_000_000)),
            rate: rate(&mut reader),
            forwarded_hops: reader.take("forwarded_hops", 0, forms::number(0..=10)),
            log: reader.take("log", String::from("info"), levels),
            log_format: reader.take("log_format", LogFormat::Auto, forms::word(LOG_FORMATS)),
            metrics_address: reader.maybe("metrics_address", |text| {
                let address: Result<SocketAddr, _> = text.parse();
                address
                    .map_err(|_| format!("`{text}` is no address with a port, as 127.0.0.1:9102"))
            }),
            metrics_token: reader.maybe("metrics_token", secret),
            endpoint,
            own,
            unknown,
        };
        if reader.faults.is_empty() {
            Ok(settings)
        } else {
            // In the order of the table, so that the first fault is near the cause of others.
            let all = || {
                KIT.iter()
                    .map(|setting| setting.name)
                    .chain(names.iter().copied())
            };
            let place = |fault: &Fault| all().position(|name| name == fault.setting);
            reader.faults.sort_by_key(place);
            Err(SettingsError::Refused(reader.faults))
        }
    }
}

const YES_OR_NO: &[(&str, bool)] = &[("true", true), ("false", false)];

const LOG_FORMATS: &[(&str, LogFormat)] = &[
    ("auto", LogFormat::Auto),
    ("json", LogFormat::Json),
    ("text", LogFormat::Text),
];

const ALGORITHMS: &[(&str, Algorithm)] = &[
    ("RS256", Algorithm::RS256),
    ("ES256", Algorithm::ES256),
    ("EdDSA", Algorithm::EdDSA),
];

/// What is said of each setting; the environment is obeyed before the file.
fn gather(about: &About, own: &[Setting], sources: &Sources) -> Result<Reader, SettingsError> {
    let mut in_file = sources.in_file(about.name)?;
    let mut reader = Reader {
        found: BTreeMap::new(),
        faults: Vec::new(),
    };
    for setting in KIT.iter().chain(own) {
        let written = in_file.remove(setting.name);
        if let Some(found) = sources.in_environment(about.name, setting.name) {
            reader.found.insert(setting.name, found);
            continue;
        }
        match written {
            Some(Ok(found)) => {
                reader.found.insert(setting.name, found);
            }
            Some(Err(origin)) => {
                reader.fault(setting.name, origin, format!("it is {}", setting.form));
            }
            None => {}
        }
    }
    // A word that is written wrong would be ignored in silence.
    for (name, found) in in_file {
        let origin = found.map_or_else(|origin| origin, |found| found.origin);
        let why = format!("{} has no such setting", about.name);
        reader.fault(&name, origin, why);
    }
    Ok(reader)
}

fn issuer(reader: &mut Reader, host: IpAddr, endpoint: &Endpoint) -> Issuer {
    let issuer = reader.maybe("issuer", forms::safe_address);
    let jwks_url = reader.maybe("jwks_url", forms::safe_address);
    let audience = reader.take("audience", Vec::new(), |text| Ok(forms::list(text)));
    let client = reader.maybe("sign_in_client", forms::client);
    let algorithm = reader.take("algorithm", Algorithm::RS256, forms::word(ALGORITHMS));
    let leeway = forms::duration(Duration::ZERO..=5 * MINUTE);
    let leeway = reader.take("leeway", Duration::from_secs(30), leeway);
    let refresh = forms::duration(Duration::from_secs(10)..=24 * HOUR);
    let refresh = reader.take("jwks_refresh", 15 * MINUTE, refresh);
    let keys = issuer_keys(reader, endpoint);
    let Some(issuer) = issuer else {
        for name in ["jwks_url", "audience", "sign_in_client"] {
            if reader.found.contains_key(name) && !reader.found.contains_key("issuer") {
                let why = "it is of no use without `issuer`";
                reader.fault(name, reader.origin(name), why);
            }
        }
        if !Settings::is_on_loopback(host) && !reader.found.contains_key("issuer") {
            let why = format!(
                "it must be set, since the service listens on {host}: the development issuer is for loopback only"
            );
            reader.fault("issuer", "", why);
        }
        return Issuer::Development { keys };
    };
    if audience.is_empty() {
        let why = "it must be set with `issuer`: tokens for others would be accepted";
        reader.fault("audience", reader.origin("audience"), why);
    }
    let jwks_url = jwks_url
        .unwrap_or_else(|| format!("{}/.well-known/jwks.json", issuer.trim_end_matches('/')));
    Issuer::Published(Published {
        issuer,
        jwks_url,
        audience,
        client,
        algorithm,
        leeway,
        refresh,
    })
}

fn endpoint(reader: &mut Reader) -> Endpoint {
    reader.take("endpoint", Endpoint::default(), |text| {
        text.parse::<Endpoint>().map_err(|error| error.to_string())
    })
}

fn issuer_keys(reader: &mut Reader, endpoint: &Endpoint) -> PathBuf {
    let directory = match endpoint {
        Endpoint::Embedded(directory) => directory.clone(),
        _ => PathBuf::from(DEFAULT_DIRECTORY),
    };
    reader.take("issuer_keys", directory, |text| Ok(PathBuf::from(text)))
}

fn limits(reader: &mut Reader) -> Limits {
    let seconds = Duration::from_secs;
    Limits {
        body: reader.take(
            "body_limit",
            256 * 1024,
            forms::size(1024..=16 * 1024 * 1024),
        ),
        header: reader.take("header_limit", 16 * 1024, forms::size(1024..=64 * 1024)),
        idle_timeout: reader.take(
            "idle_timeout",
            seconds(75),
            forms::duration(TENTH..=15 * MINUTE),
        ),
        body_timeout: reader.take(
            "body_timeout",
            seconds(10),
            forms::duration(TENTH..=5 * MINUTE),
        ),
        request_timeout: reader.take(
            "request_timeout",
            seconds(30),
            forms::duration(TENTH..=15 * MINUTE),
        ),
    }
}

fn rate(reader: &mut Reader) -> Option<Rate> {
    let per_second = reader.take("rate", 50, forms::number(0..=1_000_000));
    let burst = reader.take("burst", 100, forms::number(1..=1_000_000));
    (per_second > 0).then_some(Rate { per_second, burst })
}

/// `info`, or `info,tablewright=debug`.
fn levels(text: &str) -> Result<String, String> {
    let is_level = |word: &str| word.parse::<LevelFilter>().is_ok();
    let known = text
        .split(',')
        .all(|part| match part.trim().split_once('=') {
            Some((target, level)) => !target.is_empty() && is_level(level),
            None => is_level(part.trim()),
        });
    match known {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "`{text}` is no level, nor levels by crate: write info, or info,tablewright=debug"
        )),
    }
}

fn table_prefix(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if text.chars().all(fits) && text.len() <= 100 {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "`{text}` cannot be in the name of a table: up to 100 letters, digits, `_`, `-` and `.` can"
        ))
    }
}

/// What is wrong with a secret is told without it.
fn secret(text: &str) -> Result<Secret, String> {
    if text.chars().count() < SHORTEST_SECRET {
        return Err(format!(
            "it has less than {SHORTEST_SECRET} characters and could be guessed"
        ));
    }
    Ok(Secret::new(text))
}
