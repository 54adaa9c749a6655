//! People and programs that use the services, and write down what they were told.

pub(crate) mod ask;
pub(crate) mod tasks;
pub(crate) mod todo;

use serde_json::Value;
use tablewright_testing::Reply;

use crate::insist::{Asked, Insistent};

/// How many of a hundred answers are asked for again, with the same key.
const ASKED_AGAIN: u64 = 8;

/// Sends a write until it is answered with this status; gives what was told. Anything else is a complaint.
async fn insist(
    who: &mut Insistent,
    asked: &Asked,
    status: u16,
    complaints: &mut Vec<String>,
) -> Option<Reply> {
    let Asked { method, path, .. } = asked;
    match who.ask(asked).await {
        Err(why) => complaints.push(why),
        Ok(reply) if reply.status == status => return Some(reply),
        Ok(reply) => complaints.push(format!(
            "{method} {path} is answered {} and not {status}: {}",
            reply.status, reply.text
        )),
    }
    None
}

/// What was told once is told again, word by word, to who sends the same key.
async fn told_again(
    who: &mut Insistent,
    asked: &Asked,
    first: &Reply,
    complaints: &mut Vec<String>,
) {
    let Some(again) = insist(who, asked, first.status, complaints).await else {
        return;
    };
    let is_replayed = again.header("idempotency-replayed") == Some("true");
    if !is_replayed || again.body != first.body {
        let Asked { method, path, .. } = asked;
        complaints.push(format!(
            "{method} {path} sent again is another answer (replayed: {is_replayed}): {} and before {}",
            again.text, first.text
        ));
    }
}

/// A text of an answer.
fn text_of(reply: &Reply, field: &str) -> String {
    reply.body[field].as_str().unwrap_or_default().to_owned()
}

/// The same field of two values, where what is not there is null.
pub(crate) fn differs(told: &Value, stored: &Value, field: &str) -> bool {
    let of = |value: &Value| value.get(field).cloned().unwrap_or_default();
    of(told) != of(stored)
}
