//! What the wire carries back.

use serde_json::json;

/// The answer to one request: an HTTP status and a JSON body, as DynamoDB writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// 200, or 400 and above with an error in the body.
    pub status: u16,
    /// DynamoDB JSON.
    pub body: String,
}

impl Reply {
    pub(crate) fn success(body: String) -> Self {
        Reply { status: 200, body }
    }

    /// An error in DynamoDB's shape. `kind` is the qualified name of the exception.
    pub(crate) fn error(status: u16, kind: &str, message: &str) -> Self {
        Reply {
            status,
            body: json!({ "__type": kind, "message": message }).to_string(),
        }
    }

    pub(crate) fn unknown_operation(operation: &str) -> Self {
        Self::error(
            400,
            "com.amazon.coral.service#UnknownOperationException",
            &format!("the embedded engine has no operation `{operation}`"),
        )
    }

    pub(crate) fn internal_error(message: &str) -> Self {
        Self::error(
            500,
            "com.amazonaws.dynamodb.v20120810#InternalServerError",
            message,
        )
    }
}
