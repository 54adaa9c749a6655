//! A lake in a bucket of Amazon S3, or of what speaks like it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use http_body_util::BodyExt as _;
use object_store::aws::AmazonS3Builder;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use tablewright_http::{Client, NoAnswer};

/// No file of a lake is larger.
const LONGEST: usize = 2 << 30;

/// The files of a bucket. Who may, and where it is, is in the environment, as for every program of AWS: `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL` and so on. Nothing takes
/// longer than twice `patience`.
pub(crate) fn bucket(name: &str, patience: Duration) -> object_store::Result<Arc<dyn ObjectStore>> {
    let mut builder = AmazonS3Builder::from_env().with_bucket_name(name);
    // An address of this machine is not left by what is sent to it.
    let endpoint =
        std::env::var("AWS_ENDPOINT_URL_S3").or_else(|_| std::env::var("AWS_ENDPOINT_URL"));
    if let Ok(endpoint) = endpoint {
        let here = tablewright_http::is_private(&endpoint);
        builder = builder.with_endpoint(endpoint).with_allow_http(here);
    }
    let retry = RetryConfig {
        retry_timeout: patience,
        ..RetryConfig::default()
    };
    let connector = OneStack { patience };
    let built = builder.with_retry(retry).with_http_connector(connector);
    Ok(Arc::new(built.build()?))
}

/// Speaks by the one TLS stack there is.
#[derive(Debug)]
struct OneStack {
    patience: Duration,
}

#[derive(Debug)]
struct Speaking(Arc<Client>);

impl HttpConnector for OneStack {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = Client::new(self.patience, LONGEST);
        Ok(HttpClient::new(Speaking(Arc::new(client))))
    }
}

impl HttpService for Speaking {
    fn call<'a: 's, 's>(
        &'a self,
        request: HttpRequest,
    ) -> BoxFuture<'s, Result<HttpResponse, HttpError>>
    where
        Self: 's,
    {
        let client = Arc::clone(&self.0);
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await?.to_bytes();
            let request = http::Request::from_parts(parts, body);
            let answer = client.exchange(request).await.map_err(failed)?;
            Ok(answer.map(|body| body.into()))
        })
    }
}

/// What was not sent may be sent again, whatever it was.
fn failed(error: NoAnswer) -> HttpError {
    let kind = match error.was_not_sent() {
        true => HttpErrorKind::Connect,
        false => HttpErrorKind::Interrupted,
    };
    HttpError::new(kind, error)
}
