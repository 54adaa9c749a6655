//! The operations by name. The engine has no public entry of that kind.

use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::tokens::Tokens;
use super::{decode, streams};
use crate::Reply;

/// Answers a request with what the engine says, in DynamoDB's words.
pub(crate) fn answer(db: &Database, tokens: &Tokens, operation: &str, body: &[u8]) -> Reply {
    let result = match operation {
        "CreateTable" => run(body, |r| db.create_table(r)),
        "DeleteTable" => run(body, |r| db.delete_table(r)),
        "DescribeTable" => run(body, |r| db.describe_table(r)),
        "UpdateTable" => run(body, |r| db.update_table(r)),
        "ListTables" => run(body, |r| db.list_tables(r)),
        "PutItem" => run(body, |r| db.put_item(r)),
        "GetItem" => run(body, |r| db.get_item(r)),
        "DeleteItem" => run(body, |r| db.delete_item(r)),
        "UpdateItem" => run(body, |r| db.update_item(r)),
        "Query" => run(body, |r| db.query(r)),
        "Scan" => run(body, |r| db.scan(r)),
        "SearchVectors" => run(body, |r| db.search_vectors(r)),
        "BatchGetItem" => run(body, |r| db.batch_get_item(r)),
        "BatchWriteItem" => run(body, |r| db.batch_write_item(r)),
        "TransactWriteItems" => run(body, |r| tokens.transact(db, r)),
        "TransactGetItems" => run(body, |r| db.transact_get_items(r)),
        "ExecuteStatement" => run(body, |r| db.execute_statement(r)),
        "ExecuteTransaction" => run(body, |r| db.execute_transaction(r)),
        "BatchExecuteStatement" => run(body, |r| db.batch_execute_statement(r)),
        "UpdateTimeToLive" => run(body, |r| db.update_time_to_live(r)),
        "DescribeTimeToLive" => run(body, |r| db.describe_time_to_live(r)),
        "TagResource" => run(body, |r| db.tag_resource(r)),
        "UntagResource" => run(body, |r| db.untag_resource(r)),
        "ListTagsOfResource" => run(body, |r| db.list_tags_of_resource(r)),
        "ListStreams" => run(body, |r| db.list_streams(r)),
        "DescribeStream" => run(body, |r| streams::describe_stream(db, r)),
        "GetShardIterator" => run(body, |r| streams::get_shard_iterator(db, r)),
        "GetRecords" => run(body, |r| streams::get_records(db, r)),
        _ => return Reply::unknown_operation(operation),
    };
    match result {
        Ok(body) => Reply::success(body),
        Err(error) => {
            let error = as_written_by(operation, error);
            Reply {
                status: error.status_code(),
                body: error.to_json(),
            }
        }
    }
}

fn run<Q, R>(body: &[u8], call: impl FnOnce(Q) -> dynoxide::Result<R>) -> dynoxide::Result<String>
where
    Q: DeserializeOwned,
    R: Serialize,
{
    let response = call(decode::request(body)?)?;
    serde_json::to_string(&response)
        .map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

/// The same mistake is worded differently by different operations.
fn as_written_by(operation: &str, error: DynoxideError) -> DynoxideError {
    match (operation, error) {
        ("PutItem" | "UpdateItem" | "DeleteItem", DynoxideError::EnvelopedValidation(message)) => {
            DynoxideError::ValidationException(format!("1 validation error detected: {message}"))
        }
        (_, DynoxideError::EnvelopedValidation(message)) => {
            DynoxideError::ValidationException(message)
        }
        (
            "ExecuteStatement",
            DynoxideError::ConditionalCheckFailedException(message, Some(item)),
        ) => DynoxideError::StatementConditionalCheckFailed(message, item),
        (_, other) => other,
    }
}
