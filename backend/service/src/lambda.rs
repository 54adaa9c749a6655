//! The same router under AWS Lambda, behind an HTTP API or a function URL.

use crate::Service;
use crate::server::ServeError;

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
