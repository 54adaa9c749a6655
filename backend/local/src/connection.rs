//! Clients for an endpoint, whichever it is.

use std::env;
use std::fmt;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::config::Credentials;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;

use crate::{Endpoint, Engine, OpenError};

/// The SDK's clients for an [`Endpoint`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Connection {
    /// For tables and items.
    pub dynamodb: aws_sdk_dynamodb::Client,
    /// For change streams.
    pub streams: aws_sdk_dynamodbstreams::Client,
    /// The embedded engine, if that is the endpoint.
    pub engine: Option<Engine>,
}

/// Why there are no clients for an endpoint. That it cannot be reached shows with the first request.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// The data directory could not be opened.
    Open(OpenError),
    /// Neither the environment nor the AWS configuration names a region.
    NoRegion,
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectError::Open(error @ OpenError::Held { .. }) => write!(
                f,
                "{error}; one process at a time has it: stop that one, or say another endpoint"
            ),
            ConnectError::Open(error) => error.fmt(f),
            ConnectError::NoRegion => f.write_str("no AWS region is configured: set AWS_REGION"),
        }
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ConnectError::Open(error) => error.source(),
            ConnectError::NoRegion => None,
        }
    }
}

impl From<OpenError> for ConnectError {
    fn from(error: OpenError) -> Self {
        ConnectError::Open(error)
    }
}

/// Makes clients for an endpoint. An embedded engine is opened, and its upkeep started.
///
/// A local address gets made-up credentials and a made-up region where the environment names none.
pub async fn connect(endpoint: &Endpoint) -> Result<Connection, ConnectError> {
    match endpoint {
        Endpoint::Embedded(directory) => {
            let directory = directory.clone();
            embedded(move || Engine::open(directory)).await
        }
        Endpoint::Temporary => embedded(Engine::temporary).await,
        Endpoint::Aws => remote(&aws_config(None, false).await),
        Endpoint::Url(url) => remote(&aws_config(Some(url), endpoint.is_local()).await),
    }
}

async fn embedded(
    open: impl FnOnce() -> Result<Engine, OpenError> + Send + 'static,
) -> Result<Connection, ConnectError> {
    let engine = match tokio::task::spawn_blocking(open).await {
        Ok(opened) => opened?,
        Err(failed) => std::panic::resume_unwind(failed.into_panic()),
    };
    engine.start_upkeep();
    Ok(Connection {
        dynamodb: engine.dynamodb(),
        streams: engine.streams(),
        engine: Some(engine),
    })
}

fn remote(config: &SdkConfig) -> Result<Connection, ConnectError> {
    if config.region().is_none() {
        return Err(ConnectError::NoRegion);
    }
    Ok(Connection {
        dynamodb: aws_sdk_dynamodb::Client::new(config),
        streams: aws_sdk_dynamodbstreams::Client::new(config),
        engine: None,
    })
}

/// What the SDK is to know of AWS, from the environment and the AWS configuration: for services of AWS besides DynamoDB.
pub async fn aws_settings() -> SdkConfig {
    aws_config(None, false).await
}

async fn aws_config(url: Option<&str>, local: bool) -> SdkConfig {
    let https = aws_smithy_http_client::Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::AwsLc))
        .build_https();
    let mut loader = aws_config::defaults(BehaviorVersion::latest()).http_client(https);
    if let Some(url) = url {
        loader = loader.endpoint_url(url);
    }
    let unset = |name: &str| env::var_os(name).is_none();
    if local && unset("AWS_ACCESS_KEY_ID") {
        let credentials = Credentials::new("local", "local", None, None, "local");
        loader = loader.credentials_provider(credentials);
    }
    if local && unset("AWS_REGION") && unset("AWS_DEFAULT_REGION") {
        loader = loader.region(Region::from_static("us-east-1"));
    }
    loader.load().await
}
