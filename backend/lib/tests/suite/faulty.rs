//! An engine whose network fails as it is told: the bytes are real, the failures are planned.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use tablewright_local::{Engine, Reply};
use tablewright_testing::client_over;

/// What happens to one request.
pub(crate) enum Fault {
    /// It is answered.
    None,
    /// It is refused for its rate.
    Throttle,
    /// It never arrives.
    LoseRequest,
    /// It is done, and its answer never arrives.
    LoseAnswer,
    /// It is done, and the answer is that something went wrong.
    ServerError,
    /// This is the answer, and nothing is done.
    Answer(u16, &'static str),
    /// Something else happens first.
    After(Box<dyn FnOnce(&Engine) + Send>),
}

/// The faults to come, each for one request of an operation.
#[derive(Clone)]
pub(crate) struct Faulty {
    pub(crate) engine: Engine,
    plan: Arc<Mutex<VecDeque<(&'static str, Fault)>>>,
    sent: Arc<Mutex<Vec<String>>>,
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

impl Faulty {
    pub(crate) fn new() -> Faulty {
        Faulty {
            engine: Engine::temporary().unwrap(),
            plan: Arc::default(),
            sent: Arc::default(),
        }
    }

    pub(crate) fn client(&self) -> Client {
        client_over(self.clone())
    }

    /// The next requests of an operation fail so.
    pub(crate) fn plan(&self, operation: &'static str, faults: impl IntoIterator<Item = Fault>) {
        let faults = faults.into_iter().map(|fault| (operation, fault));
        self.plan.lock().unwrap().extend(faults);
        self.sent.lock().unwrap().clear();
    }

    /// How many requests of an operation were sent since the plan was made.
    pub(crate) fn sent(&self, operation: &str) -> usize {
        let sent = self.sent.lock().unwrap();
        sent.iter().filter(|sent| *sent == operation).count()
    }

    fn next(&self, operation: &str) -> Fault {
        self.sent.lock().unwrap().push(operation.to_owned());
        let mut plan = self.plan.lock().unwrap();
        let position = plan.iter().position(|(planned, _)| *planned == operation);
        position
            .and_then(|position| plan.remove(position))
            .map_or(Fault::None, |(_, fault)| fault)
    }

    fn answer(&self, operation: &str, body: &[u8]) -> Result<Reply, ConnectorError> {
        let lost = || ConnectorError::io("the connection was lost".into());
        let answer = |status, body: &str| Reply {
            status,
            body: body.to_owned(),
        };
        match self.next(operation) {
            Fault::None => Ok(self.engine.dispatch(operation, body)),
            Fault::Throttle => Ok(answer(
                400,
                r#"{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}"#,
            )),
            Fault::LoseRequest => Err(lost()),
            Fault::LoseAnswer => {
                self.engine.dispatch(operation, body);
                Err(lost())
            }
            Fault::ServerError => {
                self.engine.dispatch(operation, body);
                Ok(answer(
                    500,
                    r#"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"oops"}"#,
                ))
            }
            Fault::Answer(status, body) => Ok(answer(status, body)),
            Fault::After(first) => {
                first(&self.engine);
                Ok(self.engine.dispatch(operation, body))
            }
        }
    }
}

impl HttpConnector for Faulty {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request
            .headers()
            .get("x-amz-target")
            .unwrap_or_default()
            .to_owned();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let body = request.body().bytes().unwrap_or_default().to_vec();
        let answer = self.answer(&operation, &body);
        HttpConnectorFuture::ready(answer.map(|reply| {
            let status = reply.status.try_into().unwrap();
            let mut response = HttpResponse::new(status, SdkBody::from(reply.body));
            response
                .headers_mut()
                .insert("content-type", "application/x-amz-json-1.0");
            response
        }))
    }
}

impl HttpClient for Faulty {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
