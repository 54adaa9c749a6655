//! A stand-in for the endpoint of DynamoDB Streams: shards as a test wants them, over the SDK's own requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodbstreams::Client;
use aws_sdk_dynamodbstreams::config::{BehaviorVersion, Config, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};

/// A stand-in for the endpoint of DynamoDB Streams.
#[derive(Debug, Clone, Default)]
pub(crate) struct StandIn(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    shards: Vec<Shard>,
    /// The next request of this operation fails with this error.
    failures: VecDeque<(String, String)>,
    last: u64,
    /// How long each record takes that is read, during which whoever reads does nothing else.
    takes: Duration,
    /// How many records were asked for, each time.
    asked_for: Vec<usize>,
    /// How many answers have no record although there are some.
    empty: usize,
}

#[derive(Debug)]
struct Shard {
    stream: String,
    id: String,
    parent: Option<String>,
    records: Vec<(u64, Value)>,
    /// The last record that is no longer kept.
    trimmed: u64,
    ended: bool,
}

impl StandIn {
    pub(crate) const STREAM: &str =
        "arn:aws:dynamodb:here:1:table/todo-app-data/stream/2026-02-01T00:00:00.000";
    pub(crate) const EARLIER: &str =
        "arn:aws:dynamodb:here:1:table/todo-app-data/stream/2026-01-01T00:00:00.000";

    pub(crate) fn new() -> Self {
        StandIn::default()
    }

    pub(crate) fn shard(&self, id: &str, parent: Option<&str>) {
        self.shard_of(StandIn::STREAM, id, parent);
    }

    pub(crate) fn shard_of(&self, stream: &str, id: &str, parent: Option<&str>) {
        self.0.lock().unwrap().shards.push(Shard {
            stream: stream.to_owned(),
            id: id.to_owned(),
            parent: parent.map(str::to_owned),
            records: Vec::new(),
            trimmed: 0,
            ended: false,
        });
    }

    /// A new record of an item of its own.
    pub(crate) fn put(&self, shard: &str, event: &str) {
        self.put_of(shard, event, event);
    }

    /// A new record of an item.
    pub(crate) fn put_of(&self, shard: &str, event: &str, item: &str) {
        let mut inner = self.0.lock().unwrap();
        let item = json!({ "PK": { "S": item }, "SK": { "S": item } });
        inner.put(shard, event, &item);
    }

    /// A record with a value of a kind nobody knows.
    pub(crate) fn put_strange(&self, shard: &str, event: &str) {
        let mut inner = self.0.lock().unwrap();
        let item = json!({ "PK": { "S": event }, "SK": { "S": event }, "new": { "Q": "?" } });
        inner.put(shard, event, &item);
    }

    /// Whoever reads a record is busy with it for so long.
    pub(crate) fn takes(&self, each: Duration) {
        self.0.lock().unwrap().takes = each;
    }

    /// So many answers have no record although there are some: they go on by a part of a shard that has none.
    pub(crate) fn is_empty_for(&self, answers: usize) {
        self.0.lock().unwrap().empty = answers;
    }

    /// How many records were asked for, each time.
    pub(crate) fn asked_for(&self) -> Vec<usize> {
        self.0.lock().unwrap().asked_for.clone()
    }

    /// Nothing fails any more.
    pub(crate) fn recover(&self) {
        self.0.lock().unwrap().failures.clear();
    }

    pub(crate) fn end(&self, shard: &str) {
        self.0.lock().unwrap().find(shard).ended = true;
    }

    /// Forgets the first records of a shard.
    pub(crate) fn trim(&self, shard: &str, many: usize) {
        let mut inner = self.0.lock().unwrap();
        let shard = inner.find(shard);
        let gone = shard.records.drain(..many);
        shard.trimmed = gone.map(|(sequence, _)| sequence).max().unwrap();
    }

    /// Forgets a shard.
    pub(crate) fn remove(&self, shard: &str) {
        self.0
            .lock()
            .unwrap()
            .shards
            .retain(|known| known.id != shard);
    }

    pub(crate) fn fail(&self, operation: &str, error: &str) {
        self.0
            .lock()
            .unwrap()
            .failures
            .push_back((operation.to_owned(), error.to_owned()));
    }

    /// Until it recovers.
    pub(crate) fn fails_for_long(&self, operation: &str, error: &str) {
        for _ in 0..100_000 {
            self.fail(operation, error);
        }
    }

    pub(crate) fn client(&self) -> Client {
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("here"))
            .credentials_provider(Credentials::new("a", "b", None, None, "test"))
            .endpoint_url("http://stand-in.invalid")
            .retry_config(aws_sdk_dynamodbstreams::config::retry::RetryConfig::disabled())
            .http_client(self.clone())
            .build();
        Client::from_conf(config)
    }
}

impl Inner {
    fn put(&mut self, shard: &str, event: &str, item: &Value) {
        self.last += 1;
        let sequence = self.last;
        let record = json!({
            "eventID": event, "eventName": "INSERT",
            "dynamodb": {
                "Keys": { "PK": item["PK"], "SK": item["SK"] }, "NewImage": item, "SequenceNumber": sequence.to_string(), "ApproximateCreationDateTime": 1_700_000_000,
                "StreamViewType": "NEW_AND_OLD_IMAGES",
            },
        });
        self.find(shard).records.push((sequence, record));
    }

    fn find(&mut self, shard: &str) -> &mut Shard {
        self.shards.iter_mut().find(|one| one.id == shard).unwrap()
    }

    fn answer(&mut self, operation: &str, asked: &Value) -> Result<Value, String> {
        if self
            .failures
            .front()
            .is_some_and(|(failing, _)| failing == operation)
        {
            return Err(self.failures.pop_front().unwrap().1);
        }
        match operation {
            "ListStreams" => Ok(self.streams()),
            "DescribeStream" => Ok(self.describe(asked)),
            "GetShardIterator" => self.iterator(asked),
            "GetRecords" => self.records(asked),
            other => panic!("{other} is not asked of a stream"),
        }
    }

    fn streams(&self) -> Value {
        let mut streams: Vec<&str> = self
            .shards
            .iter()
            .map(|shard| shard.stream.as_str())
            .collect();
        streams.sort_unstable();
        streams.dedup();
        // The newest first: nobody promises an order.
        let streams = streams.iter().rev().map(|arn| {
            let (_, label) = arn.rsplit_once('/').unwrap();
            json!({ "StreamArn": arn, "StreamLabel": label, "TableName": "todo-app-data" })
        });
        json!({ "Streams": streams.collect::<Vec<_>>() })
    }

    /// One shard a page.
    fn describe(&self, asked: &Value) -> Value {
        let of: Vec<&Shard> = self
            .shards
            .iter()
            .filter(|shard| asked["StreamArn"] == *shard.stream)
            .collect();
        let after = asked["ExclusiveStartShardId"].as_str();
        let at = after.map_or(0, |after| {
            of.iter().position(|shard| shard.id == after).unwrap() + 1
        });
        let mut description =
            json!({ "StreamArn": asked["StreamArn"], "StreamStatus": "ENABLED", "Shards": [] });
        if let Some(shard) = of.get(at) {
            let mut told = json!({ "ShardId": shard.id, "SequenceNumberRange": { "StartingSequenceNumber": "1" } });
            if let Some(parent) = &shard.parent {
                told["ParentShardId"] = json!(parent);
            }
            if shard.ended {
                told["SequenceNumberRange"]["EndingSequenceNumber"] = json!("9");
            }
            description["Shards"] = json!([told]);
            if at + 1 < of.len() {
                description["LastEvaluatedShardId"] = json!(shard.id);
            }
        }
        json!({ "StreamDescription": description })
    }

    fn iterator(&mut self, asked: &Value) -> Result<Value, String> {
        let id = asked["ShardId"].as_str().unwrap();
        let shard = self.find(id);
        let after = match asked["ShardIteratorType"].as_str().unwrap() {
            "TRIM_HORIZON" => shard.trimmed,
            "AFTER_SEQUENCE_NUMBER" => asked["SequenceNumber"].as_str().unwrap().parse().unwrap(),
            other => panic!("{other}"),
        };
        if after < shard.trimmed {
            return Err(String::from("TrimmedDataAccessException"));
        }
        Ok(json!({ "ShardIterator": format!("{id}|{after}") }))
    }

    fn records(&mut self, asked: &Value) -> Result<Value, String> {
        let (id, after) = asked["ShardIterator"]
            .as_str()
            .unwrap()
            .split_once('|')
            .unwrap();
        let after: u64 = after.parse().unwrap();
        let most = asked["Limit"].as_u64().unwrap_or(1000) as usize;
        self.asked_for.push(most);
        if self.empty > 0 {
            self.empty -= 1;
            return Ok(json!({ "Records": [], "NextShardIterator": asked["ShardIterator"] }));
        }
        let takes = self.takes;
        let shard = self.find(id);
        if after < shard.trimmed {
            return Err(String::from("TrimmedDataAccessException"));
        }
        let next: Vec<&(u64, Value)> = shard
            .records
            .iter()
            .filter(|(at, _)| *at > after)
            .take(most)
            .collect();
        std::thread::sleep(takes * next.len() as u32);
        let reached = next.last().map_or(after, |(at, _)| *at);
        let is_all = shard.records.last().is_none_or(|(at, _)| *at <= reached);
        let mut answer =
            json!({ "Records": next.iter().map(|(_, record)| record).collect::<Vec<_>>() });
        if !(shard.ended && is_all) {
            answer["NextShardIterator"] = json!(format!("{id}|{reached}"));
        }
        Ok(answer)
    }
}

impl HttpConnector for StandIn {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap().to_owned();
        let (_, operation) = target.split_once('.').unwrap();
        let asked: Value = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        let answer = self.0.lock().unwrap().answer(operation, &asked);
        let (status, body) = match answer {
            Ok(body) => (200, body),
            Err(error) => {
                let status = if error == "InternalServerError" {
                    500
                } else {
                    400
                };
                (
                    status,
                    json!({ "__type": format!("com.amazonaws.dynamodb#{error}"), "message": "as the test wants it" }),
                )
            }
        };
        let mut response =
            HttpResponse::new(status.try_into().unwrap(), SdkBody::from(body.to_string()));
        response
            .headers_mut()
            .insert("content-type", "application/x-amz-json-1.0");
        HttpConnectorFuture::ready(Ok(response))
    }
}

impl HttpClient for StandIn {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
