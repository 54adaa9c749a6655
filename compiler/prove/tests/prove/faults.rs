//! An endpoint that fails is no reason for a proof, and none against a model.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};
use tablewright::Patience;
use tablewright_local::Engine;
use tablewright_prove::{Place, ProveError, Settings, prove};

use crate::support::{fixture, model};

/// What an endpoint does from some request on.
#[derive(Clone, Copy)]
enum Fault {
    /// It takes no more requests.
    Throttles,
    /// It is gone.
    Lost,
    /// It answers as nobody expects.
    Denies,
    /// It throttles every third request, which is to be expected of one that is busy.
    IsBusy,
    /// It takes what it is given, and keeps nothing.
    Forgets,
    /// It does not say what a request used.
    SaysNothing,
    /// It says half a unit, whatever a request used.
    SaysHalf,
    /// It says one unit, whatever a request used.
    SaysOne,
    /// It says what the table used, and nothing of its indexes.
    ForgetsIndexes,
    /// It takes a request and never answers.
    IsSilent,
    /// It answers for half of the keys it is asked for, and says which are left.
    LeavesKeys,
}

impl Fault {
    /// An answer with another capacity.
    fn told(self, body: &str) -> String {
        let mut answer: Value = serde_json::from_str(body).unwrap();
        let used = answer.get_mut("ConsumedCapacity");
        let Some(used) = used.and_then(Value::as_object_mut) else {
            return body.to_owned();
        };
        let of_table = used.get("Table").cloned();
        used.retain(|name, _| name == "TableName");
        let units = match self {
            Fault::SaysHalf => Some(json!(0.5)),
            Fault::SaysOne => Some(json!(1.0)),
            Fault::ForgetsIndexes => of_table.and_then(|table| table.get("CapacityUnits").cloned()),
            _ => None,
        };
        if let Some(units) = units {
            used.insert("Table".to_owned(), json!({ "CapacityUnits": units }));
            used.insert("CapacityUnits".to_owned(), units);
        }
        answer.to_string()
    }
}

/// An engine behind a network that fails from the nth request of an operation on.
#[derive(Clone)]
struct Failing {
    engine: Engine,
    operation: &'static str,
    after: u64,
    fault: Fault,
    seen: Arc<AtomicU64>,
}

impl fmt::Debug for Failing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Failing")
    }
}

const THROTTLED: &str = r#"{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}"#;
const DENIED: &str =
    r#"{"__type":"com.amazon.coral.service#AccessDeniedException","message":"not you"}"#;

impl Failing {
    fn client(&self) -> Client {
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("local"))
            .credentials_provider(Credentials::new("local", "local", None, None, "test"))
            .endpoint_url("http://failing.invalid")
            .http_client(self.clone());
        Client::from_conf(config.build())
    }

    fn answer(&self, operation: &str, body: &[u8]) -> Result<(u16, String), ConnectorError> {
        if operation == self.operation {
            let seen = self.seen.fetch_add(1, Ordering::SeqCst);
            if seen >= self.after {
                match self.fault {
                    Fault::Throttles => return Ok((400, THROTTLED.to_owned())),
                    Fault::Denies => return Ok((400, DENIED.to_owned())),
                    Fault::Lost => return Err(ConnectorError::io("the line is dead".into())),
                    Fault::IsBusy if seen.is_multiple_of(3) => {
                        return Ok((400, THROTTLED.to_owned()));
                    }
                    Fault::IsBusy => {}
                    Fault::Forgets => return Ok((200, r#"{"UnprocessedItems":{}}"#.to_owned())),
                    Fault::IsSilent => unreachable!("it is not asked for an answer"),
                    Fault::LeavesKeys => return Ok((200, self.half(operation, body))),
                    Fault::SaysNothing
                    | Fault::SaysHalf
                    | Fault::SaysOne
                    | Fault::ForgetsIndexes => {
                        let reply = self.engine.dispatch(operation, body);
                        return Ok((reply.status, self.fault.told(&reply.body)));
                    }
                }
            }
        }
        let reply = self.engine.dispatch(operation, body);
        Ok((reply.status, reply.body))
    }

    /// The answer to half of the keys; to all, where there is but one.
    fn half(&self, operation: &str, body: &[u8]) -> String {
        let mut asked: Value = serde_json::from_slice(body).unwrap();
        let mut left = serde_json::Map::new();
        for (table, asked) in asked["RequestItems"].as_object_mut().unwrap() {
            let keys = asked["Keys"].as_array_mut().unwrap();
            let others = keys.split_off(keys.len().div_ceil(2));
            if !others.is_empty() {
                let strong = asked["ConsistentRead"].clone();
                left.insert(
                    table.clone(),
                    json!({ "Keys": others, "ConsistentRead": strong }),
                );
            }
        }
        let reply = self
            .engine
            .dispatch(operation, asked.to_string().as_bytes());
        let mut answer: Value = serde_json::from_str(&reply.body).unwrap();
        answer["UnprocessedKeys"] = Value::Object(left);
        answer.to_string()
    }
}

impl HttpConnector for Failing {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        if matches!(self.fault, Fault::IsSilent) && operation == self.operation {
            self.seen.fetch_add(1, Ordering::SeqCst);
            return HttpConnectorFuture::new(std::future::pending());
        }
        let body = request.body().bytes().unwrap_or_default().to_vec();
        let answer = self.answer(&operation, &body);
        HttpConnectorFuture::ready(answer.map(|(status, body)| {
            let mut response = HttpResponse::new(status.try_into().unwrap(), SdkBody::from(body));
            let headers = response.headers_mut();
            headers.insert("content-type", "application/x-amz-json-1.0");
            response
        }))
    }
}

impl HttpClient for Failing {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

/// What becomes of a proof, and the tables that are left after it was cleared away.
async fn proved_at(
    operation: &'static str,
    after: u64,
    fault: Fault,
) -> (Result<bool, ProveError>, Vec<String>) {
    proved_of("lost-end-day", operation, after, fault).await
}

async fn proved_of(
    name: &str,
    operation: &'static str,
    after: u64,
    fault: Fault,
) -> (Result<bool, ProveError>, Vec<String>) {
    let model = model(fixture(name));
    let engine = Engine::temporary().unwrap();
    let failing = Failing {
        engine: engine.clone(),
        operation,
        after,
        fault,
        seen: Arc::default(),
    };
    let patience = Patience {
        attempts: if matches!(fault, Fault::IsBusy) {
            20
        } else {
            3
        },
        first_wait: Duration::from_millis(1),
        longest_wait: Duration::from_millis(4),
        ..Patience::default()
    };
    let place = Place::new(failing.client(), Duration::ZERO).with_patience(patience);
    let settings = Settings { items: 40, seed: 1 };
    let proof = prove(&model, settings, &place, &|_, _, _| {}).await;
    place.clear().await.unwrap();
    let left = engine.dynamodb().list_tables().send().await.unwrap();
    (
        proof.map(|proof| proof.passes()),
        left.table_names().to_vec(),
    )
}

#[tokio::test]
async fn an_endpoint_that_fails_midway_gives_no_proof_and_says_what_was_being_done() {
    for (operation, after, fault, doing, why) in [
        (
            "PutItem",
            7,
            Fault::Throttles,
            "creating Task",
            "takes no more requests",
        ),
        (
            "PutItem",
            7,
            Fault::Lost,
            "creating Task",
            "the line is dead",
        ),
        (
            "Query",
            20,
            Fault::Throttles,
            "asking tasks_due",
            "takes no more requests",
        ),
        ("GetItem", 5, Fault::Lost, "asking task", "the line is dead"),
        (
            "BatchWriteItem",
            2,
            Fault::Throttles,
            "filling the table",
            "takes no more requests",
        ),
        (
            "GetItem",
            0,
            Fault::Denies,
            "measuring one item of a known size",
            "AccessDeniedException",
        ),
        (
            "GetItem",
            2,
            Fault::Denies,
            "asking task",
            "AccessDeniedException",
        ),
    ] {
        let (proof, left) = proved_at(operation, after, fault).await;
        let told = proof.unwrap_err().to_string();
        assert!(
            told.starts_with(&format!("while {doing}")),
            "{operation}: {told}"
        );
        assert!(told.contains(why), "{operation}: {told}");
        assert_eq!(left, [""; 0], "{operation}");
    }
}

/// A pattern that stays wrong is waited for once a round, and not with every question.
#[tokio::test]
async fn what_does_not_settle_is_waited_for_once_and_told() {
    let model = model(fixture("lost-end-day"));
    let mut asked = Vec::new();
    for settles_within in [Duration::ZERO, Duration::from_millis(100)] {
        let failing = Failing {
            engine: Engine::temporary().unwrap(),
            operation: "Query",
            after: u64::MAX,
            fault: Fault::Lost,
            seen: Arc::default(),
        };
        let place = Place::new(failing.client(), settles_within);
        let settings = Settings { items: 40, seed: 1 };
        let proof = prove(&model, settings, &place, &|_, _, _| {})
            .await
            .unwrap();
        let why = proof.patterns.iter().find_map(|one| one.why.as_deref());
        let waited = why
            .unwrap()
            .ends_with("; it did not settle in 0.1 s of waiting");
        assert_eq!(waited, !settles_within.is_zero(), "{why:?}");
        assert!(proof.patterns[0].passes());
        asked.push(failing.seen.load(Ordering::SeqCst));
    }
    // Waits of 20, 40 and 40 ms in each of three rounds, and a list of 40 items at most for each.
    let more = asked[1] - asked[0];
    assert!(more > 0 && more <= 3 * 3 * 41, "{asked:?}");
}

#[tokio::test]
async fn tables_that_cannot_be_made_are_told() {
    let (proof, left) = proved_at("CreateTable", 0, Fault::Denies).await;
    let told = proof.unwrap_err().to_string();
    assert!(told.starts_with("its tables could not be made: "), "{told}");
    assert_eq!(left, [""; 0]);
}

#[tokio::test]
async fn an_endpoint_that_is_only_busy_changes_nothing() {
    for operation in ["PutItem", "Query", "GetItem", "BatchWriteItem"] {
        let (proof, _) = proved_at(operation, 0, Fault::IsBusy).await;
        assert_eq!(
            proof,
            Ok(false),
            "{operation}: the model is wrong, as on any other"
        );
    }
}

/// What a batch by hand left is asked for again, and strongly where it was.
#[tokio::test]
async fn keys_that_are_left_are_asked_for_again() {
    let by_hand = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/by-hand/many-keys.toml");
    let failing = Failing {
        engine: Engine::temporary().unwrap(),
        operation: "BatchGetItem",
        after: 0,
        fault: Fault::LeavesKeys,
        seen: Arc::default(),
    };
    let place = Place::new(failing.client(), Duration::ZERO);
    let settings = Settings { items: 60, seed: 1 };
    let proof = prove(&model(by_hand), settings, &place, &|_, _, _| {})
        .await
        .unwrap();
    let found = |name: &str| {
        let mut patterns = proof.patterns.iter();
        patterns.find(|one| one.pattern == name).unwrap()
    };
    assert_eq!(found("many").why, None);
    assert_eq!(found("many").rcu_large, Some(5.0));
    assert_eq!(found("many_strongly").rcu_large, Some(10.0));
}

/// What fills the large table is asked for, too: without it no cost would grow.
#[tokio::test]
async fn a_large_table_that_is_not_there_proves_nothing() {
    let right = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/right/orders-and-lines.toml"
    );
    let model = model(right);
    for after in [u64::MAX, 0] {
        let failing = Failing {
            engine: Engine::temporary().unwrap(),
            operation: "BatchWriteItem",
            after,
            fault: Fault::Forgets,
            seen: Arc::default(),
        };
        let place = Place::new(failing.client(), Duration::ZERO);
        let settings = Settings { items: 60, seed: 1 };
        let proof = prove(&model, settings, &place, &|_, _, _| {})
            .await
            .unwrap();
        assert_eq!(proof.passes(), after == u64::MAX, "{proof:#?}");
        let told = proof.patterns.iter().find_map(|one| one.why.as_deref());
        let told = told.unwrap_or("in the large table, nothing is wrong");
        assert!(told.starts_with("in the large table, "), "{told}");
    }
}

/// A budget that is held against what an endpoint invents would be kept by everything.
#[tokio::test]
async fn an_endpoint_that_does_not_tell_capacity_as_dynamodb_does_gives_no_proof() {
    for (name, operation, fault, told) in [
        (
            "lost-end-day",
            "PutItem",
            Fault::SaysNothing,
            ProveError::NoCapacity,
        ),
        (
            "lost-end-day",
            "PutItem",
            Fault::SaysHalf,
            ProveError::OtherCapacity,
        ),
        (
            "lost-end-day",
            "PutItem",
            Fault::ForgetsIndexes,
            ProveError::OtherCapacity,
        ),
        // One unit is what small items cost, in a model without an index.
        (
            "open-prefix",
            "PutItem",
            Fault::SaysOne,
            ProveError::OtherCapacity,
        ),
        (
            "open-prefix",
            "GetItem",
            Fault::SaysOne,
            ProveError::OtherCapacity,
        ),
        // A page of what was found is most of what there is to read.
        (
            "open-prefix",
            "Query",
            Fault::SaysOne,
            ProveError::OtherCapacity,
        ),
        (
            "open-prefix",
            "Query",
            Fault::SaysNothing,
            ProveError::NoCapacity,
        ),
        (
            "stale-index",
            "UpdateItem",
            Fault::SaysNothing,
            ProveError::NoCapacity,
        ),
        (
            "stale-index",
            "UpdateItem",
            Fault::SaysHalf,
            ProveError::OtherCapacity,
        ),
    ] {
        let (proof, left) = proved_of(name, operation, 0, fault).await;
        assert_eq!(proof, Err(told), "{operation}");
        assert_eq!(left, [""; 0]);
    }
}

/// Who is not there makes no table: nothing is told of any that may be left behind, and nobody waits for it.
#[tokio::test]
async fn an_endpoint_that_is_not_there_leaves_nothing_behind() {
    let model = model(fixture("lost-end-day"));
    let failing = Failing {
        engine: Engine::temporary().unwrap(),
        operation: "ListTables",
        after: 0,
        fault: Fault::Lost,
        seen: Arc::default(),
    };
    let place = Place::new(failing.client(), Duration::ZERO);
    let settings = Settings { items: 40, seed: 1 };
    let proof = prove(&model, settings, &place, &|_, _, _| {}).await;
    let told = proof.unwrap_err().to_string();
    assert!(
        told.starts_with("while asking the endpoint for its tables: "),
        "{told}"
    );
    let asked = failing.seen.load(Ordering::SeqCst);
    assert_eq!(place.clear().await, Ok(()));
    assert_eq!(failing.seen.load(Ordering::SeqCst), asked);
}

/// Who takes a request and says nothing is asked once and then told; it has made no table.
#[tokio::test]
async fn an_endpoint_that_is_silent_is_not_waited_for_again_and_again() {
    let failing = Failing {
        engine: Engine::temporary().unwrap(),
        operation: "ListTables",
        after: 0,
        fault: Fault::IsSilent,
        seen: Arc::default(),
    };
    let client = failing.client();
    let soon = TimeoutConfig::builder().operation_attempt_timeout(Duration::from_millis(50));
    let config = client.config().to_builder().timeout_config(soon.build());
    let place = Place::new(Client::from_conf(config.build()), Duration::ZERO);
    let settings = Settings { items: 40, seed: 1 };
    let model = model(fixture("lost-end-day"));
    let proof = prove(&model, settings, &place, &|_, _, _| {}).await;
    let told = proof.unwrap_err().to_string();
    assert!(
        told.starts_with("while asking the endpoint for its tables: DynamoDB cannot be reached: "),
        "{told}"
    );
    assert_eq!(failing.seen.load(Ordering::SeqCst), 1);
    assert_eq!(place.clear().await, Ok(()));
}
