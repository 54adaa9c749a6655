//! Under AWS Lambda: the same router behind an HTTP API or a function URL, and functions that are given events.

use std::future::Future;
#[cfg(feature = "lambda")]
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;

use crate::Service;
use crate::server::ServeError;

/// How long before the end of a call who waits for something is told to answer as it is.
#[cfg(feature = "lambda")]
const TO_END: Duration = Duration::from_secs(4);

/// What is left of a call to say that a request took too long.
#[cfg(feature = "lambda")]
const TO_TELL: Duration = Duration::from_secs(1);

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
    use std::time::SystemTime;

    use axum::body::Body;
    use lambda_http::{Request, RequestExt as _, request::RequestContext, service_fn};
    use tokio::time::Instant;
    use tower::ServiceExt as _;

    use crate::guard::Deadline;
    use crate::rate::Peer;
    use crate::server::Ending;

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
        let left = request
            .lambda_context_ref()
            .map(|context| context.deadline().duration_since(SystemTime::now()));
        let mut request = request.map(Body::new);
        if let Some(left) = left {
            let (now, left) = (Instant::now(), left.unwrap_or_default());
            let ending = Ending::at(now + left.saturating_sub(TO_END));
            request.extensions_mut().insert(ending);
            let deadline = Deadline(now + left.saturating_sub(TO_TELL));
            request.extensions_mut().insert(deadline);
        }
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
