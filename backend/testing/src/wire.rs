//! The way from the service to the engine, watched: the bytes are real, the faults are planned.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tablewright_local::{Engine, Reply};

use crate::client_over::client_over;

/// What happens to one request.
pub enum Fault {
    /// It is answered.
    None,
    /// It is refused for its rate.
    Throttle,
    /// It is refused, since whoever sends it may not.
    Deny,
    /// A transaction: it meets another under way.
    Meet,
    /// It waits for something, and is answered.
    When(BoxFuture<'static, ()>),
    /// Something else is done first.
    After(Box<dyn FnOnce(&Engine) + Send>),
    /// It is done, and something else then, and the reply is lost.
    Lost(Box<dyn FnOnce() + Send>),
}

/// A request that was sent.
#[derive(Debug, Clone)]
pub struct Sent {
    /// What was asked for, as `PutItem`.
    pub operation: String,
    /// With what.
    pub body: Value,
}

/// The way, with the faults to come, each for one request of an operation.
#[derive(Clone)]
pub struct Wire {
    /// Where it leads.
    pub engine: Engine,
    faults: Arc<Mutex<VecDeque<(&'static str, Fault)>>>,
    sent: Arc<Mutex<Vec<Sent>>>,
    /// The items of transactions under way, where these can meet.
    under_way: Option<Arc<Mutex<HashSet<String>>>>,
}

/// How long a transaction takes where others can meet it.
const TRANSACTION: Duration = Duration::from_millis(2);

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::None => "None",
            Fault::Throttle => "Throttle",
            Fault::Deny => "Deny",
            Fault::Meet => "Meet",
            Fault::When(_) => "When",
            Fault::After(_) => "After",
            Fault::Lost(_) => "Lost",
        })
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wire")
    }
}

const THROTTLED: &str = r#"{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}"#;

const LOST: &str =
    r#"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"nobody knows"}"#;

const DENIED: &str =
    r#"{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"not allowed"}"#;

impl Default for Wire {
    fn default() -> Self {
        Wire::new()
    }
}

impl Wire {
    /// To an engine of its own.
    pub fn new() -> Self {
        Wire {
            engine: Engine::temporary().unwrap(),
            faults: Arc::default(),
            sent: Arc::default(),
            under_way: None,
        }
    }

    /// To an engine of its own, on which transactions meet as on DynamoDB: one that is about an item of another under way is cancelled. The engine does them one
    /// after another.
    pub fn where_transactions_meet() -> Self {
        Wire {
            under_way: Some(Arc::default()),
            ..Wire::new()
        }
    }

    /// Answers a transaction, unless it meets another.
    async fn transact(&self, under_way: &Mutex<HashSet<String>>, body: &[u8]) -> Reply {
        let asked: Value = serde_json::from_slice(body).unwrap();
        let items: Vec<String> = asked["TransactItems"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|item| item.as_object().unwrap().values())
            .map(item_of)
            .collect();
        let met: Vec<bool> = {
            let mut under_way = under_way.lock().unwrap();
            let met: Vec<bool> = items.iter().map(|item| under_way.contains(item)).collect();
            if !met.contains(&true) {
                under_way.extend(items.iter().cloned());
            }
            met
        };
        if met.contains(&true) {
            return has_met(met);
        }
        tokio::time::sleep(TRANSACTION).await;
        let reply = self.answer("TransactWriteItems", body).await;
        let mut under_way = under_way.lock().unwrap();
        for item in items {
            under_way.remove(&item);
        }
        reply
    }

    /// The SDK that sends over it.
    pub fn client(&self) -> Client {
        client_over(self.clone())
    }

    /// The next requests of an operation fail so.
    pub fn plan(&self, operation: &'static str, faults: impl IntoIterator<Item = Fault>) {
        let faults = faults.into_iter().map(|fault| (operation, fault));
        self.faults.lock().unwrap().extend(faults);
    }

    /// What was planned and has not happened does not happen.
    pub fn forget_faults(&self) {
        self.faults.lock().unwrap().clear();
    }

    /// What was sent since this was asked last.
    pub fn take_sent(&self) -> Vec<Sent> {
        std::mem::take(&mut self.sent.lock().unwrap())
    }

    /// What is planned for a request, which happens to no other then.
    fn planned(&self, operation: &str) -> Fault {
        let mut faults = self.faults.lock().unwrap();
        let place = faults.iter().position(|(planned, _)| *planned == operation);
        let fault = place.and_then(|place| faults.remove(place));
        fault.map_or(Fault::None, |(_, fault)| fault)
    }

    async fn answer(&self, operation: &str, body: &[u8]) -> Reply {
        match self.planned(operation) {
            Fault::Throttle => Reply {
                status: 400,
                body: THROTTLED.to_owned(),
            },
            Fault::Deny => Reply {
                status: 400,
                body: DENIED.to_owned(),
            },
            Fault::Meet => {
                let asked: Value = serde_json::from_slice(body).unwrap();
                let items = asked["TransactItems"].as_array().unwrap();
                has_met(items.iter().map(|_| true))
            }
            Fault::When(ready) => {
                ready.await;
                self.engine.dispatch(operation, body)
            }
            Fault::After(first) => {
                first(&self.engine);
                self.engine.dispatch(operation, body)
            }
            Fault::Lost(then) => {
                self.engine.dispatch(operation, body);
                then();
                Reply {
                    status: 500,
                    body: LOST.to_owned(),
                }
            }
            Fault::None => self.engine.dispatch(operation, body),
        }
    }
}

/// What a transaction is answered that met another at these items.
fn has_met(met: impl IntoIterator<Item = bool>) -> Reply {
    let code = |met| if met { "TransactionConflict" } else { "None" };
    let reasons = met.into_iter().map(|met| json!({ "Code": code(met) }));
    let reasons: Vec<Value> = reasons.collect();
    let body = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "Message": "it met another", "CancellationReasons": reasons,
    });
    Reply {
        status: 400,
        body: body.to_string(),
    }
}

/// Which item an action of a transaction is about.
fn item_of(action: &Value) -> String {
    let key = match &action["Key"] {
        Value::Null => {
            let item = &action["Item"];
            json!({ "PK": item["PK"], "SK": item["SK"] })
        }
        key => key.clone(),
    };
    format!("{} {key}", action["TableName"])
}

impl HttpConnector for Wire {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let body = request.body().bytes().unwrap_or_default().to_vec();
        self.sent.lock().unwrap().push(Sent {
            operation: operation.clone(),
            body: serde_json::from_slice(&body).unwrap_or_default(),
        });
        let wire = self.clone();
        HttpConnectorFuture::new(async move {
            // As over a network, others come in between: what is sent at once is seen to be.
            tokio::task::yield_now().await;
            let reply = match &wire.under_way {
                Some(under_way) if operation == "TransactWriteItems" => {
                    wire.transact(under_way, &body).await
                }
                _ => wire.answer(&operation, &body).await,
            };
            let mut response =
                HttpResponse::new(reply.status.try_into().unwrap(), SdkBody::from(reply.body));
            response
                .headers_mut()
                .insert("content-type", "application/x-amz-json-1.0");
            Ok(response)
        })
    }
}

impl HttpClient for Wire {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
