//! Change streams: what they show, how long, and of which table.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodbstreams::types::{OperationType, Record, ShardIteratorType};
use tablewright_local::Engine;

use crate::tables;

/// The stream a table has now.
pub(crate) async fn arn(dynamodb: &Client, table: &str) -> String {
    let described = dynamodb
        .describe_table()
        .table_name(table)
        .send()
        .await
        .unwrap();
    described.table.unwrap().latest_stream_arn.unwrap()
}

/// The ids of its shards.
async fn shards(engine: &Engine, arn: &str) -> Vec<String> {
    let described = engine
        .streams()
        .describe_stream()
        .stream_arn(arn)
        .send()
        .await
        .unwrap();
    let description = described.stream_description.unwrap();
    let ids = description.shards().iter().map(|shard| {
        let range = shard.sequence_number_range().unwrap();
        assert_eq!(range.ending_sequence_number(), None, "the shard is open");
        shard.shard_id().unwrap().to_owned()
    });
    ids.collect()
}

async fn iterator(engine: &Engine, arn: &str, kind: ShardIteratorType) -> String {
    let shard = shards(engine, arn).await.remove(0);
    let request = engine.streams().get_shard_iterator().stream_arn(arn);
    let got = request
        .shard_id(shard)
        .shard_iterator_type(kind)
        .send()
        .await
        .unwrap();
    got.shard_iterator.unwrap()
}

/// What a stream shows from its beginning.
pub(crate) async fn records(engine: &Engine, arn: &str) -> Vec<Record> {
    let from = iterator(engine, arn, ShardIteratorType::TrimHorizon).await;
    let got = engine
        .streams()
        .get_records()
        .shard_iterator(from)
        .send()
        .await
        .unwrap();
    got.records.unwrap()
}

fn ids(records: &[Record]) -> Vec<String> {
    let key = |record: &Record| {
        record.dynamodb().unwrap().keys().unwrap()["id"]
            .as_s()
            .unwrap()
            .clone()
    };
    records.iter().map(key).collect()
}

/// Makes every stream record older.
fn age(engine: &Engine, hours: i64) {
    let database = rusqlite::Connection::open(engine.directory().join("dynamodb.sqlite")).unwrap();
    database
        .execute(
            "UPDATE _stream_records SET created_at = created_at - ?1",
            [hours * 3600],
        )
        .unwrap();
}

#[tokio::test]
async fn changes_are_shown_in_order_with_both_images() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    tables::put(&dynamodb, "things", "a").await;
    tables::put(&dynamodb, "things", "b").await;
    let changed = dynamodb
        .put_item()
        .table_name("things")
        .item("id", tables::text("a"));
    changed
        .item("colour", tables::text("blue"))
        .send()
        .await
        .unwrap();
    let removed = dynamodb
        .delete_item()
        .table_name("things")
        .key("id", tables::text("a"));
    removed.send().await.unwrap();

    let shown = records(&engine, &arn(&dynamodb, "things").await).await;
    let kinds: Vec<&OperationType> = shown.iter().filter_map(Record::event_name).collect();
    use OperationType::{Insert, Modify, Remove};
    assert_eq!(kinds, [&Insert, &Insert, &Modify, &Remove]);
    assert_eq!(ids(&shown), ["a", "b", "a", "a"]);
    let modified = shown[2].dynamodb().unwrap();
    assert_eq!(
        modified.old_image().unwrap()["colour"].as_s().unwrap(),
        "red"
    );
    assert_eq!(
        modified.new_image().unwrap()["colour"].as_s().unwrap(),
        "blue"
    );
    assert!(shown.iter().all(|record| record.user_identity().is_none()));
}

#[tokio::test]
async fn a_reader_goes_on_where_it_was_also_in_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path()).unwrap();
    tables::create(&engine.dynamodb(), "things").await;
    tables::put(&engine.dynamodb(), "things", "a").await;
    let arn = arn(&engine.dynamodb(), "things").await;
    let from = iterator(&engine, &arn, ShardIteratorType::Latest).await;
    drop(engine);

    let engine = Engine::open(folder.path()).unwrap();
    tables::put(&engine.dynamodb(), "things", "b").await;
    let streams = engine.streams();
    let got = streams
        .get_records()
        .shard_iterator(from)
        .send()
        .await
        .unwrap();
    assert_eq!(ids(got.records()), ["b"]);
    tables::put(&engine.dynamodb(), "things", "c").await;
    let next = got.next_shard_iterator.unwrap();
    let got = streams
        .get_records()
        .shard_iterator(next)
        .send()
        .await
        .unwrap();
    assert_eq!(ids(got.records()), ["c"]);
}

#[tokio::test]
async fn shard_ids_have_the_length_the_api_asks_for() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    for table in [String::from("abc"), "long".repeat(50)] {
        tables::create(&dynamodb, &table).await;
        tables::put(&dynamodb, &table, "a").await;
        let arn = arn(&dynamodb, &table).await;
        let ids = shards(&engine, &arn).await;
        assert_eq!(ids.len(), 1);
        assert!((28..=65).contains(&ids[0].len()), "{}", ids[0]);
        assert_eq!(records(&engine, &arn).await.len(), 1);

        let streams = engine.streams();
        let after = streams
            .describe_stream()
            .stream_arn(&arn)
            .exclusive_start_shard_id(&ids[0]);
        let after = after.send().await.unwrap().stream_description.unwrap();
        assert!(after.shards().is_empty());
        let strange = streams
            .get_shard_iterator()
            .stream_arn(&arn)
            .shard_id("shardId-of-another");
        let strange = strange
            .shard_iterator_type(ShardIteratorType::Latest)
            .send()
            .await;
        assert_eq!(
            strange.unwrap_err().code(),
            Some("ResourceNotFoundException")
        );
    }
}

#[tokio::test]
async fn records_go_after_a_day() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    tables::put(&dynamodb, "things", "a").await;
    tables::put(&dynamodb, "things", "b").await;
    age(&engine, 25);
    tables::put(&dynamodb, "things", "c").await;
    age(&engine, 23);
    tables::put(&dynamodb, "things", "d").await;

    assert_eq!(engine.trim_streams().unwrap(), 2);
    assert_eq!(engine.trim_streams().unwrap(), 0);
    let shown = records(&engine, &arn(&dynamodb, "things").await).await;
    assert_eq!(ids(&shown), ["c", "d"]);
}

/// Whoever had not read all of what went is told, also after a restart; who had read it reads on.
#[tokio::test]
async fn to_read_on_where_records_went_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path()).unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    for id in ["a", "b"] {
        tables::put(&dynamodb, "things", id).await;
    }
    let arn = arn(&dynamodb, "things").await;
    let shown = records(&engine, &arn).await;
    let number = |record: &Record| {
        let change = record.dynamodb().unwrap();
        change.sequence_number().unwrap().to_owned()
    };
    let (first, last) = (number(&shown[0]), number(&shown[1]));
    age(&engine, 25);
    tables::put(&dynamodb, "things", "c").await;
    drop((engine, dynamodb));
    let engine = Engine::open(folder.path()).unwrap();
    let streams = engine.streams();
    let shard = shards(&engine, &arn).await.remove(0);
    let iterator = async |kind: ShardIteratorType, number: &str| {
        let asked = streams.get_shard_iterator().stream_arn(&arn);
        let asked = asked.shard_id(&shard).shard_iterator_type(kind);
        asked.sequence_number(number).send().await
    };
    for (kind, number) in [
        (ShardIteratorType::AfterSequenceNumber, &first),
        (ShardIteratorType::AtSequenceNumber, &first),
        (ShardIteratorType::AtSequenceNumber, &last),
    ] {
        let error = iterator(kind, number).await.unwrap_err();
        assert_eq!(error.code(), Some("TrimmedDataAccessException"));
    }
    let next = iterator(ShardIteratorType::AfterSequenceNumber, &last).await;
    let next = next.unwrap().shard_iterator.unwrap();
    let read = streams.get_records().shard_iterator(next).send().await;
    assert_eq!(ids(&read.unwrap().records.unwrap()), ["c"]);
}

/// So is who has an iterator from before, and does not just get what is left.
#[tokio::test]
async fn to_read_on_past_what_went_with_an_open_iterator_is_an_error() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    tables::put(&dynamodb, "things", "a").await;
    let arn = arn(&dynamodb, "things").await;
    let read = async |iterator: &str| {
        let streams = engine.streams();
        streams.get_records().shard_iterator(iterator).send().await
    };
    let oldest = iterator(&engine, &arn, ShardIteratorType::TrimHorizon).await;
    let after_a = read(&oldest).await.unwrap().next_shard_iterator.unwrap();
    tables::put(&dynamodb, "things", "b").await;
    let after_b = read(&after_a).await.unwrap().next_shard_iterator.unwrap();
    age(&engine, 25);
    tables::put(&dynamodb, "things", "c").await;
    assert_eq!(engine.trim_streams().unwrap(), 2);
    for past in [&oldest, &after_a] {
        let error = read(past).await.unwrap_err();
        assert_eq!(error.code(), Some("TrimmedDataAccessException"));
    }
    // Nothing after this one went, and the oldest is now another.
    let begun = iterator(&engine, &arn, ShardIteratorType::TrimHorizon).await;
    for iterator in [&after_b, &begun] {
        let read = read(iterator).await.unwrap();
        assert_eq!(ids(&read.records.unwrap()), ["c"]);
    }
    // Where nothing is left, the latest is after all that went.
    age(&engine, 25);
    assert_eq!(engine.trim_streams().unwrap(), 1);
    let latest = iterator(&engine, &arn, ShardIteratorType::Latest).await;
    tables::put(&dynamodb, "things", "d").await;
    let read = read(&latest).await.unwrap();
    assert_eq!(ids(&read.records.unwrap()), ["d"]);
}

#[tokio::test]
async fn what_grew_old_while_nobody_looked_is_gone_at_opening() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path()).unwrap();
    tables::create(&engine.dynamodb(), "things").await;
    // More than are removed at once.
    for n in 0..1_100 {
        let body = format!(r#"{{"TableName":"things","Item":{{"id":{{"S":"{n}"}}}}}}"#);
        assert_eq!(engine.dispatch("PutItem", body.as_bytes()).status, 200);
    }
    age(&engine, 25);
    drop(engine);
    let engine = Engine::open(folder.path()).unwrap();
    assert_eq!(engine.trim_streams().unwrap(), 0);
    let arn = arn(&engine.dynamodb(), "things").await;
    assert!(records(&engine, &arn).await.is_empty());
}

/// Ends the stream of the table `things` in some way and begins another; nothing of the old one may show.
async fn begins_empty(engine: &Engine, arn_before: &str, old_iterator: String) {
    let dynamodb = engine.dynamodb();
    let arn_after = arn(&dynamodb, "things").await;
    assert_ne!(arn_after, arn_before);
    assert!(records(engine, &arn_after).await.is_empty());
    tables::put(&dynamodb, "things", "new").await;
    assert_eq!(ids(&records(engine, &arn_after).await), ["new"]);

    let streams = engine.streams();
    let old = streams
        .describe_stream()
        .stream_arn(arn_before)
        .send()
        .await;
    assert_eq!(old.unwrap_err().code(), Some("ResourceNotFoundException"));
    let old = streams
        .get_records()
        .shard_iterator(old_iterator)
        .send()
        .await;
    assert_eq!(old.unwrap_err().code(), Some("ResourceNotFoundException"));
}

#[tokio::test]
async fn a_table_made_anew_shows_nothing_of_its_predecessor() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    tables::create(&dynamodb, "others").await;
    tables::put(&dynamodb, "things", "old").await;
    tables::put(&dynamodb, "others", "stays").await;
    let before = arn(&dynamodb, "things").await;
    let old = iterator(&engine, &before, ShardIteratorType::TrimHorizon).await;
    dynamodb
        .delete_table()
        .table_name("things")
        .send()
        .await
        .unwrap();
    tables::create(&dynamodb, "things").await;

    begins_empty(&engine, &before, old).await;
    let others = arn(&dynamodb, "others").await;
    assert_eq!(ids(&records(&engine, &others).await), ["stays"]);
}

#[tokio::test]
async fn a_stream_begun_anew_shows_nothing_of_its_predecessor() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    tables::put(&dynamodb, "things", "old").await;
    let before = arn(&dynamodb, "things").await;
    let old = iterator(&engine, &before, ShardIteratorType::TrimHorizon).await;
    for enabled in [false, true] {
        let update = dynamodb.update_table().table_name("things");
        update
            .stream_specification(tables::stream(enabled))
            .send()
            .await
            .unwrap();
    }
    begins_empty(&engine, &before, old).await;
}
