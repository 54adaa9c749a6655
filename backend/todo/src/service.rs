//! The service put together.

use std::fmt;

use tablewright::Entity as _;
use tablewright::tables::TableError;
use tablewright_local::{ConnectError, connect};
use tablewright_service::{
    About, IssuerError, Service, Setting, Settings, SettingsError, number, tables_are_there,
};
use tablewright_stream::Function;

use crate::model::{Task, Todo};
use crate::state::App;
use crate::{page, routes};

/// What the service says of itself.
pub const ABOUT: About = About {
    name: "todo",
    title: "To-Do API",
    about: "People keep their own tasks: by status, by due date, by priority and by category. Lists are eventually consistent, as the indexes of DynamoDB are: \
        a task that was just written may be missing from a list for a moment, and is always found by its id.",
    version: env!("CARGO_PKG_VERSION"),
    port: 8081,
};

/// The settings it has besides those of every service.
pub const SETTINGS: &[Setting] = &[
    Setting::plain(
        "keep_completed_days",
        "1 to 36500",
        "for ever",
        "How many days after its completion a task is forgotten. It holds for tasks that are completed from then on. Their counts follow when DynamoDB has deleted them.",
    )
    .checked(|text| days(text).map(drop)),
    Setting::plain(
        "lake",
        "a folder, or `s3://bucket/prefix`",
        "no lake",
        "Where the data lake is: every change and the current state, as Parquet files ([The lake](lake.md)). Of several processes with one lake one writes it.",
    )
    .checked(|text| crate::lake::place(text).map(drop)),
    Setting::plain(
        "verified_addresses",
        "true or false",
        "true with an `issuer`, else false",
        "Whether the address of a user is the one their token says is verified, and no other. Without, people say what their address is, and who says it first has it.",
    )
    .checked(|text| truth(text).map(drop)),
];

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
}

/// The service these settings describe, on its tables, which are made if they are not there.
///
/// # Errors
/// [`StartError`]
pub async fn service(settings: Settings) -> Result<Service, StartError> {
    let app = App::connect(&settings).await?;
    service_on(settings, app).await
}

/// The consumer of this name as a function of AWS Lambda; none where there is no such, or no lake.
///
/// # Errors
/// [`StartError`]
pub async fn function(settings: &Settings, name: &str) -> Result<Option<Function>, StartError> {
    Ok(App::connect(settings).await?.as_function(name))
}

/// The service on tables it is given.
///
/// # Errors
/// [`StartError::Settings`], [`StartError::Tables`] and [`StartError::Issuer`]
pub async fn service_on(settings: Settings, app: App) -> Result<Service, StartError> {
    let request_timeout = settings.limits.request_timeout;
    let app = App {
        verified_addresses: only_verified(&settings).map_err(StartError::Settings)?,
        request_timeout,
        ..app
    };
    tables_are_there(app.todo.create_tables().await).map_err(StartError::Tables)?;
    let page = page::routes(&app, &settings).map_err(StartError::Issuer)?;
    let service = Service::new(settings).map_err(StartError::Issuer)?;
    let service = service
        .tables(app.store(), &[Task::descriptor()])
        .pages(page);
    Ok(routes::all(app).into_iter().fold(service, Service::routes))
}

impl App {
    /// On the tables the settings name.
    ///
    /// # Errors
    /// [`StartError::Settings`] and [`StartError::Connect`]
    pub async fn connect(settings: &Settings) -> Result<Self, StartError> {
        let days = settings
            .own("keep_completed_days", days)
            .map_err(StartError::Settings)?;
        let lake = settings
            .own("lake", crate::lake::place)
            .map_err(StartError::Settings)?;
        let connection = connect(&settings.endpoint)
            .await
            .map_err(StartError::Connect)?;
        let todo = Todo::new(&settings.store(connection.dynamodb));
        let app = App::new(todo, days).with_streams(connection.streams);
        Ok(app.with_lake(lake))
    }
}

/// With an issuer there are people who are strangers to each other: nobody says that another's address is theirs, unless a setting allows it.
fn only_verified(settings: &Settings) -> Result<bool, SettingsError> {
    let said = settings.own("verified_addresses", truth)?;
    Ok(said.unwrap_or(!settings.is_development()))
}

fn days(text: &str) -> Result<u32, String> {
    number(1..=36_500)(text)
}

fn truth(text: &str) -> Result<bool, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is neither true nor false"))
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Settings(error) => error.fmt(f),
            StartError::Connect(error) => error.fmt(f),
            StartError::Tables(error) => error.fmt(f),
            StartError::Issuer(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

#[cfg(test)]
mod tests {
    use tablewright_service::Sources;

    use super::*;

    fn only_verified_with(said: &[(&str, &str)]) -> bool {
        let said = said.iter();
        let sources = said.fold(Sources::none(), |sources, (name, value)| {
            sources.variable(name, *value)
        });
        let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap();
        only_verified(&settings).unwrap()
    }

    /// S0-10
    #[test]
    fn addresses_are_verified_where_there_is_an_issuer() {
        let issuer = [
            ("TABLEWRIGHT_ISSUER", "https://issuer.example.org"),
            ("TABLEWRIGHT_AUDIENCE", "todo"),
        ];
        assert!(!only_verified_with(&[]));
        assert!(only_verified_with(&issuer));
        let allowed = [
            issuer[0],
            issuer[1],
            ("TABLEWRIGHT_VERIFIED_ADDRESSES", "false"),
        ];
        assert!(!only_verified_with(&allowed));
        assert!(only_verified_with(&[(
            "TABLEWRIGHT_VERIFIED_ADDRESSES",
            "true"
        )]));
    }

    /// What is wrong with settings of the kit and with its own is told at once.
    #[test]
    fn all_settings_that_cannot_be_used_are_named_together() {
        let sources = Sources::none()
            .variable("TABLEWRIGHT_KEEP_COMPLETED_DAYS", "0")
            .variable("TABLEWRIGHT_RATE", "x")
            .variable("TABLEWRIGHT_VERIFIED_ADDRESSES", "perhaps");
        let refused = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap_err();
        let told = refused.to_string();
        let lines: Vec<&str> = told.lines().skip(1).collect();
        let named = lines
            .iter()
            .filter_map(|line| line.trim().split(' ').next());
        let names = ["rate", "keep_completed_days", "verified_addresses"];
        assert_eq!(named.collect::<Vec<_>>(), names, "{told}");
    }
}
