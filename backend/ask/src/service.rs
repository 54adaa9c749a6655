//! The service put together.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use tablewright::Entity as _;
use tablewright::tables::TableError;
use tablewright_local::{ConnectError, Endpoint, connect};
use tablewright_service::{
    About, Issuer, IssuerError, Secret, Service, Setting, Settings, SettingsError,
    development_secret, duration, is_under_lambda, tables_are_there,
};
use tablewright_stream::{Consumers, Following, Function, Options};

use crate::browsers::{self, WebApp};
use crate::consumers::{as_function, consumers};
use crate::kinds::KINDS;
use crate::model::{Ask, Question, Response, UserStats};
use crate::page;
use crate::routes;
use crate::signed::Signer;
use crate::state::App;
use crate::telling::{self, Telling};

/// What the service says of itself.
pub const ABOUT: About = About {
    name: "ask",
    title: "Ask-a-Human",
    about: "Agents put questions to people; people answer once each, without an account, and earn points. Feeds and boards are eventually consistent, as the indexes of DynamoDB are; rules are \
        not: they hold by the conditions of each write.",
    version: env!("CARGO_PKG_VERSION"),
    port: 8083,
};

/// The settings it has besides those of every service.
pub const SETTINGS: &[Setting] = &{
    let [a, b, c, d, e] = telling::SETTINGS;
    let [f, g, h, i, j, k] = browsers::SETTINGS;
    [PEOPLE_SECRET, a, b, f, g, h, i, j, k, c, d, e, STREAM_LEASE]
};

const LEASES: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(300);

const STREAM_LEASE: Setting = Setting::plain(
    "stream_lease",
    "`1s` to `5m`",
    "10s",
    "After how long a process that follows changes and gives no sign is succeeded by another.",
)
.checked(|text| duration(LEASES)(text).map(drop));

const PEOPLE_SECRET: Setting = Setting::secret(
    "people_secret",
    "32 characters or more",
    "a file beside the key of the development issuer; with an `issuer` it must be said",
    "What people are known by is signed with. With another secret nobody is known any more.",
)
.checked(|text| long_enough(text).map(drop));

/// How long a request takes at most that waits for an answer, or whose answer is stored while many others are, and some more.
const LONGEST: Duration = Duration::from_secs(50);

/// What is left of that to say that a form took too long.
const TO_TELL: Duration = Duration::from_secs(1);

/// Why the service does not start.
#[derive(Debug)]
pub enum StartError {
    /// A setting cannot be used.
    Settings(SettingsError),
    /// There is an issuer, and no secret for people.
    NoSecret,
    /// The tables cannot be reached.
    Connect(ConnectError),
    /// The tables cannot be made, or are others.
    Tables(TableError),
    /// There is no development issuer.
    Issuer(IssuerError),
}

/// The service these settings describe, on its tables, which are made if they are not there.
///
/// # Errors
/// [`StartError`]
pub async fn serving(settings: Settings) -> Result<Service, StartError> {
    let app = reach(&settings).await?;
    service_on(settings, app).await
}

/// Those who follow what changes, and look after what time brings.
///
/// # Errors
/// [`StartError`]
pub async fn following(settings: &Settings) -> Result<Consumers, StartError> {
    let (app, following) = connected(settings).await?;
    let telling = Telling::of(settings).map_err(StartError::Settings)?;
    Ok(consumers(&app, &following, telling))
}

/// The consumer of this name as a function of AWS Lambda; none where there is no such.
///
/// # Errors
/// [`StartError`]
pub async fn function(settings: &Settings, name: &str) -> Result<Option<Function>, StartError> {
    let (app, following) = connected(settings).await?;
    let telling = Telling::of(settings).map_err(StartError::Settings)?;
    Ok(as_function(name, &app, following.options, telling))
}

/// Both in one process, which is what an embedded engine needs.
///
/// Under AWS Lambda nobody follows: there a stream is a trigger, with a function of its own.
///
/// # Errors
/// [`StartError`]
pub async fn start(settings: Settings) -> Result<(Service, Consumers), StartError> {
    let (app, following) = connected(&settings).await?;
    // Numbers are counted once there is a service.
    let service = service_on(settings.clone(), app.clone()).await?;
    let running = match is_under_lambda() {
        false => {
            let telling = Telling::of(&settings).map_err(StartError::Settings)?;
            consumers(&app, &following, telling)
        }
        true => Consumers::none(),
    };
    Ok((service, running))
}

/// The tables of these settings, which are made if they are not there.
///
/// # Errors
/// [`StartError`]
pub async fn reach(settings: &Settings) -> Result<App, StartError> {
    connected(settings).await.map(|(app, _)| app)
}

async fn connected(settings: &Settings) -> Result<(App, Following), StartError> {
    let signer = Signer::new(&people_secret(settings)?);
    let lease = settings.own("stream_lease", duration(LEASES));
    let lease = lease.map_err(StartError::Settings)?;
    let connection = connect(&settings.endpoint).await;
    let connection = connection.map_err(StartError::Connect)?;
    let ask = Ask::new(&settings.store(connection.dynamodb));
    tables_are_there(ask.create_tables().await).map_err(StartError::Tables)?;
    let mut options = Options::default();
    options.lease = lease.unwrap_or(options.lease);
    if settings.endpoint == Endpoint::Aws {
        // Asking costs money there.
        options.poll = Duration::from_secs(1);
    }
    let following = Following {
        streams: connection.streams,
        options,
    };
    Ok((App::new(ask, signer), following))
}

fn people_secret(settings: &Settings) -> Result<Secret, StartError> {
    let said = settings.own("people_secret", long_enough);
    match (said.map_err(StartError::Settings)?, &settings.issuer) {
        (Some(secret), _) => Ok(secret),
        (None, Issuer::Development { keys }) => {
            development_secret(keys, "people.key").map_err(StartError::Issuer)
        }
        (None, Issuer::Published(_)) => Err(StartError::NoSecret),
    }
}

fn long_enough(text: &str) -> Result<Secret, String> {
    match text.chars().count() {
        32.. => Ok(Secret::new(text)),
        _ => Err(String::from("it is too short")),
    }
}

/// The service on tables it is given.
///
/// # Errors
/// [`StartError::Issuer`], and [`StartError::Settings`] for one that cannot be used.
pub async fn service_on(mut settings: Settings, mut app: App) -> Result<Service, StartError> {
    app.https_only = !settings.is_development();
    let by_firebase = settings.own("fcm_credentials", |file| Ok(file.to_owned()));
    app.sends_by_firebase = by_firebase.map_err(StartError::Settings)?.is_some();
    let web_app = WebApp::of(&settings).map_err(StartError::Settings)?;
    app.web_app = web_app.map(Arc::new);
    let limits = &mut settings.limits;
    // There a request has the time of its call, and comes with its body.
    let arriving = match is_under_lambda() {
        true => Duration::ZERO,
        false => {
            limits.request_timeout = limits.request_timeout.max(LONGEST);
            limits.body_timeout
        }
    };
    let patience = limits.request_timeout.saturating_sub(arriving);
    app.form_patience = patience.saturating_sub(TO_TELL).max(TO_TELL);
    let pages = page::routes(&app, &settings).map_err(StartError::Issuer)?;
    let service = Service::new(settings).map_err(StartError::Issuer)?;
    let entities = [
        Question::descriptor(),
        Response::descriptor(),
        UserStats::descriptor(),
    ];
    let service = service.tables(app.store(), &entities).problems(KINDS);
    let service = service.pages(pages);
    let routes = routes::all(&app).into_iter();
    Ok(routes.fold(service, Service::open_routes))
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Settings(error) => error.fmt(f),
            StartError::NoSecret => f.write_str(
                "the setting people_secret is missing: with an issuer it must be said, 32 characters or more, the same in all processes",
            ),
            StartError::Connect(error) => error.fmt(f),
            StartError::Tables(error) => error.fmt(f),
            StartError::Issuer(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}
