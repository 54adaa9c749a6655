//! An engine that lets through what the policy of a service allows, and writes down what was asked of it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use serde_json::Value;
use tablewright::descriptor::Schema;
use tablewright_local::{Engine, Reply};

/// One action on one item, or on one partition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asked {
    pub(crate) action: String,
    pub(crate) table: String,
    pub(crate) index: Option<String>,
    /// The partition key, where it is text.
    pub(crate) leading: String,
}

/// One action at one place, on keys of one form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Allowed {
    pub(crate) action: String,
    pub(crate) table: String,
    pub(crate) index: Option<String>,
    /// The form of the keys, the tenant filled in; none for all keys.
    pub(crate) keys: Option<String>,
}

impl Allowed {
    fn allows(&self, asked: &Asked) -> bool {
        self.action == asked.action
            && self.table == asked.table
            && self.index == asked.index
            && self
                .keys
                .as_ref()
                .is_none_or(|keys| is_like(&asked.leading, keys))
    }
}

/// What the statements of a service in the export of a model allow, one by one.
pub(crate) fn allowed(service: &Value, tenant: &str) -> BTreeSet<Allowed> {
    let mut all = BTreeSet::new();
    let texts = |value: &Value| -> Vec<String> {
        let values = value.as_array().unwrap().iter();
        values
            .map(|value| value.as_str().unwrap().to_owned())
            .collect()
    };
    for statement in service["statements"].as_array().unwrap() {
        let keys = texts(&statement["leading_keys"]);
        let mut keys: Vec<Option<String>> = keys
            .iter()
            .map(|key| Some(key.replace("${tenant}", tenant)))
            .collect();
        if keys.is_empty() {
            keys.push(None);
        }
        for action in texts(&statement["actions"]) {
            for resource in statement["resources"].as_array().unwrap() {
                for keys in &keys {
                    all.insert(Allowed {
                        action: action.clone(),
                        table: resource["table"].as_str().unwrap().to_owned(),
                        index: resource["index"].as_str().map(str::to_owned),
                        keys: keys.clone(),
                    });
                }
            }
        }
    }
    all
}

/// Whether a text is like a form, in which `*` stands for anything.
fn is_like(text: &str, form: &str) -> bool {
    let mut pieces = form.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut ends = form == first && rest.is_empty();
    for piece in pieces {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
        ends = piece.is_empty() || rest.is_empty();
    }
    ends
}

#[derive(Clone)]
pub(crate) struct Policed {
    pub(crate) engine: Engine,
    schema: &'static Schema,
    allowed: Arc<BTreeSet<Allowed>>,
    used: Arc<Mutex<BTreeSet<Allowed>>>,
    denied: Arc<Mutex<BTreeSet<Asked>>>,
    /// What is to be deleted is gone when the request comes.
    pub(crate) others_are_faster: Arc<AtomicBool>,
}

impl fmt::Debug for Policed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Policed")
    }
}

impl Policed {
    pub(crate) fn new(schema: &'static Schema, allowed: BTreeSet<Allowed>) -> Policed {
        Policed {
            engine: Engine::temporary().unwrap(),
            schema,
            allowed: Arc::new(allowed),
            used: Arc::default(),
            denied: Arc::default(),
            others_are_faster: Arc::default(),
        }
    }

    pub(crate) fn client(&self) -> Client {
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("local"))
            .credentials_provider(Credentials::new("local", "local", None, None, "test"))
            .endpoint_url("http://policed.invalid")
            .http_client(self.clone());
        Client::from_conf(config.build())
    }

    /// What was asked for and not allowed.
    pub(crate) fn denied(&self) -> BTreeSet<Asked> {
        self.denied.lock().unwrap().clone()
    }

    /// What is allowed and was not asked for.
    pub(crate) fn unused(&self) -> BTreeSet<Allowed> {
        let used = self.used.lock().unwrap();
        self.allowed.difference(&used).cloned().collect()
    }

    fn answer(&self, operation: &str, body: &[u8]) -> Reply {
        let request: Value = serde_json::from_slice(body).unwrap();
        let mut all_allowed = true;
        for asked in self.asked(operation, &request) {
            match self.allowed.iter().find(|allowed| allowed.allows(&asked)) {
                Some(allowed) => {
                    self.used.lock().unwrap().insert(allowed.clone());
                }
                None => {
                    all_allowed = false;
                    self.denied.lock().unwrap().insert(asked);
                }
            }
        }
        if operation == "DeleteItem" && self.others_are_faster.load(Ordering::Relaxed) {
            let gone =
                serde_json::json!({ "TableName": request["TableName"], "Key": request["Key"] });
            self.engine.dispatch(operation, gone.to_string().as_bytes());
        }
        if all_allowed {
            return self.engine.dispatch(operation, body);
        }
        Reply {
            status: 400,
            body: r#"{"__type":"com.amazon.coral.service#AccessDeniedException","message":"not authorized"}"#.to_owned(),
        }
    }

    /// What a request must be allowed: of a transaction and of a batch, each of their parts.
    fn asked(&self, operation: &str, request: &Value) -> Vec<Asked> {
        match operation {
            "TransactWriteItems" => {
                let items = request["TransactItems"].as_array().unwrap().iter();
                items
                    .flat_map(|item| item.as_object().unwrap())
                    .map(|(kind, part)| {
                        let action = match kind.as_str() {
                            "ConditionCheck" => "ConditionCheckItem".to_owned(),
                            kind => format!("{kind}Item"),
                        };
                        self.on_item(&action, part)
                    })
                    .collect()
            }
            "BatchGetItem" => {
                let tables = request["RequestItems"].as_object().unwrap().iter();
                tables
                    .flat_map(|(table, asked)| {
                        let keys = asked["Keys"].as_array().unwrap().iter();
                        keys.map(|key| self.one(operation, table, None, key))
                            .collect::<Vec<_>>()
                    })
                    .collect()
            }
            "Query" => vec![self.on_partition(request)],
            _ => vec![self.on_item(operation, request)],
        }
    }

    fn on_item(&self, action: &str, request: &Value) -> Asked {
        let table = request["TableName"].as_str().unwrap();
        let key = request.get("Key").unwrap_or(&request["Item"]);
        self.one(action, table, None, key)
    }

    /// A query begins with the test of its partition key: `#0 = :0`.
    fn on_partition(&self, request: &Value) -> Asked {
        let table = request["TableName"].as_str().unwrap();
        let condition = request["KeyConditionExpression"].as_str().unwrap();
        let words: Vec<&str> = condition.split_whitespace().collect();
        let name = &request["ExpressionAttributeNames"][words[0]];
        let value = &request["ExpressionAttributeValues"][words[2]];
        let name = name.as_str().unwrap();
        let key = serde_json::json!({ name: value });
        self.one("Query", table, request["IndexName"].as_str(), &key)
    }

    fn one(&self, action: &str, table: &str, index: Option<&str>, key: &Value) -> Asked {
        let described = self.schema.tables.iter().find(|one| one.name == table);
        let described = described.unwrap();
        let partition = match index {
            None => &described.partition_key.name,
            Some(index) => {
                let mut indexes = described.indexes.iter();
                let index = indexes.find(|one| one.name == index);
                &index.unwrap().partition_key.name
            }
        };
        assert!(key.get(partition).is_some(), "{action}: {key}");
        Asked {
            action: action.to_owned(),
            table: table.to_owned(),
            index: index.map(str::to_owned),
            leading: key[partition]["S"].as_str().unwrap_or_default().to_owned(),
        }
    }
}

impl HttpConnector for Policed {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target");
        let operation = target.unwrap_or_default().rsplit('.').next();
        let operation = operation.unwrap_or_default().to_owned();
        let body = request.body().bytes().unwrap_or_default().to_vec();
        let reply = self.answer(&operation, &body);
        let status = reply.status.try_into().unwrap();
        let mut response = HttpResponse::new(status, SdkBody::from(reply.body));
        let headers = response.headers_mut();
        headers.insert("content-type", "application/x-amz-json-1.0");
        HttpConnectorFuture::ready(Ok(response))
    }
}

impl HttpClient for Policed {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

#[test]
fn a_form_is_matched_whole() {
    for (text, form, like) in [
        ("TASK#ada", "TASK#ada", true),
        ("TASK#adam", "TASK#ada", false),
        ("EMAIL#a@b", "EMAIL#*", true),
        ("IDEMPOTENCY#ada#POST#1", "IDEMPOTENCY#ada#*#*", true),
        ("IDEMPOTENCY#adam#POST#1", "IDEMPOTENCY#ada#*#*", false),
        ("IDEMPOTENCY#ada#POST", "IDEMPOTENCY#ada#*#*", false),
        ("a#tail", "*#tail", true),
        ("a#tailed", "*#tail", false),
    ] {
        assert_eq!(is_like(text, form), like, "{text} {form}");
    }
}
