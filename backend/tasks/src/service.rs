//! The service put together.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use tablewright::Entity as _;
use tablewright::tables::TableError;
use tablewright_local::{ConnectError, Endpoint, connect};
use tablewright_service::{
    About, IssuerError, Service, Setting, Settings, SettingsError, duration, is_under_lambda,
    tables_are_there,
};
use tablewright_stream::events::LogError;
use tablewright_stream::{Following, Function, Options};

use crate::consumers::{Consumers, as_function};
use crate::kinds::KINDS;
use crate::model::{Task, Tasks};
use crate::page;
use crate::routes::{self, bounces::Bounces};
use crate::rules::Domains;
use crate::state::App;
use crate::telling::{self, Telling, TellingError};

/// What the service says of itself.
pub const ABOUT: About = About {
    name: "tasks",
    title: "Task management",
    about: "Admins create, assign and close tasks; members see what is assigned to them and change its status. What a caller may do is in the groups of their token, `Admins` or `Members`; \
        a profile is made when somebody comes for the first time. Lists are eventually consistent, as the indexes of DynamoDB are; rules are not: they hold by the condition of each write.",
    version: env!("CARGO_PKG_VERSION"),
    port: 8082,
};

/// The settings it has besides those of every service.
pub const SETTINGS: &[Setting] = &{
    let [a, b, c, d, e, f, g, h, i, j] = telling::SETTINGS;
    [EMAIL_DOMAINS, a, b, c, d, e, f, g, h, i, j, STREAM_LEASE]
};

const EMAIL_DOMAINS: Setting = Setting::plain(
    "email_domains",
    "a list of domains",
    "every domain",
    "In which domains people who come for the first time have their e-mail address: `amalitech.com, amalitechtraining.org`.",
)
.checked(|text| Domains::named(text).map(drop));

const LEASES: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(300);

const STREAM_LEASE: Setting = Setting::plain(
    "stream_lease",
    "`1s` to `5m`",
    "10s",
    "After how long a process that follows changes and gives no sign is succeeded by another.",
)
.checked(|text| duration(LEASES)(text).map(drop));

/// Why the service does not start.
#[derive(Debug)]
pub enum StartError {
    /// A setting cannot be used.
    Settings(SettingsError),
    /// The tables cannot be reached.
    Connect(ConnectError),
    /// The tables cannot be made, or are others.
    Tables(TableError),
    /// There is no development issuer.
    Issuer(IssuerError),
    /// The log of events cannot be written.
    Log(LogError),
}

impl From<TellingError> for StartError {
    fn from(error: TellingError) -> Self {
        match error {
            TellingError::Settings(error) => StartError::Settings(error),
            TellingError::Log(error) => StartError::Log(error),
        }
    }
}

/// The service these settings describe, on its tables, which are made if they are not there.
///
/// # Errors
/// [`StartError`]
pub async fn serving(settings: Settings) -> Result<Service, StartError> {
    let (app, _) = reach(&settings).await?;
    service_on(settings, app).await
}

/// Those who follow what changes in the tables.
///
/// # Errors
/// [`StartError`]
pub async fn following(settings: &Settings) -> Result<Consumers, StartError> {
    let (app, following) = reach(settings).await?;
    tables(&app).await?;
    follow(settings, &app, &following).await
}

/// The consumer of this name as a function of AWS Lambda; none where there is no such consumer, or nobody it could tell.
///
/// # Errors
/// [`StartError`]
pub async fn function(settings: &Settings, name: &str) -> Result<Option<Function>, StartError> {
    let (app, following) = reach(settings).await?;
    let telling = Telling::of(settings).await?;
    Ok(as_function(name, &app, following.options, telling))
}

/// Both in one process, which is what an embedded engine needs.
///
/// Under AWS Lambda nobody follows: there a stream is a trigger, with a function of its own.
///
/// # Errors
/// [`StartError`]
pub async fn start(settings: Settings) -> Result<(Service, Consumers), StartError> {
    let (app, following) = reach(&settings).await?;
    tables(&app).await?;
    // Numbers are counted once there is a service.
    let service = service_on(settings.clone(), app.clone()).await?;
    let consumers = match is_under_lambda() {
        false => follow(&settings, &app, &following).await?,
        true => Consumers::none(),
    };
    Ok((service, consumers))
}

async fn reach(settings: &Settings) -> Result<(App, Following), StartError> {
    let domains = settings.own("email_domains", Domains::named);
    let domains = domains.map_err(StartError::Settings)?;
    let lease = settings.own("stream_lease", duration(LEASES));
    let lease = lease.map_err(StartError::Settings)?;
    let connection = connect(&settings.endpoint).await;
    let connection = connection.map_err(StartError::Connect)?;
    let tasks = Tasks::new(&settings.store(connection.dynamodb));
    let mut options = options(&settings.endpoint);
    options.lease = lease.unwrap_or(options.lease);
    let following = Following {
        streams: connection.streams,
        options,
    };
    Ok((App::new(tasks, domains.unwrap_or_default()), following))
}

async fn tables(app: &App) -> Result<(), StartError> {
    tables_are_there(app.tasks.create_tables().await).map_err(StartError::Tables)
}

async fn follow(
    settings: &Settings,
    app: &App,
    following: &Following,
) -> Result<Consumers, StartError> {
    let telling = Telling::of(settings).await?;
    Ok(Consumers::all(app, following).telling(app, following, telling))
}

/// How streams are read: asking costs money on AWS, and nothing on this machine.
fn options(endpoint: &Endpoint) -> Options {
    let mut options = Options::default();
    if *endpoint == Endpoint::Aws {
        options.poll = Duration::from_secs(1);
    }
    options
}

/// The service on tables it is given.
///
/// # Errors
/// [`StartError::Settings`], [`StartError::Tables`] and [`StartError::Issuer`]
pub async fn service_on(settings: Settings, app: App) -> Result<Service, StartError> {
    tables(&app).await?;
    let token = settings.own("bounce_token", telling::bounce_token);
    let bounces = Bounces {
        app: app.clone(),
        token: token.map_err(StartError::Settings)?,
    };
    let pages = page::routes(&app, &settings).map_err(StartError::Issuer)?;
    let service = Service::new(settings).map_err(StartError::Issuer)?;
    let service = service
        .pages(pages)
        .tables(app.store(), &[Task::descriptor()])
        .problems(KINDS)
        .open_routes(routes::bounces::routes(bounces));
    Ok(routes::all(&app).into_iter().fold(service, Service::routes))
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Settings(error) => error.fmt(f),
            StartError::Connect(error) => error.fmt(f),
            StartError::Tables(error) => error.fmt(f),
            StartError::Issuer(error) => error.fmt(f),
            StartError::Log(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}
