//! What the programs of services are started as: to serve, to follow what changes, or as a function of AWS Lambda.

use std::fmt;
use std::future::Future;
use std::time::Instant;

use serde_json::Value;

use crate::server::{ServeError, Server, told_to_end};
use crate::settings::{Setting, Settings, SettingsError};
use crate::{About, Service, handle_events, serve, start_logs};

/// Whether this process runs under AWS Lambda, where it sleeps between requests: there the stream of a table is the trigger of a function of its own.
pub fn is_under_lambda() -> bool {
    std::env::var_os("AWS_LAMBDA_RUNTIME_API").is_some()
}

/// Reads the settings of a program, and starts its log.
///
/// # Errors
/// [`SettingsError`]
pub fn begin(about: &'static About, own: &'static [Setting]) -> Result<Settings, SettingsError> {
    let settings = Settings::load(about, own)?;
    start_logs(&settings);
    Ok(settings)
}

/// Serves, and then lets those who follow what changes finish: what the last requests wrote is still followed, the rest is read after the next start.
///
/// # Errors
/// [`ServeError`], after they have been stopped.
pub async fn serve_beside(
    service: Service,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let served = serve(service).await;
    stop.await;
    served
}

/// A process that serves nobody: it does its work until it is told to end, and shows its numbers where `metrics_address` says.
#[derive(Debug)]
#[must_use = "it waits for nothing until it is asked to"]
pub struct Alone<E> {
    end: E,
    numbers: Option<Server>,
}

impl Alone<()> {
    /// Before the work begins, so that nobody who stops it early leaves it half started.
    ///
    /// # Errors
    /// [`ServeError`] when it cannot hear of its end, or listen.
    pub async fn begin(
        settings: &Settings,
    ) -> Result<Alone<impl Future<Output = ()> + Send + use<>>, ServeError> {
        Ok(Alone {
            end: told_to_end(settings).map_err(ServeError::Io)?,
            numbers: Server::of_numbers(settings).await?,
        })
    }
}

impl<E: Future<Output = ()>> Alone<E> {
    /// Returns when it is told to end.
    ///
    /// # Errors
    /// [`ServeError`] when the numbers cannot be shown any more.
    pub async fn until_told(self) -> Result<(), ServeError> {
        match self.numbers {
            Some(numbers) => numbers.run(self.end).await,
            None => {
                self.end.await;
                Ok(())
            }
        }
    }
}

/// Runs the consumer of a name as a function of AWS Lambda, until that ends it: `TASK follow NAME`. `made` is the function; none where there is no such consumer, or
/// nobody it could tell.
///
/// # Errors
/// [`FunctionError`]
pub async fn run_function<F, H, E>(
    settings: &Settings,
    name: &str,
    all: &[&str],
    made: impl Future<Output = Result<Option<F>, E>>,
) -> Result<(), FunctionError<E>>
where
    F: Fn(Value, Instant) -> H,
    H: Future<Output = Result<Value, String>>,
{
    let program = settings.about.name;
    if !is_under_lambda() {
        let name = name.to_owned();
        return Err(FunctionError::NoLambda { program, name });
    }
    let made = made.await.map_err(FunctionError::Start)?;
    let function = made.ok_or_else(|| FunctionError::NoSuch {
        name: name.to_owned(),
        all: all.join(", "),
    })?;
    handle_events(function).await.map_err(FunctionError::Serve)
}

/// Why a consumer does not run as a function.
#[derive(Debug)]
pub enum FunctionError<E> {
    /// This is no Lambda.
    NoLambda {
        /// The program.
        program: &'static str,
        /// The consumer that was asked for.
        name: String,
    },
    /// There is no such consumer, or nobody it could tell.
    NoSuch {
        /// The one that was asked for.
        name: String,
        /// Those there are.
        all: String,
    },
    /// The service does not start.
    Start(E),
    /// Lambda cannot be spoken with.
    Serve(ServeError),
}

impl<E: fmt::Display> fmt::Display for FunctionError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FunctionError::NoLambda { program, name } => write!(
                f,
                "`{program} follow {name}` is a function of AWS Lambda, and this is no Lambda: here `{program}` runs all of them, beside the service"
            ),
            FunctionError::NoSuch { name, all } => write!(
                f,
                "there is no consumer `{name}`, or the settings name nobody it could tell; there are {all}"
            ),
            FunctionError::Start(error) => error.fmt(f),
            FunctionError::Serve(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for FunctionError<E> {}
