//! Under AWS Lambda: the same router behind an HTTP API or a function URL, and functions that are given events.

use std::future::Future;
use std::time::Instant;

use serde_json::Value;

use crate::Service;
use crate::server::ServeError;

/// Runs a function of AWS Lambda that is given events, as those of a change stream, until Lambda ends it. With each event it is told the moment
/// by which it must have answered: then Lambda kills it. What it fails with is told to Lambda, which gives it the event again.
///
/// # Errors
/// [`ServeError::NotBuiltForLambda`] without the feature `lambda`, [`ServeError::Lambda`] when there is no Lambda.
#[cfg(feature = "lambda")]
pub async fn handle_events<F, H>(handle: F) -> Result<(), ServeError>
where
    F: Fn(Value, Instant) -> H,
    H: Future<Output = Result<Value, String>>,
{
    use std::time::SystemTime;

    use lambda_http::lambda_runtime::{self, Error, LambdaEvent, service_fn};

    let handle = &handle;
    let function = service_fn(move |event: LambdaEvent<Value>| {
        let left = event.context.deadline().duration_since(SystemTime::now());
        let handled = handle(event.payload, Instant::now() + left.unwrap_or_default());
        async move { handled.await.map_err(Error::from) }
    });
    let ran = lambda_runtime::run(function).await;
    ran.map_err(|error| ServeError::Lambda(error.to_string()))
}

/// As with the feature `lambda`, without which it cannot.
///
/// # Errors
/// [`ServeError::NotBuiltForLambda`]
#[cfg(not(feature = "lambda"))]
pub async fn handle_events<F, H>(handle: F) -> Result<(), ServeError>
where
    F: Fn(Value, Instant) -> H,
    H: Future<Output = Result<Value, String>>,
{
    drop(handle);
    Err(ServeError::NotBuiltForLambda)
}

#[cfg(feature = "lambda")]
pub(crate) async fn serve(service: Service) -> Result<(), ServeError> {
    use std::net::IpAddr;

    use axum::body::Body;
    use lambda_http::{Request, RequestExt as _, request::RequestContext, service_fn};
    use tower::ServiceExt as _;

    use crate::rate::Peer;

    if service.settings().is_development() {
        return Err(ServeError::NoIssuerUnderLambda);
    }
    let router = service.assemble().router;
    let answer = service_fn(move |request: Request| {
        let router = router.clone();
        let address = match request.request_context_ref() {
            Some(RequestContext::ApiGatewayV2(context)) => context.http.source_ip.clone(),
            _ => None,
        };
        let address: Option<IpAddr> = address.and_then(|address| address.parse().ok());
        let mut request = request.map(Body::new);
        if let Some(address) = address {
            request.extensions_mut().insert(Peer(address));
        }
        router.oneshot(request)
    });
    let ran = lambda_http::run(answer).await;
    ran.map_err(|error| ServeError::Lambda(error.to_string()))
}

#[cfg(not(feature = "lambda"))]
pub(crate) async fn serve(service: Service) -> Result<(), ServeError> {
    drop(service);
    Err(ServeError::NotBuiltForLambda)
}
