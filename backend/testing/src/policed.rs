//! An engine that lets through what the policies of services allow, and writes down what was asked of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use serde_json::Value;
use tablewright_local::{Engine, Reply};

use crate::client_over::client_over;

/// One action on one item, or on one partition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// As DynamoDB calls it.
    pub action: String,
    /// Of which table.
    pub table: String,
    /// In which index, if in one.
    pub index: Option<String>,
    /// The partition key, where it is text.
    pub leading: String,
}

/// One action at one place, on keys of one form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Allowed {
    /// As DynamoDB calls it.
    pub action: String,
    /// Of which table.
    pub table: String,
    /// In which index, if in one.
    pub index: Option<String>,
    /// The form of the keys, the tenant filled in; none for all keys.
    pub keys: Option<String>,
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

/// What is deployed of a model: `infrastructure/models/<model>.json`.
pub fn deployed(model: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../infrastructure/models")
        .join(format!("{model}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What the statements of a service in the export of a model allow, one by one.
fn allowed(service: &Value, tenant: &str) -> BTreeSet<Allowed> {
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

/// The partition keys of tables and their indexes: by table, and index if it is one's.
type Partitions = BTreeMap<(String, Option<String>), String>;

/// The way to an engine for somebody who has policies, and no other right.
#[derive(Clone)]
pub struct Policed {
    /// Where it leads.
    pub engine: Engine,
    partitions: Arc<Partitions>,
    allowed: Arc<BTreeSet<Allowed>>,
    /// The tables whose streams may be read.
    followed: Arc<BTreeSet<String>>,
    used: Arc<Mutex<BTreeSet<Allowed>>>,
    denied: Arc<Mutex<BTreeSet<Asked>>>,
    /// What is to be deleted is gone when the request comes.
    pub others_are_faster: Arc<AtomicBool>,
}

impl fmt::Debug for Policed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Policed")
    }
}

impl Policed {
    /// To an engine, with the policies of these services, each of a model, for a tenant; `*` for whoever acts for all.
    pub fn new(engine: &Engine, services: &[(&str, &str)], tenant: &str) -> Policed {
        let mut partitions = Partitions::new();
        let mut all = BTreeSet::new();
        for (model, service) in services {
            let export = deployed(model);
            partitions.extend(partitions_of(&export));
            let mut named = export["services"].as_array().unwrap().iter();
            let named = named.find(|one| one["name"] == *service);
            all.extend(allowed(named.unwrap(), tenant));
        }
        Policed {
            engine: engine.clone(),
            partitions: Arc::new(partitions),
            allowed: Arc::new(all),
            followed: Arc::default(),
            used: Arc::default(),
            denied: Arc::default(),
            others_are_faster: Arc::default(),
        }
    }

    /// With the policy of who reads the stream of a table.
    #[must_use]
    pub fn follows(self, table: &str) -> Policed {
        let mut followed = (*self.followed).clone();
        followed.insert(table.to_owned());
        Policed {
            followed: Arc::new(followed),
            ..self
        }
    }

    /// The SDK that sends over it.
    pub fn client(&self) -> Client {
        client_over(self.clone())
    }

    /// What was asked for and not allowed.
    pub fn denied(&self) -> BTreeSet<Asked> {
        self.denied.lock().unwrap().clone()
    }

    /// What is allowed and was not asked for.
    pub fn unused(&self) -> BTreeSet<Allowed> {
        let used = self.used.lock().unwrap();
        self.allowed.difference(&used).cloned().collect()
    }

    fn answer(&self, operation: &str, body: &[u8]) -> Reply {
        let request: Value = serde_json::from_slice(body).unwrap();
        if is_of_tables(operation) {
            // In an account tables are deployed: nobody has a policy to make them, and who follows one may look at it.
            let table = request["TableName"].as_str().unwrap_or_default();
            return match operation == "DescribeTable" && self.followed.contains(table) {
                true => self.engine.dispatch(operation, body),
                false => refused(),
            };
        }
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
        match all_allowed {
            true => self.engine.dispatch(operation, body),
            false => refused(),
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
            "BatchWriteItem" => {
                let tables = request["RequestItems"].as_object().unwrap().iter();
                tables
                    .flat_map(|(table, asked)| {
                        let writes = asked.as_array().unwrap().iter();
                        let parts = writes.flat_map(|write| write.as_object().unwrap().values());
                        parts
                            .map(|part| self.one(operation, table, None, key_in(part)))
                            .collect::<Vec<_>>()
                    })
                    .collect()
            }
            "TransactGetItems" => {
                let items = request["TransactItems"].as_array().unwrap().iter();
                items
                    .map(|item| self.on_item("GetItem", &item["Get"]))
                    .collect()
            }
            "Query" => vec![self.on_partition(request)],
            // It is of every key, so no form of keys lets it through.
            "Scan" => vec![Asked {
                action: operation.to_owned(),
                table: request["TableName"].as_str().unwrap().to_owned(),
                index: request["IndexName"].as_str().map(str::to_owned),
                leading: String::new(),
            }],
            _ => vec![self.on_item(operation, request)],
        }
    }

    fn on_item(&self, action: &str, request: &Value) -> Asked {
        let table = request["TableName"].as_str().unwrap();
        self.one(action, table, None, key_in(request))
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
        let place = (table.to_owned(), index.map(str::to_owned));
        let leading = match self.partitions.get(&place) {
            Some(partition) => {
                assert!(key.get(partition).is_some(), "{action}: {key}");
                key[partition]["S"].as_str().unwrap_or_default().to_owned()
            }
            // No policy knows the table.
            None => String::new(),
        };
        Asked {
            action: action.to_owned(),
            table: place.0,
            index: place.1,
            leading,
        }
    }
}

/// The key an action is about: by itself, or in the item it writes.
fn key_in(action: &Value) -> &Value {
    action.get("Key").unwrap_or(&action["Item"])
}

/// Whether an operation is about tables and not about items.
fn is_of_tables(operation: &str) -> bool {
    operation.ends_with("Table") || operation.ends_with("TimeToLive") || operation == "ListTables"
}

fn refused() -> Reply {
    Reply {
        status: 400,
        body: r#"{"__type":"com.amazon.coral.service#AccessDeniedException","message":"not authorized"}"#.to_owned(),
    }
}

fn partitions_of(export: &Value) -> Partitions {
    let mut all = Partitions::new();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    for table in export["tables"].as_array().unwrap() {
        let name = text(&table["name"]);
        for index in table["indexes"].as_array().unwrap() {
            let place = (name.clone(), Some(text(&index["name"])));
            all.insert(place, text(&index["partition_key"]["name"]));
        }
        all.insert((name, None), text(&table["partition_key"]["name"]));
    }
    all
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
