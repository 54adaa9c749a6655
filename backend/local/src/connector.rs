//! The AWS SDK's network, without a network.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;

use crate::{Engine, Reply};

/// The services whose operations are answered.
const SERVICES: [&str; 2] = ["DynamoDB_20120810.", "DynamoDBStreams_20120810."];

/// The operation a value of `X-Amz-Target` names, as `DynamoDB_20120810.PutItem` does. What is of another service stays
/// as it is, and is unknown to the engine.
pub(crate) fn operation_of(target: &str) -> &str {
    let mut operations = SERVICES
        .iter()
        .filter_map(|service| target.strip_prefix(service));
    operations.next().unwrap_or(target)
}

/// An HTTP client whose requests never leave the process.
#[derive(Debug, Clone)]
pub(crate) struct InProcess {
    engine: Engine,
}

impl InProcess {
    pub(crate) fn new(engine: Engine) -> Self {
        InProcess { engine }
    }
}

impl HttpConnector for InProcess {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let engine = self.engine.clone();
        HttpConnectorFuture::new(async move {
            let target = request.headers().get("x-amz-target").unwrap_or_default();
            let operation = operation_of(target).to_owned();
            let Some(body) = request.body().bytes().map(<[u8]>::to_vec) else {
                let why = "DynamoDB has no operation with a streaming body";
                return Err(ConnectorError::user(why.into()));
            };
            let reply = engine.call(operation, body).await;
            response(reply)
        })
    }
}

fn response(reply: Reply) -> Result<HttpResponse, ConnectorError> {
    let status = StatusCode::try_from(reply.status)
        .map_err(|error| ConnectorError::other(error.into(), None))?;
    let mut response = HttpResponse::new(status, SdkBody::from(reply.body));
    response
        .headers_mut()
        .insert("content-type", "application/x-amz-json-1.0");
    Ok(response)
}

impl HttpClient for InProcess {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
